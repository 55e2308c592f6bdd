"""Kinematic bodies that stop before they would force an intersection, and say so."""

import warnings
from collections.abc import Callable

import numpy as np

from dovetail.linalg.lie import so3
from dovetail.model.frozen import KINEMATIC, Model
from dovetail.model.values import Array, quote
from dovetail.multibody.state import BodyState
from dovetail.runtime.records import Int32Array

PairsOnDemand = Callable[[], Int32Array]

CATCH_UP = 2.0  # times the path of its trajectory in a step: how fast a body comes back to it


class HeldBackWarning(UserWarning):
    """A kinematic body could not follow its trajectory without forcing an intersection."""


class DrivenBodies:
    """The kinematic bodies of a model: their targets, and who is behind."""

    def __init__(self, model: Model, radius: Array, near: float) -> None:
        """`radius` (n,) [m] of the bodies; nobody is held back who is less than `near` [m] off."""
        self._model, self._radius, self._near = model, radius, near
        self.numbers: list[int] = np.flatnonzero(model.motion == KINEMATIC).tolist()
        self.held_back: dict[str, float] = {}  # first time [s], by name

    def set_targets(self, state: BodyState, t: float, targets: tuple[Array, Array]) -> None:
        """Rows of x (n, 3), R (n, 3, 3): where the bodies shall be at the time t [s].

        A body that is behind is pulled by no more than `CATCH_UP` paths of a step, so that the
        force on what blocks it does not grow with time.
        """
        for i in self.numbers:
            x, R = self._scheduled(i, t)
            far = self._distance(i, state.x[i], state.R[i], x, R)
            largest = CATCH_UP * self._path_length(i, state.t, t) + self._near
            if far > largest:
                part = largest / far
                x = state.x[i] + part * (x - state.x[i])
                R = so3.exp(part * so3.log(R @ state.R[i].T)) @ state.R[i]
            targets[0][i], targets[1][i] = x, R

    def warn_held_back(
        self, state: BodyState, t_before: float, bodies_in_contact: PairsOnDemand
    ) -> None:
        """Warn once of each body that did not get along half of its trajectory.

        `bodies_in_contact()` are pairs (k, 2) at the state.
        """
        for i in self.numbers:
            name = self._model.names[i]
            behind = self._behind(i, state)
            allowed = self._near + self._path_length(i, t_before, state.t) / 2
            if name in self.held_back or behind <= allowed:
                continue
            self.held_back[name] = state.t
            pairs = bodies_in_contact()
            others = sorted({int(b) for pair in pairs for b in pair if i in pair and b != i})
            by = ", ".join(quote(self._model.names[k]) for k in others) or "bodies near it"
            warnings.warn(
                f"kinematic body {quote(name)} is held back at t = {state.t:g} s by {by}: going on "
                f"would force an intersection. It is {behind:.3g} m off its trajectory and follows "
                "as far as it can; give it room, or a slower motion",
                HeldBackWarning,
                stacklevel=2,
            )

    def behind(self, state: BodyState) -> Array:
        """[m] a bound on how far each of them is off its trajectory at the state's time."""
        return np.array([self._behind(i, state) for i in self.numbers])

    def _behind(self, i: int, state: BodyState) -> float:
        return self._distance(i, state.x[i], state.R[i], *self._scheduled(i, state.t))

    def _scheduled(self, i: int, t: float) -> tuple[Array, Array]:
        trajectory = self._model.trajectories[i]
        assert trajectory is not None
        return trajectory.pose(t)

    def _path_length(self, i: int, t_0: float, t_1: float) -> float:
        return self._distance(i, *self._scheduled(i, t_0), *self._scheduled(i, t_1))

    def _distance(self, i: int, x_0: Array, R_0: Array, x_1: Array, R_1: Array) -> float:
        """[m] a bound on how far a point of the body is from where it is in the other pose."""
        angle = float(np.linalg.norm(so3.log(R_1 @ R_0.T)))
        return float(np.linalg.norm(x_1 - x_0)) + angle * float(self._radius[i])
