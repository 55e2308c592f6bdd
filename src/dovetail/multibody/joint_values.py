"""Coordinates and velocities of joints, read off the motions of their bodies.

Of every joint in the order of the scene, then of the bodies that move freely:
    Rotation, Helix   angle [rad], counted over whole revolutions      its rate
    Translation       displacement [m]                                its rate
    BallRotation      quaternion (w, x, y, z)                         3 angular velocities
    free body         position [m] of the centre of mass,             velocity and angular velocity,
                      quaternion of its rotation                      both in the body's axes
All but those of free bodies are zero (unit quaternions) at the initial pose.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dovetail.errors import InputError
from dovetail.model.frozen import GROUND, Model
from dovetail.model.joints.motions import FREE
from dovetail.model.values import Array, quote
from dovetail.multibody.constraints.joint_rows import coordinate_rows, joint_frame
from dovetail.multibody.constraints.row import Pair, Row
from dovetail.multibody.constraints.rows import bundle_rows
from dovetail.multibody.constraints.stacked import stacked_rows
from dovetail.multibody.kept_arrays import KeptArrays
from dovetail.multibody.measured_rows import (
    MeterArrays,
    bundle_balls,
    bundle_meter,
    bundle_state,
    measure,
    measure_now,
    read_balls,
    read_free,
)
from dovetail.multibody.state import BodyState, initial_state


class Place(NamedTuple):
    """Where one joint, or one free body, has its coordinates."""

    name: str
    joint: int  # number in the model, -1 of a free body
    body: int  # of a free body, else -1
    q: slice
    v: slice


class JointMeter:
    """Measures q and v of a model; `free` are numbers of bodies that move freely."""

    def __init__(self, model: Model, free: list[int]) -> None:
        self._model = model
        self._start = initial_state(model)
        self.places: list[Place] = []
        self.coordinates: list[tuple[int, int]] = []  # joint and coordinate of every row
        rows: list[Row] = []
        q_of_row: list[int] = []
        v_of_row: list[int] = []
        self._balls: list[tuple[int, int, int]] = []  # joint, q, v
        self._unmeasured: set[int] = set()
        n_q = n_v = 0
        for j, placed in enumerate(model.joints):
            joint = placed.joint
            measured = coordinate_rows(joint, Pair(self._start, placed.body_a, placed.body_b))
            for i, coordinate in enumerate(joint.coordinates):
                row = measured[i]
                if coordinate.motion.has_values and row is not None:
                    rows.append(row)
                    self.coordinates.append((j, i))
                    q_of_row.append(n_q + coordinate.q)
                    v_of_row.append(n_v + coordinate.v)
                elif coordinate.motion.has_values:
                    self._unmeasured.add(j)
                elif i == 0 or joint.coordinates[i - 1].motion is not coordinate.motion:
                    self._balls.append((j, n_q + coordinate.q, n_v + coordinate.v))
            size_q = sum(motion.n_q for motion in joint.motions)
            size_v = sum(motion.n_v for motion in joint.motions)
            spans = slice(n_q, n_q + size_q), slice(n_v, n_v + size_v)
            self.places.append(Place(placed.name, j, GROUND, *spans))
            n_q, n_v = n_q + size_q, n_v + size_v
        for body in free:
            spans = slice(n_q, n_q + 7), slice(n_v, n_v + 6)
            self.places.append(Place(model.names[body], -1, body, *spans))
            n_q, n_v = n_q + 7, n_v + 6
        self.n_q, self.n_v, self._free = n_q, n_v, free
        last = self.places[len(model.joints) :]
        self._free_places = tuple(
            np.array(part, np.int64)
            for part in (
                [place.body for place in last], [place.q.start for place in last],
                [place.v.start for place in last],
            )
        )  # fmt: skip
        self._q_of_row, self._v_of_row = places_of(q_of_row), places_of(v_of_row)
        self._rows_at = np.array(q_of_row, np.int64), np.array(v_of_row, np.int64)
        r = len(rows)
        self._arrays = MeterArrays(
            stacked_rows(rows), np.zeros(r), np.zeros(r), np.zeros((r, 2, 6))
        )
        self._bundle: Any = None
        self._values, self._rates = np.zeros((1, r)), np.zeros((1, r))
        self._time = np.zeros(1)
        self._is_read = False  # whether q and v are there of the state looked at last
        self._q, self._v = np.zeros(n_q), np.zeros(n_v)  # of a state that was looked at before
        self._kept = KeptArrays(self._state_arrays)

    @property
    def arrays(self) -> MeterArrays:
        """The rows that measure `coordinates`, at the state looked at last."""
        return self._arrays

    @property
    def angle(self) -> Array:
        """(r,) [rad] of the rows that measure one, at the state measured last."""
        return self._arrays.angle

    def count_from(self, q: Array) -> None:
        """Count revolutions from these coordinates on."""
        self.angle[...] = np.asarray(q)[self._q_of_row]

    def _state_arrays(self, x: Array, R: Array, v: Array, omega: Array) -> Any:
        """A bundle of these arrays of a state with what is read of it."""
        read = self._values[0], self._rates[0], *self._rows_at, *self._free_places
        return bundle_state(x, R, v, omega, *read, self._q, self._v)

    @property
    def _meter(self) -> Any:
        if self._bundle is None:
            arrays = self._arrays
            self._bundle = bundle_meter(bundle_rows(*arrays.rows), *arrays[1:])
        return self._bundle

    def _measure(self, *states: Array) -> None:
        measure(self._meter, *states)

    def look(self, state: BodyState) -> tuple[float, float, float] | None:
        """Count the revolutions of angles; to be called in every step.

        Returns the `motion_squares` of a state that was looked at before.
        """
        now = self._kept.of(state)
        if now is None:
            self._is_read = False
            self._measure(self._time, *_as_one(state), self._values, self._rates)
            return None
        squares: tuple[float, float, float] = measure_now(self._meter, now)
        self._is_read = True
        return squares

    @property
    def measured(self) -> tuple[Array, Array]:
        """Values and rates (r,) of `coordinates` at the state looked at last."""
        return self._values[0], self._rates[0]

    def value_of(self, row: int) -> float:
        """[m or rad] of one of `coordinates` at the state looked at last."""
        return float(self._values[0, row])

    def rate_of(self, row: int) -> float:
        """[m/s or rad/s], likewise."""
        return float(self._rates[0, row])

    def values(self, state: BodyState) -> tuple[Array, Array]:
        """q and v at a state."""
        self.look(state)
        return self.read(state)

    def read(self, state: BodyState) -> tuple[Array, Array]:
        """q and v at the state looked at last."""
        if not self._is_read:
            q, v = np.zeros(self.n_q), np.zeros(self.n_v)
            q[self._q_of_row], v[self._v_of_row] = self._values[0], self._rates[0]
            if len(self._free_places[0]):
                read_free(*self._free_places, *_as_one(state), q[None], v[None])
        else:
            q, v = self._q.copy(), self._v.copy()
        if self._balls:
            read_balls(self._ball_arrays, *_as_one(state), q[None], v[None])
        for j in self._unmeasured:
            place = self.places[j]
            q[place.q] = v[place.v] = np.nan
        return q, v

    def joint_values(self, state: BodyState) -> dict[tuple[int, int], float]:
        """[m or rad] of all coordinates that have a single value, by joint and coordinate."""
        self.look(state)
        return dict(zip(self.coordinates, self._values[0].tolist()))

    def histories(
        self, times: Array, x: Array, R: Array, v: Array, omega: Array
    ) -> tuple[Array, Array]:
        """Values and rates (k, r) of `coordinates` in k recorded states, from the first on."""
        k, r = len(times), len(self.coordinates)
        values, rates = np.zeros((k, r)), np.zeros((k, r))
        self.angle[...] = 0.0
        self._measure(times, x, R, v, omega, values, rates)
        return values, rates

    def history(
        self, times: Array, x: Array, R: Array, v: Array, omega: Array
    ) -> tuple[Array, Array]:
        """q (k, n_q) and v (k, n_v) in k states that follow the one looked at last."""
        k, r = len(times), len(self.coordinates)
        values, rates = np.zeros((k, r)), np.zeros((k, r))
        self._measure(times, x, R, v, omega, values, rates)
        q, rate = np.zeros((k, self.n_q)), np.zeros((k, self.n_v))
        q[:, self._q_of_row], rate[:, self._v_of_row] = values, rates
        if self._balls:
            read_balls(self._ball_arrays, x, R, v, omega, q, rate)
        for j in self._unmeasured:
            place = self.places[j]
            q[:, place.q] = rate[:, place.v] = np.nan
        read_free(*self._free_places, x, R, v, omega, q, rate)
        return q, rate

    @cached_property
    def _ball_arrays(self) -> Any:
        joints = [self._model.joints[j] for j, _, _ in self._balls]
        return bundle_balls(
            np.array([(placed.body_a, placed.body_b) for placed in joints], np.int64),
            np.array([placed.joint.motions[0].code == FREE for placed in joints], np.bool_),
            np.array([at for _, at, _ in self._balls], np.int64),
            np.array([at for _, _, at in self._balls], np.int64),
            np.array([joint_frame(placed.joint).T for placed in joints]),
            self._start.x, self._start.R,
        )  # fmt: skip

    def refuse_unmeasured(self, joint: int) -> None:
        """Raise InputError for a joint whose coordinates no single measure gives."""
        if joint in self._unmeasured:
            name = quote(self._model.joints[joint].name)
            raise InputError(f"no angles or distances between its bodies measure joint {name}")


def places_of(numbers: list[int]) -> Any:
    """An index for these places; those in a row are a slice, which NumPy reads in a third."""
    first = numbers[0] if numbers else 0
    if numbers == list(range(first, first + len(numbers))):
        return slice(first, first + len(numbers))
    return np.array(numbers, np.int64)


def _as_one(state: BodyState) -> tuple[Array, ...]:
    """The arrays of a state as those of one recorded state."""
    return state.x[None], state.R[None], state.v[None], state.omega[None]
