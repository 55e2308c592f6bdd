"""What motors do along the coordinates of a tree, step by step: efforts, and motions."""

import numpy as np

from dovetail.errors import InputError
from dovetail.integrators.variational.tree.records import (
    FRICTION,
    LIMITS,
    PRESCRIBED,
    YIELDING,
    TreeHolds,
    tree_holds,
)
from dovetail.model.joints.actuation import SOFT_LIMIT
from dovetail.model.values import Array, quote
from dovetail.multibody.constraints.motors import GAUSS, bend, slope
from dovetail.multibody.mechanism import Mechanism
from dovetail.multibody.mechanism.actuation import Motor

CLOSE = 1e-9  # [m or rad, times the scene's length] what a motor may be off at the start


class TreeMotors:
    """The motors of a mechanism, and what else holds its coordinates."""

    def __init__(self, mechanism: Mechanism, length: float) -> None:
        self._efforts, self._driven = mechanism.acting.efforts, mechanism.acting.driven
        self._n_v = mechanism.tree.n_v
        self.travel = np.zeros(len(self._driven))  # [m or rad] of velocity motors so far
        self._ahead = self.travel
        self.holds = self._holds(mechanism)
        self.nothing = np.zeros((0, 1, self._n_v))
        self.added = np.zeros(self._n_v)  # [N or N m] of inputs
        self._changing: list[Motor] = [motor for motor in self._efforts if callable(motor.wanted)]
        mistakes = [
            f"joint {quote(motor.along.joint)}: its motor must start at the initial pose, where "
            f"every coordinate is 0, but is off by {abs(motor.at(0.0)):.3g} (m or rad)"
            for motor in self._driven
            if motor.mode == "position" and abs(motor.at(0.0)) > CLOSE * max(1.0, length)
        ]
        if mistakes:
            raise InputError(mistakes)

    def __bool__(self) -> bool:
        """Whether anything has to be looked up for every step."""
        return bool(self._changing or self._driven)

    def _holds(self, mechanism: Mechanism) -> TreeHolds:
        held = tree_holds(self._n_v)
        for row in mechanism.acting.coordinates:
            entry, k = row.actuation, row.v_index
            if row.q_index >= 0:
                held.lower[k] = -np.inf if entry.lower is None else entry.lower
                held.upper[k] = np.inf if entry.upper is None else entry.upper
                if entry.lower is not None or entry.upper is not None:
                    held.give[k] = [getattr(entry, name) for name in SOFT_LIMIT]
            held.friction[k] = entry.friction
        for motor in self._driven:
            held.prescribed[motor.v_index] = True
        limited = np.isfinite(held.lower) | np.isfinite(held.upper)
        held.some[LIMITS] = bool((limited & (held.give[:, 0] == 0.0)).any())
        held.some[YIELDING] = bool(held.give[:, 0].any())
        held.rotor[...] = mechanism.tree.arrays.armature
        held.some[PRESCRIBED] = bool(held.prescribed.any())
        held.some[FRICTION] = bool(held.friction.any())
        self.holds = held
        self.set_state(0.0)
        return held

    def set_state(self, t: float) -> None:
        """Rates and accelerations of prescribed coordinates at t [s]."""
        for motor in self._driven:
            self.holds.rate[motor.v_index] = self._rate(motor, t)
        self.set_accelerations(t)

    def set_accelerations(self, t: float) -> None:
        """Of prescribed coordinates at t [s]."""
        for motor in self._driven:
            moving = callable(motor.wanted)
            if motor.mode == "velocity":
                found = slope(motor.speed, t) if moving else 0.0
            else:
                found = bend(motor.at, t) if moving else 0.0
            self.holds.acceleration[motor.v_index] = found

    def _rate(self, motor: Motor, t: float) -> float:
        if motor.mode == "velocity":
            return motor.speed(t)
        return slope(motor.at, t) if callable(motor.wanted) else 0.0

    def efforts(self, t: float) -> Array:
        """(n_v,) [N or N m] of the scene's motors at t [s]."""
        found = np.zeros(self._n_v)
        for motor in self._efforts:
            found[motor.v_index] += motor.effort(t)
        return found

    def given(self, times: Array, gammas: Array) -> Array:
        """What `tree.step.step` is given for steps between `times`; no rows where all is constant.

        `commit` keeps how far velocity motors have gone then.
        """
        stages = len(gammas)
        if not self:
            return self.nothing
        ends = times[:-1, None] + np.diff(times)[:, None] * np.cumsum(gammas)
        ends[:, -1] = times[1:]
        found = np.zeros((len(ends), stages + 1, self._n_v))
        for motor in self._efforts:
            effort = np.vectorize(motor.effort, otypes=[float])(ends)
            found[:, :stages, motor.v_index] += effort
        found[:, :stages] += self.added
        self._ahead = self.travel.copy()
        for j, motor in enumerate(self._driven):
            k = motor.v_index
            for step, t in enumerate(times[1:].tolist()):
                found[step, stages, k] = self._rate(motor, t)
                before = float(times[step])
                for stage, end in enumerate(ends[step].tolist()):
                    if motor.mode == "position":
                        found[step, stage, k] = motor.at(end)
                    else:
                        h = end - before
                        self._ahead[j] += h * sum(w * motor.speed(before + c * h) for c, w in GAUSS)
                        found[step, stage, k] = self._ahead[j]
                        before = end
        return found

    def commit(self) -> None:
        """The steps that `given` was asked for are done."""
        if len(self.travel):
            self.travel[...] = self._ahead
