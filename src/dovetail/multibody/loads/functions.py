"""Loads that are functions of the user, with what they return checked at every call."""

from collections.abc import Mapping
from math import isfinite
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dovetail.errors import DovetailError, RunError
from dovetail.model.frozen import GROUND, Model, PlacedLoad
from dovetail.model.loads import FunctionLoad
from dovetail.model.values import Array, quote
from dovetail.multibody.loads.state_motors import StateMotors
from dovetail.multibody.state import BodyState, StateByName


@runtime_checkable
class ArrayFunction(Protocol):
    """A function that gives the wrenches of bodies from arrays; each depends on its body alone."""

    @property
    def names(self) -> tuple[str, ...]:
        """m bodies; one may be named several times."""

    def wrenches(self, R: Array, velocity: Array, spin: Array) -> tuple[Array, Array]:
        """(m, 3) [N] and [N m] at rotations (m, 3, 3), velocities and spins (m, 3), world axes."""

    def damping(self, R: Array, velocity: Array, spin: Array) -> Array:
        """(m, 6, 6) minus their change with the twists, symmetric, not negative."""


class FunctionLoads:
    """All function loads of a model, and with `motors` those along joints that follow the state."""

    def __init__(self, model: Model, motors: bool = False) -> None:
        self._model = model
        self._motors = StateMotors(model) if motors else None
        placed = [p for p in model.loads if isinstance(p.load, FunctionLoad)]
        self._placed = [p for p in placed if _of_arrays(p) is None]
        self._arrays = [
            (function, np.array([model.index(name) for name in function.names], np.int64))
            for function in map(_of_arrays, placed)
            if function is not None
        ]

    def __bool__(self) -> bool:
        return bool(self._placed) or bool(self._motors) or bool(self._arrays)

    @property
    def by_name(self) -> bool:
        """Whether there are functions whose derivatives are not known."""
        return bool(self._placed) or bool(self._motors)

    def add_damping(self, state: BodyState, diagonal: Array) -> None:
        """Add the damping (n, 6, 6) of the functions that know theirs."""
        for function, bodies in self._arrays:
            np.add.at(diagonal, bodies, function.damping(*_motion(state, bodies)))

    def add_array_wrenches(self, state: BodyState, force: Array, torque: Array) -> set[int]:
        """Add what functions of arrays give; returns the bodies."""
        named: set[int] = set()
        for function, bodies in self._arrays:
            f, tau = function.wrenches(*_motion(state, bodies))
            np.add.at(force, bodies, f)
            np.add.at(torque, bodies, tau)
            named |= set(bodies.tolist())
        return named

    @property
    def angles(self) -> Array:
        """[rad] that the motors count, a part of the state."""
        return self._motors.angles if self._motors else np.zeros(0)

    def snapshot(self) -> dict[str, Array]:
        """What the motors count, a part of a stepper's snapshot."""
        return {"motor_angles": self.angles.copy()} if len(self.angles) else {}

    def restore(self, snapshot: Mapping[str, Array]) -> None:
        """The reverse of `snapshot`."""
        if len(self.angles):
            self.angles[...] = snapshot["motor_angles"]

    def add_wrenches(self, state: BodyState, force: Array, torque: Array) -> set[int]:
        """Add what the functions return at `state` to force [N] and torque [N m], (n, 3).

        Returns the bodies that they name.
        """
        named = self.add_array_wrenches(state, force, torque)
        return named | self.add_named_wrenches(state, force, torque)

    def add_named_wrenches(self, state: BodyState, force: Array, torque: Array) -> set[int]:
        """The same of the functions that take states by name, and of motors."""
        seen = StateByName(self._model, state)
        named: set[int] = set()
        for placed in self._placed:
            for name, wrench in self._returned(placed, seen).items():
                i = self._index(placed.name, name, seen.time)
                f, tau = _pair(placed.name, name, wrench, seen.time)
                if i != GROUND:
                    force[i] += f
                    torque[i] += tau
                    named.add(i)
        if self._motors:
            named |= self._motors.add_wrenches(state, force, torque)
        return named

    def add_joint_wrenches(self, state: BodyState, force: Array, torque: Array) -> None:
        """Add what the motors do to the second bodies of joints, (joints, 3)."""
        if self._motors:
            self._motors.add_joint_wrenches(state, force, torque)

    def _returned(self, placed: PlacedLoad, seen: StateByName) -> dict[str, Any]:
        assert isinstance(placed.load, FunctionLoad)
        try:
            answer = placed.load.function(seen.time, seen)
        except DovetailError:
            raise
        except Exception as error:
            raise RunError(
                f"the function of load {quote(placed.name)} failed: "
                f"{type(error).__name__}: {error}",
                seen.time,
            ) from error
        if not isinstance(answer, dict):
            raise RunError(
                f"the function of load {quote(placed.name)} must return a dict "
                f"{{body: (force, torque)}}, got {quote(answer)}",
                seen.time,
            )
        return answer

    def _index(self, load: str, name: Any, t: float) -> int:
        try:
            return self._model.index(name)
        except ValueError:
            known = ", ".join(self._model.names[:8])
            raise RunError(
                f"the function of load {quote(load)} names body {quote(name)}, which is not in "
                f"the scene (it has: {known})",
                t,
            ) from None


def _of_arrays(placed: PlacedLoad) -> ArrayFunction | None:
    load = placed.load
    found = load.function if isinstance(load, FunctionLoad) else None
    return found if isinstance(found, ArrayFunction) else None


def _motion(state: BodyState, bodies: Any) -> tuple[Array, Array, Array]:
    """Rotations, velocities and spins of some bodies."""
    R = state.R[bodies]
    spin = (R @ state.omega[bodies][:, :, None])[:, :, 0]
    return R, state.v[bodies], spin


def _pair(load: str, body: str, wrench: Any, t: float) -> tuple[Array, Array]:
    """Force and torque of one body, each three finite numbers."""
    try:
        force, torque = (np.asarray(part, dtype=float) for part in wrench)
        sound = force.shape == torque.shape == (3,)
        sound = sound and all(map(isfinite, (*force.tolist(), *torque.tolist())))
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise RunError(
            f"the function of load {quote(load)} must return (force, torque) for body "
            f"{quote(body)}, three finite numbers in N and three in N m, got {quote(wrench)}",
            t,
        )
    return force, torque
