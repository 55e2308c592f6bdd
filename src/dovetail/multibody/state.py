"""Where every body is and how it moves at one time."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.model.frozen import GROUND, Model
from dovetail.model.values import Array


@dataclass(eq=False)
class BodyState:
    """Configuration (x, R) and velocity (v, omega) of n bodies at time `t` [s].

    `omega` is in body axes, as the equations of motion want it; `spin` gives world axes.
    """

    t: float
    x: Array  # (n, 3) [m] centres of mass
    R: Array  # (n, 3, 3) body to world
    v: Array  # (n, 3) [m/s] of the centres of mass, world axes
    omega: Array  # (n, 3) [rad/s] in body axes

    def copy(self) -> "BodyState":
        return BodyState(self.t, self.x.copy(), self.R.copy(), self.v.copy(), self.omega.copy())

    def copy_to(self, rows: Any) -> None:
        """Write x, R, v and omega into the arrays of those names of `rows`; times stay."""
        rows.x[...], rows.R[...], rows.v[...], rows.omega[...] = self.x, self.R, self.v, self.omega

    @property
    def spin(self) -> Array:
        """(n, 3) [rad/s] angular velocities in world axes."""
        spin: Array = np.einsum("nij,nj->ni", self.R, self.omega)
        return spin


def initial_state(model: Model) -> BodyState:
    """The state the scene describes at t = 0; kinematic bodies start on their trajectory."""
    state = BodyState(
        0.0,
        model.position.copy(),
        model.rotation.copy(),
        model.velocity.copy(),
        np.einsum("nji,nj->ni", model.rotation, model.angular_velocity),
    )
    place_kinematic(model, state)
    return state


def place_kinematic(model: Model, state: BodyState) -> None:
    """Put every kinematic body where its trajectory has it at `state.t`."""
    for i, trajectory in enumerate(model.trajectories):
        if trajectory is not None:
            state.x[i], state.R[i] = trajectory.pose(state.t)
            state.v[i], spin = trajectory.twist(state.t)
            state.omega[i] = state.R[i].T @ spin


class StateByName:
    """A state as a user's function sees it: by body name, world axes, read-only."""

    def __init__(self, model: Model, state: BodyState) -> None:
        self._model, self._state = model, state

    @property
    def time(self) -> float:
        return self._state.t

    def position(self, name: str) -> Array:
        i = self._model.index(name)
        return np.zeros(3) if i == GROUND else self._state.x[i].copy()

    def rotation(self, name: str) -> Array:
        i = self._model.index(name)
        return np.eye(3) if i == GROUND else self._state.R[i].copy()

    def velocity(self, name: str) -> Array:
        i = self._model.index(name)
        return np.zeros(3) if i == GROUND else self._state.v[i].copy()

    def angular_velocity(self, name: str) -> Array:
        i = self._model.index(name)
        return np.zeros(3) if i == GROUND else self._state.R[i] @ self._state.omega[i]
