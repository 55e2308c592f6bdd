"""Loads that are functions of the user, with what they return checked at every call."""

from typing import Any

import numpy as np

from dovetail.errors import DovetailError, RunError
from dovetail.model.frozen import GROUND, Model, PlacedLoad
from dovetail.model.loads import FunctionLoad
from dovetail.model.values import Array, quote
from dovetail.multibody.loads.state_motors import StateMotors
from dovetail.multibody.state import BodyState, StateByName


class FunctionLoads:
    """All function loads of a model, and with `motors` those along joints that follow the state."""

    def __init__(self, model: Model, motors: bool = False) -> None:
        self._model = model
        self._motors = StateMotors(model) if motors else None
        self._placed = [p for p in model.loads if isinstance(p.load, FunctionLoad)]

    def __bool__(self) -> bool:
        return bool(self._placed) or bool(self._motors)

    @property
    def angles(self) -> Array:
        """[rad] that the motors count, a part of the state."""
        return self._motors.angles if self._motors else np.zeros(0)

    def add_wrenches(self, state: BodyState, force: Array, torque: Array) -> set[int]:
        """Add what the functions return at `state` to force [N] and torque [N m], (n, 3).

        Returns the bodies that they name.
        """
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


def _pair(load: str, body: str, wrench: Any, t: float) -> tuple[Array, Array]:
    """Force and torque of one body, each three finite numbers."""
    try:
        force, torque = (np.asarray(part, dtype=float) for part in wrench)
        sound = force.shape == torque.shape == (3,)
        sound = sound and bool(np.all(np.isfinite(force)) and np.all(np.isfinite(torque)))
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise RunError(
            f"the function of load {quote(load)} must return (force, torque) for body "
            f"{quote(body)}, three finite numbers in N and three in N m, got {quote(wrench)}",
            t,
        )
    return force, torque
