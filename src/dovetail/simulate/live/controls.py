"""What is set along joint coordinates between steps: efforts, and targets with gains."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from dovetail.model.values import Array
from dovetail.multibody.inputs import Inputs
from dovetail.multibody.motor_limits import cut_at_limits
from dovetail.runtime.records import Int64Array


class SceneMotor:
    """The effort of a motor that the scene has, until one is set."""

    def __init__(self, motor: Any) -> None:
        self._motor, self.on = motor, True
        self.constant = 0.0 if callable(motor) else float(motor)

    def __call__(self, t: float) -> float:
        if not self.on:
            return 0.0
        return float(self._motor(t)) if callable(self._motor) else self.constant

    @property
    def given(self) -> Any:
        """What the stepper has: a function that can be switched off, or a constant."""
        return self if callable(self._motor) else self.constant


@dataclass(frozen=True)
class Servo:
    """A motor's controller that the scene has: what it pulls to and its gains."""

    target: float = np.nan  # [rad or m]
    speed: float = np.nan  # [rad/s or m/s]
    stiffness: float = 0.0
    damping: float = 0.0

    @property
    def pulls(self) -> bool:
        return bool(self.stiffness or self.damping)


class Controls:
    """One row per coordinate that can be steered."""

    def __init__(self, n_bodies: int) -> None:
        self.force, self.torque = np.zeros((n_bodies, 3)), np.zeros((n_bodies, 3))
        self.row_of: dict[tuple[int, int], int] = {}
        self.motors: list[SceneMotor | None] = []
        self.servos: list[Servo] = []
        self.has_value: list[bool] = []
        self._limits: list[float] = []
        self.places: tuple[list[int], list[int]] | None = None  # of the rows, in q and in v
        self._measured: tuple[list[tuple[int, int]], Int64Array | None] | None = None

    def add(
        self, coordinate: tuple[int, int], motor: SceneMotor | None, limit: Any, has_value: bool
    ) -> None:
        self.row_of[coordinate] = len(self.motors)
        self.motors.append(motor)
        self.has_value.append(has_value)
        self._limits.append(np.inf if limit is None else float(limit))

    def finish(self) -> None:
        k = len(self.motors)
        self.coordinates = tuple(self.row_of)
        self.limit = np.array(self._limits)
        self.effort = np.zeros(k)
        self.stiffness = np.array([servo.stiffness for servo in self.servos])
        self.damping = np.array([servo.damping for servo in self.servos])
        self.has_limits = bool(np.isfinite(self.limit).any())
        self._scene_motors = [motor for motor in self.motors if motor is not None]
        self._has_constants = any(motor is not None and motor.constant for motor in self.motors)
        self.clear()

    def place(self, joints: Any, placed: Any) -> None:
        """Find where the coordinates of the rows are in q and v of the `joints`."""
        at_q, at_v = [], []
        for (j, i), row in self.row_of.items():
            coordinate = placed[j].joint.coordinates[i]
            at_q.append(joints[j].q.start + coordinate.q if self.has_value[row] else 0)
            at_v.append(joints[j].v.start + coordinate.v)
        self.places = at_q, at_v

    def clear(self) -> None:
        """No efforts, targets and pushes but those of the scene's own controllers; gains stay."""
        self.effort[...] = self.force[...] = self.torque[...] = 0.0
        self.target = np.array([servo.target for servo in self.servos])
        self.speed = np.array([servo.speed for servo in self.servos])
        self.serving = np.array([servo.pulls for servo in self.servos], bool)
        self._any_serves = bool(self.serving.any())
        self._gains: tuple[Array, Array, Array] | None = None
        self.may_saturate = bool(np.isfinite(self.limit[self._used()]).any())
        for motor in self._scene_motors:
            motor.on = True

    def _take_over(self, rows: Any) -> None:
        """Let what is set take the place of controllers of the scene that still act."""
        own = np.zeros(len(self.serving), bool)
        own[rows] = self.serving[rows]
        self.target[own], self.speed[own], self.serving[own] = np.nan, np.nan, False
        self._gains, self._any_serves = None, bool(self.serving.any())

    def set_effort(self, row: int, value: float) -> None:
        """As `set`, of an effort alone."""
        if self.serving[row]:
            self._take_over(row)
        self.effort[row] = value
        motor = self.motors[row]
        if motor is not None:
            motor.on = False
        if self._limits[row] < inf:
            self.may_saturate = bool(np.isfinite(self.limit[self._used()]).any())

    def set_efforts(self, values: Array) -> None:
        """Of all rows (k,)."""
        if self._any_serves:
            self._take_over(slice(None))
        self.effort[...] = values
        for motor in self._scene_motors:
            motor.on = False
        if self.has_limits:
            self.may_saturate = bool(np.isfinite(self.limit[self._used()]).any())

    def set(self, row: int, **values: float) -> None:
        """Set `effort`, `stiffness`, `damping`, `target` or `speed` of a row."""
        if self.serving[row] and not values.keys() <= {"stiffness", "damping"}:
            self._take_over(row)
        for name, value in values.items():
            getattr(self, name)[row] = value
        self._gains = None
        motor = self.motors[row]
        if motor is not None:
            motor.on = False
        self.may_saturate = bool(np.isfinite(self.limit[self._used()]).any())

    def _used(self) -> Array:
        return np.asarray((self.effort != 0.0) | ~np.isnan(self.target) | ~np.isnan(self.speed))

    def gains(self) -> tuple[Array, Array, Array]:
        """Pull, stiffness and damping that act: only towards targets that are set."""
        if self._gains is None:
            self._gains = self._found_gains()
        return self._gains

    def _found_gains(self) -> tuple[Array, Array, Array]:
        to_place, to_speed = ~np.isnan(self.target), ~np.isnan(self.speed)
        stiffness = np.where(to_place, self.stiffness, 0.0)
        damping = np.where(to_place | to_speed, self.damping, 0.0)
        pull = stiffness * np.where(to_place, self.target, 0.0)
        return pull + damping * np.where(to_speed, self.speed, 0.0), stiffness, damping

    def acting(self, q: Array, v: Array, t: float) -> Array:
        """(k,) [N or N m] that motors and targets exert at q, v (k,), cut off at their limits."""
        pull, stiffness, damping = self.gains()
        total = self._efforts_at(t) + pull - np.where(stiffness > 0.0, stiffness * q, 0.0)
        return np.clip(total - damping * v, -self.limit, self.limit)

    def _efforts_at(self, t: float) -> Array:
        """(k,) [N or N m] without those of targets."""
        if not self._scene_motors:
            return self.effort
        return self.effort + [0.0 if motor is None else motor(t) for motor in self.motors]

    def measured_by(self, coordinates: list[tuple[int, int]]) -> Int64Array | None:
        """(k,) where the rows are among measured `coordinates`; None if one of them is not."""
        if self._measured is None or self._measured[0] is not coordinates:
            place = {one: row for row, one in enumerate(coordinates)}
            rows = [place.get(one, -1) for one in self.coordinates]
            found = None if min(rows, default=-1) < 0 else np.array(rows, np.int64)
            self._measured = coordinates, found
        return self._measured[1]

    def cut_at_limits(
        self, values: Array, rates: Array, rows: Int64Array, t: float
    ) -> Array | None:
        """As `acting` where that is at a limit, nan of other rows; None where none is.

        `rows` (k,) is where q and v are in `values` and `rates`.
        """
        cut = np.empty(len(rows))
        some = cut_at_limits(
            values, rates, rows, self._efforts_at(t), *self.gains(), self.limit, cut
        )
        return cut if some else None

    def inputs(
        self, t: float, saturated: Array | None = None, on_bodies: bool = True
    ) -> Inputs:  # fmt: skip
        """For the stepper; where `saturated` is not nan that effort acts instead of all others.

        `on_bodies` is False where no body is pushed.
        """
        effort = self.effort
        if self.may_saturate:
            effort = np.clip(effort, -self.limit, self.limit)
        if self._has_constants:  # those of motors that are off still act in the stepper
            effort = effort - [0.0 if m is None or m.on else m.constant for m in self.motors]
        pull, stiffness, damping = self.gains()
        if saturated is not None:
            cut = ~np.isnan(saturated)
            effort = np.where(cut, saturated, effort)
            pull, stiffness, damping = (np.where(cut, 0.0, a) for a in (pull, stiffness, damping))
        return Inputs(
            self.force, self.torque, self.coordinates, effort, pull, stiffness, damping, t,
            on_bodies,
        )  # fmt: skip

    NAMES = ("effort", "stiffness", "damping", "target", "speed", "force", "torque")

    def snapshot(self) -> dict[str, Array]:
        kept = {name: getattr(self, name).copy() for name in self.NAMES}
        kept["on"] = np.array([motor is None or motor.on for motor in self.motors])
        kept["serving"] = self.serving.copy()
        return kept

    def restore(self, kept: dict[str, Array]) -> None:
        for name in self.NAMES:
            getattr(self, name)[...] = kept[name]
        self.serving[...] = kept["serving"]
        self._any_serves = bool(self.serving.any())
        self._gains = None
        for motor, on in zip(self.motors, kept["on"].tolist()):
            if motor is not None:
                motor.on = on
        self.may_saturate = bool(np.isfinite(self.limit[self._used()]).any())
