"""Impacts with restitution at the start of a piece, and the time of the first one within it."""

import numpy as np

from dovetail.contact.impact.generations import reflect
from dovetail.contact.impact.time_of_impact import times_of_impact
from dovetail.integrators.shared.impulse_poses import load_speeds, momenta
from dovetail.integrators.stewart_trinkle.piece_problem import PieceProblem
from dovetail.integrators.stewart_trinkle.pieces import (
    PieceImpacts,
    SolvedPiece,
    impact_contacts,
    slow_approaches,
)
from dovetail.model.values import Array

NO_IMPACTS = PieceImpacts(None, 0)
MAX_ROUNDS = 20  # of impacts at one time

_NOTHING: Array = np.zeros(0)


class PieceWithImpacts(PieceProblem):
    """The problem of a piece, whose contacts with restitution are reflected before."""

    def _slow_approaches(self, h_step: float) -> Array:
        """(contacts,) [m/s] approaches that do not bounce."""
        if not self._contacts.count or not self._contacts.bounces:
            return _NOTHING
        return slow_approaches(self._contacts, self._load_speeds(h_step))

    def _load_speeds(self, h: float) -> Array:
        """(n,) [m/s] what loads add to the speed of each body in the step."""
        speed = np.empty(len(self._force))
        load_speeds(h, self._arrays, self._force, speed)
        return speed

    def _impacts(self, h: float, h_step: float, last: bool) -> PieceImpacts:
        """Reflect what touches, or what closes within h [s] if this is the last piece.

        The contacts are those that the velocities after the impacts reach.
        """
        if not (self._contacts.count and self._contacts.bounces):
            return NO_IMPACTS
        state, u, moves = self.bodies, self._u, self._moves
        before, shift = u.copy(), np.zeros_like(u)
        time, iterations, added = np.full(len(u), np.inf), 0, self._load_speeds(h_step)
        for _ in range(MAX_ROUNDS):
            contacts = self._contacts
            if not contacts.bounces:
                break
            hits = reflect(
                self._solver, u, self._friction(u), impact_contacts(contacts, added),
                h if last else 0.0, self._hypothesis,
            )  # fmt: skip
            if not len(hits.impulses):
                break
            iterations += hits.iterations
            time = np.minimum(time, hits.time)
            if self._observed is not None:
                amount = self._joints.along_rows(hits.impulses[: self._problem.n_joint])
                self._observed.add_impulses(amount, self._joints.G, state.R)
            self._warm_start.add_impacts(self._contacts, self._problem, hits.impulses)
            state.v[moves] = u[moves, :3]
            state.omega[moves] = np.einsum("nji,nj->ni", state.R[moves], u[moves, 3:])
            momenta(self._arrays, state.R, np.ascontiguousarray(u[:, 3:]), self._L)
            self._set_rows(h)
        if iterations and last:
            time = np.where(np.isfinite(time) & moves, time, 0.0)
            shift = time[:, None] * (before - u)  # x + time before + (h - time) u
            self._contacts.points.gap[...] += self._problem.rates(shift)[self._problem.normals()]
        return PieceImpacts(shift, iterations)

    def _fall(self) -> Array:
        """(n, 6) [m/s^2] how constant loads change the velocity of a free body."""
        fall = np.zeros_like(self._u)
        fall[:, :3] = self._loads.compiled.force * self._arrays.inverse_mass
        return fall

    def _first_impact(self, solved: SolvedPiece) -> float:
        """[s] into the solved piece when the first contact that bounces closes, inf: none does."""
        if not solved.later.any():
            return np.inf
        normals, start, u = self._problem.normals(), solved.start, self._u.copy()
        u[solved.alone, :3] = start[solved.alone, :3]
        rates = self._problem.rates(u)[normals].copy()
        gained = np.where(solved.alone[:, None], self._fall(), 0.0)
        accelerations = self._problem.rates(gained)[normals]
        times = times_of_impact(self._contacts.points.gap, rates, accelerations)
        return float(times[solved.later].min())
