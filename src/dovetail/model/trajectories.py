"""How a kinematic body moves: at constant velocity, through a table of poses, or by a function."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import (
    Array,
    Mistakes,
    as_of_now,
    finite_array,
    frozen,
    quote,
    rotation_matrix,
)
from dovetail.runtime.options import named_parameters

Pose = tuple[Array, Array]  # position of the centre of mass [m], rotation (3, 3)
Twist = tuple[Array, Array]  # velocity [m/s], angular velocity [rad/s], both in world axes


@named_parameters
class PoseTable:
    """Poses at given times; between two rows the body moves and turns at constant speed.

    Rotations run along the shortest turn, R(s) = R_0 exp(s log(R_0^T R_1)). Before the first
    time the first pose holds, after the last time the last one.
    """

    def __init__(self, times: Any, positions: Any, rotations: Any = None) -> None:
        self.times, self.positions = as_of_now(times), as_of_now(positions)
        self.rotations = as_of_now(rotations)

    def mistakes(self, what: str) -> list[str]:
        found = Mistakes()
        n = _entries(self.times)
        if not n:
            return [f"`times` of {what} must be a list of times in s, got {quote(self.times)}"]
        times = found.take(finite_array, self.times, f"`times` of {what}", (n,), "s")
        found.take(finite_array, self.positions, f"`positions` of {what}", (n, 3), "m")
        if times is not None and np.any(np.diff(times) <= 0):
            found.append(f"`times` of {what} must increase, got {quote(times)}")
        if self.rotations is not None:
            if _entries(self.rotations) != n:
                found.append(
                    f"`rotations` of {what} must have one entry for each of the {n} times, "
                    f"got {quote(self.rotations)}"
                )
                return found
            for row, rotation in enumerate(self.rotations):
                found.take(rotation_matrix, rotation, f"`rotations[{row}]` of {what}")
        return found


def _entries(value: Any) -> int:
    """Length of a list, tuple or array; 0 for anything else."""
    if isinstance(value, np.ndarray):
        return len(value) if value.ndim else 0
    return len(value) if isinstance(value, list | tuple) else 0


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Pose and velocity of one kinematic body at any time, after everything was checked."""

    pose: Callable[[float], Pose]
    twist: Callable[[float], Twist]


def constant_velocity(start: Pose, velocity: Array, spin: Array, until: float) -> Trajectory:
    """X = x_0 + v t, R = exp(omega t) R_0, and at rest after `until` [s]."""
    position, rotation = start

    def pose(t: float) -> Pose:
        moved = min(t, until)
        return position + velocity * moved, _exp(spin * moved) @ rotation

    def twist(t: float) -> Twist:
        return (velocity, spin) if t < until else (np.zeros(3), np.zeros(3))

    return Trajectory(pose, twist)


def through_poses(table: PoseTable, start: Pose) -> Trajectory:
    """Piecewise constant velocity through the rows of `table`.

    At the time of a row the velocity is that of the stretch it begins.
    """
    times = frozen(table.times)
    positions = frozen(table.positions)
    rotations: Array = np.broadcast_to(start[1], (len(times), 3, 3))
    if table.rotations is not None:
        rotations = frozen([rotation_matrix(r, "rotation") for r in table.rotations])

    def segment(t: float) -> int:
        return int(np.searchsorted(times, t, side="right")) - 1

    def pose(t: float) -> Pose:
        i = segment(t)
        if i < 0 or i >= len(times) - 1:
            end = max(i, 0)
            return positions[end].copy(), rotations[end].copy()
        s = (t - times[i]) / (times[i + 1] - times[i])
        turn = _log(rotations[i].T @ rotations[i + 1])
        return (1 - s) * positions[i] + s * positions[i + 1], rotations[i] @ _exp(s * turn)

    def twist(t: float) -> Twist:
        i = segment(t)
        if i < 0 or i >= len(times) - 1:
            return np.zeros(3), np.zeros(3)
        span = times[i + 1] - times[i]
        turn = rotations[i] @ _log(rotations[i].T @ rotations[i + 1])
        return (positions[i + 1] - positions[i]) / span, turn / span

    return Trajectory(pose, twist)


def from_function(function: Callable[[float], Any], what: str) -> Trajectory:
    """A user's function of time returning (position, rotation) of the centre of mass.

    Velocities are differences over 1e-5 s, second order and never before t = 0:
        (f(t + h) - f(t - h)) / 2 h,   at the start (-3 f(t) + 4 f(t + h) - f(t + 2 h)) / 2 h.
    """
    h = 1e-5

    def pose(t: float) -> Pose:
        try:
            position, rotation = function(t)
        except Exception as error:  # a user's function may fail in any way
            raise InputError(
                f"the motion of {what} must return (position, rotation) at t = {t:g} s, "
                f"it failed with {type(error).__name__}: {error}"
            ) from error
        return (
            finite_array(position, f"position of {what} at t = {t:g} s", (3,), "m"),
            rotation_matrix(rotation, f"rotation of {what} at t = {t:g} s"),
        )

    def twist(t: float) -> Twist:
        if t < h:
            (x0, r0), (x1, r1), (x2, r2) = pose(t), pose(t + h), pose(t + 2 * h)
            turn = 4 * _log(r1 @ r0.T) - _log(r2 @ r0.T)
            return (-3 * x0 + 4 * x1 - x2) / (2 * h), turn / (2 * h)
        (x0, r0), (x1, r1) = pose(t - h), pose(t + h)
        return (x1 - x0) / (2 * h), _log(r1 @ r0.T) / (2 * h)

    return Trajectory(pose, twist)


def _exp(w: Array) -> Array:
    from dovetail.linalg.lie import so3

    return so3.exp(w)


def _log(R: Array) -> Array:
    from dovetail.linalg.lie import so3

    return so3.log(R)
