"""Motors in time: efforts, and motions that a motor prescribes whatever it takes."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, isfinite
from typing import Any

import numpy as np

from dovetail.errors import RunError
from dovetail.model.values import Array
from dovetail.multibody.constraints.bodies import EFFORT, LIMIT, MOTOR, ConstrainedBodies
from dovetail.multibody.constraints.row import Row
from dovetail.multibody.constraints.rows import Rows
from dovetail.runtime.records import Int64Array

DELTA = 1e-4  # [s] of the difference quotients of a prescribed motion
CLOSING = "closing"  # mode of what takes a coupling to its offset
GONE = 1e-9  # of what a limit was passed by at the start: then it is at home
GAUSS = ((0.5 - np.sqrt(0.15), 5 / 18), (0.5, 8 / 18), (0.5 + np.sqrt(0.15), 5 / 18))


@dataclass
class _Motor:
    row: int
    mode: str
    follows: Callable[[float], float]
    base: float  # offset of the row where the coordinate is 0


@dataclass
class _PassedLimit:
    """A limit that the initial pose is beyond: it starts there and goes home."""

    row: int
    side: float
    base: float  # offset of the row at home
    over: float  # [m or rad] at the start


def passed_part(t: float, settling: float) -> tuple[float, float]:
    """What is left at t [s] of how far a limit was passed at the start, and its rate [1/s].

    (1 + t/T) exp(-t/T), as a critically damped spring goes home: it starts without a jerk.
    """
    part = (1.0 + t / settling) * exp(-t / settling)
    return (part, -t / settling**2 * exp(-t / settling)) if part > GONE else (0.0, 0.0)


def settling_time(length: float, gravity: Array) -> float:
    """[s] that a mechanism of this length [m] takes for part of a swing."""
    g = float(np.linalg.norm(gravity))
    return (length / g) ** 0.5 if g > 0.0 else 1.0


def warn_passed(who: str, over: float, settling: float) -> None:
    """Say that the initial pose is beyond a limit."""
    warnings.warn(
        f"{who} starts {over:.3g} m or rad beyond its limit; the limit starts there and goes to "
        f"where it belongs within {5.0 * settling:.2g} s",
        stacklevel=2,
    )


class Motors:
    """Writes `offset`, `rate`, `rate2` and `effort` of the rows that depend on time.

    Limits that are passed at the start are such rows too; they go home within a few `settling` [s].
    """

    def __init__(
        self, ordered: list[Row], rows: Rows, constants: ConstrainedBodies, settling: float = 0.1
    ) -> None:
        self._rows, self._constants, self._settling = rows, constants, settling
        self._passed = [
            _PassedLimit(r, row.side, row.offset, -row.side * row.bound)
            for r, row in enumerate(ordered)
            if row.role == LIMIT and row.side * row.bound < 0.0
        ]
        for limit in self._passed:
            warn_passed(ordered[limit.row].owner, limit.over, settling)
        self._motors = [
            self._motor(r, row)
            for r, row in enumerate(ordered)
            if row.role in (MOTOR, EFFORT) and row.motor is not None
        ]
        self.travel: Array = np.zeros(len(self._motors))  # [m or rad] of velocity motors so far
        self.added: Array = np.zeros(len(ordered))  # [N or N m] along EFFORT rows, see `RowInputs`
        steady = [
            m for m in self._motors if m.mode == "effort" and not callable(ordered[m.row].motor[1])
        ]
        self._steady = {m.row: m.follows(0.0) for m in steady}  # [N or N m]
        self._varying = [(k, m) for k, m in enumerate(self._motors) if m.row not in self._steady]
        self._efforts = {m.row: m.follows for _, m in self._varying if m.mode == "effort"}
        for row, value in self._steady.items():
            constants.effort[row] = value

    def _motor(self, r: int, row: Row) -> _Motor:
        mode, follows, limit = row.motor
        if mode == CLOSING:
            settling, offset = self._settling, float(follows)
            warnings.warn(
                f"{row.owner} is off by {abs(offset):.3g} m or rad at the start and is closed "
                f"within {5.0 * settling:.2g} s",
                stacklevel=2,
            )
            return _Motor(
                r, "position", lambda t: offset * (1.0 - passed_part(t, settling)[0]), row.offset
            )
        return _Motor(r, mode, _function(follows, limit, row.owner), row.offset)

    def __bool__(self) -> bool:
        return bool(self._motors) or bool(self._passed)

    @property
    def depend_on_time(self) -> bool:
        """Whether `set_time` and `commit` have anything to do."""
        return bool(self._varying) or bool(self._passed)

    def set_time(self, t_before: float, t: float) -> None:
        """What is prescribed at `t` [s], speeds being integrated from `t_before`."""
        rows, constants = self._rows, self._constants
        for limit in self._passed:
            part, rate = passed_part(t, self._settling)
            rows.offset[limit.row] = limit.base + limit.side * limit.over * part
            constants.rate[limit.row] = -limit.side * limit.over * rate
        for k, motor in self._varying:
            f, r = motor.follows, motor.row
            if motor.mode == "effort":
                constants.effort[r] = f(t) + self.added[r]
            elif motor.mode == "position":
                rows.offset[r] = motor.base + f(t)
                constants.rate[r], constants.rate2[r] = -slope(f, t), -bend(f, t)
            else:
                h = t - t_before
                advance = h * sum(w * f(t_before + c * h) for c, w in GAUSS) if h else 0.0
                rows.offset[r] = motor.base + self.travel[k] + advance
                constants.rate[r], constants.rate2[r] = -f(t), -slope(f, t)

    def put_steady_efforts(self, effort: Array) -> None:
        """Write the motors' efforts that do not depend on time to `effort` (r,) [N or N m]."""
        for row, value in self._steady.items():
            effort[row] = value

    @property
    def have_efforts_in_time(self) -> bool:
        return bool(self._efforts)

    def efforts_of(self, rows: Int64Array, t: float, constant: Array) -> Array:
        """[N or N m] of the rows' own motors at `t` [s], those of `constant` (r,) without one.

        Efforts that do not depend on time are in `constant`.
        """
        found: Array = constant[rows]
        if self._efforts:
            for k, row in enumerate(rows.tolist()):
                if row in self._efforts:
                    found[k] = self._efforts[row](t)
        return found

    def commit(self) -> None:
        """The step to the time last set is done."""
        for k, motor in self._varying:
            if motor.mode == "velocity":
                self.travel[k] = self._rows.offset[motor.row] - motor.base


def _function(follows: Any, limit: float | None, owner: str) -> Callable[[float], float]:
    """An effort or motion in time that is checked, and cut off where it exceeds `limit`."""
    most = inf if limit is None else float(limit)
    if not callable(follows):
        constant = max(-most, min(most, float(follows)))
        return lambda t: constant

    def checked(t: float) -> float:
        try:
            value = float(follows(t))
        except Exception as error:
            raise RunError(
                f"the motor of {owner} failed: {type(error).__name__}: {error}", t
            ) from error
        if not isfinite(value):
            raise RunError(f"the motor of {owner} must give a finite number, got {value}", t)
        return max(-most, min(most, value))

    return checked


def slope(f: Callable[[float], float], t: float) -> float:
    """Df/dt by a central difference of fourth order."""
    d = DELTA
    return (8.0 * (f(t + d) - f(t - d)) - (f(t + 2 * d) - f(t - 2 * d))) / (12.0 * d)


def bend(f: Callable[[float], float], t: float) -> float:
    """D^2 f/dt^2 by a central difference of second order, ten times coarser."""
    d = 10.0 * DELTA
    return (f(t + d) - 2.0 * f(t) + f(t - d)) / (d * d)
