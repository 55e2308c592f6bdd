"""One implicit Euler step of bodies in frictionless contact, free of intersections."""

import numpy as np

from dovetail.contact.ipc.bodies import IpcBodies
from dovetail.contact.ipc.newton import Solved, minimise
from dovetail.contact.ipc.objective import StepObjective
from dovetail.dynamics.state import BodyState
from dovetail.geometry.slack_lists import SlackLists
from dovetail.lie import so3
from dovetail.model.values import Array

SLACK = 2.0  # of dhat
HALF_WAY = 4.33  # |dB/dD| dhat at D = dhat/2
RANGE = 100.0  # of the least stiffness, within which it follows the forces


class IpcStep:
    """Steps bodies under constant forces; keeps the candidate lists between steps.

    `dhat` [m] is where contact begins to act, `dmin` [m] is kept at all times.
    """

    def __init__(
        self, bodies: IpcBodies, gravity: Array, dhat: float, dmin: float = 0.0,
        tolerance: float = 1e-6,
    ) -> None:  # fmt: skip
        self._bodies, self._gravity = bodies, np.asarray(gravity, float)
        self._dhat, self._dmin, self._tolerance = dhat, dmin, tolerance
        self.lists = SlackLists(bodies.features, bodies.may_touch, SLACK * dhat)

    def step(self, state: BodyState, h: float) -> tuple[BodyState, Solved]:
        """The state at t + h; raises nothing when not converged: look at `Solved`."""
        bodies, spin = self._bodies, state.spin
        drift = h * state.v + h * h * self._gravity
        objective = StepObjective(
            bodies,
            state.x + np.where(bodies.free[:, :3], drift, 0.0),
            state.R + so3.hat(h * np.where(bodies.free[:, 3:], spin, 0.0)) @ state.R,
            state.R,
            np.zeros_like(state.x),
            self._dhat,
            self._dmin,
        )
        weight = self._weight(objective, state, h)
        solved = minimise(objective, self.lists, state.x, state.R, h, weight, self._tolerance)
        turn = so3.log(solved.R @ np.swapaxes(state.R, 1, 2)) / h
        omega = np.einsum("nji,nj->ni", solved.R, turn)
        v = (solved.x - state.x) / h
        return BodyState(state.t + h, solved.x, solved.R, v, omega), solved

    def _weight(self, objective: StepObjective, state: BodyState, h: float) -> float:
        """W = h^2 kappa [kg m^2], from masses, accelerations and speeds, free of units.

        At least the weight that carries a mean body at half of dhat, against gravity or the
        change of its speed in one step; within a range of that, what balances the forces there
        are: -gB.gE / gB.gB (Li et al. 2020, supplement), products weighted by the inverse masses so
        that forces and torques can be added.
        """
        moves = objective.bodies.free.any(axis=1)
        if not moves.any():
            return 1.0
        mass = float(np.mean(objective.bodies.mass[moves]))
        speed = float(np.max(np.linalg.norm(state.v[moves], axis=1)))
        shift = max(
            h * h * float(np.linalg.norm(self._gravity)), 0.1 * h * speed, 1e-3 * self._dhat
        )
        least = mass * shift * self._dhat / HALF_WAY
        near = self.lists.within(state.x, state.R, self._dmin + self._dhat)
        free = objective.bodies.free.ravel()
        g_barrier = objective.barrier_terms(state.x, state.R, near)[0][free]
        g_inertia, M = objective.inertia_terms(state.x, state.R)
        weighted = g_barrier / np.diag(M)[free]
        size = float(g_barrier @ weighted)
        if size == 0.0:
            return least
        return float(np.clip(-(weighted @ g_inertia[free]) / size, least, RANGE * least))
