"""Kinematics and dynamics of the scene at any coordinates: what controllers are made of."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dovetail.model.values import Array, vector3
from dovetail.multibody.state import BodyState
from dovetail.runtime.options import named_options
from dovetail.simulate.live.given_coordinates import given_coordinates
from dovetail.simulate.live.names import number_of

if TYPE_CHECKING:
    from dovetail.model.frozen import Model
    from dovetail.multibody.joint_space import JointSpace


class Pose(NamedTuple):
    """Of a body: its centre of mass [m] and its rotation to the world."""

    position: Array
    rotation: Array


class Queries:
    """M(q) a + h(q, v) = tau in the coordinates `q`, `v` of the simulation.

    Coordinates are given as to `set_state`: all of them, or some by joint or free body. Rotors
    (`armature`) are in M; contact, springs, dampers and motors play no part. Where joints close
    loops, one joint of each is cut: its rows and columns are zero, and v must fit the loop.
    """

    if TYPE_CHECKING:
        model: Model

        @property
        def space(self) -> JointSpace: ...
        @property
        def state(self) -> BodyState: ...
        def _place(self, name: str) -> Any: ...
        def _refuse_stretched(self, q: Array) -> None: ...
        def q_and_v(self) -> tuple[Array, Array]: ...

    @named_options
    def mass_matrix(self, q: Any = None) -> Array:
        """M (n_v, n_v), at the current coordinates unless `q` is given."""
        return self.space.mass_matrix(self._at(q, 0), self.state)

    def bias_forces(self, q: Any = None, v: Any = None) -> Array:
        """H (n_v,): Coriolis and centrifugal forces less gravity; what holds still at v = 0."""
        return self.inverse_dynamics(q, v, np.zeros(len(self.q_and_v()[1])))

    @named_options
    def inverse_dynamics(self, q: Any = None, v: Any = None, a: Any = None) -> Array:
        """Efforts (n_v,) that give accelerations `a` (n_v,), default 0."""
        accelerations = np.zeros(len(self.q_and_v()[1])) if a is None else self._at(a, 1, "a")
        return self.space.inverse_dynamics(
            self._at(q, 0), self._at(v, 1, "v"), accelerations, self.state
        )

    @named_options
    def jacobian(self, body: str, point: Any = None, q: Any = None) -> Array:
        """(6, n_v): velocity of a point of the body and angular velocity, world axes, per v.

        `point` [m] in the world where the body is now; default: its centre of mass.
        """
        i = number_of(body, self.model.names, "body")
        at = self._at(q, 0)
        placed = self.space.state(at, np.zeros(len(self.q_and_v()[1])), self.state)
        where = placed.x[i]
        if point is not None:
            given = vector3(point, "`point`", "m")
            where = given
            if q is not None:  # carried along from where the body is now
                arm = self.state.R[i].T @ (given - self.state.x[i])
                where = placed.x[i] + placed.R[i] @ arm
        return self.space.jacobian(at, i, where, self.state)

    @named_options
    def forward_kinematics(self, q: Any = None) -> dict[str, Pose]:
        """Poses of all bodies at `q`, by name."""
        state = self.space.state(self._at(q, 0), np.zeros(len(self.q_and_v()[1])), self.state)
        return {
            name: Pose(state.x[i].copy(), state.R[i].copy())
            for i, name in enumerate(self.model.names)
        }

    def _at(self, given: Any, which: int, name: str = "q") -> Array:
        """The current q (0) or v (1), or what is given instead, checked."""
        own = self.q_and_v()[which]
        if given is None:
            return own
        old = np.zeros(len(own)) if name == "a" else own
        found = given_coordinates(
            given, old, name, lambda one: self._place(one).v if which else self._place(one).q
        )
        if not which:
            self._refuse_stretched(found)
        return found
