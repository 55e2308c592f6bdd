"""Joints with contacts in compiled steps: the impulses in one call, the end of a step in one."""

from typing import Any

import numpy as np

from dovetail.contact.impulse.contact_matching import SolvedContacts
from dovetail.contact.impulse.islands import KnownIslands
from dovetail.contact.impulse.joint_rows import JointRows
from dovetail.contact.impulse.newton.solver import NewtonSolver
from dovetail.contact.impulse.problem import FIRST_CONTACTS, ImpulseProblem
from dovetail.contact.impulse.records import ACTIVE, ContactSet, Outcome
from dovetail.contact.impulse.solver import COLD_PENALTY
from dovetail.contact.impulse.warm_start import MATCH_DISTANCE
from dovetail.integrators.stewart_trinkle.jointed_steps import JointedSteps
from dovetail.integrators.stewart_trinkle.pieces import SolvedPiece
from dovetail.integrators.stewart_trinkle.touched_kernels import (
    bundle_touched,
    end_touched,
    solve_touched,
)
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray, Int64Array

_NOTHING: Array = np.zeros(0)
_NONE = np.zeros(0, np.bool_)


class TouchedSteps:
    """Newton's method on the rows of joints and contacts, where all are of one island."""

    def __init__(
        self, jointed: JointedSteps, problem: ImpulseProblem, joints: JointRows, facets: int
    ) -> None:
        """`facets` is the number of corners of the friction pyramid's base, 0 the round cone."""
        self._jointed, self._problem, self._joints = jointed, problem, joints
        self._facets = facets
        self._solver, self._islands = NewtonSolver(problem.bodies), KnownIslands()
        self._label: Int64Array = np.zeros(0, np.int64)
        self._newton: Any = None
        self._make_space(FIRST_CONTACTS)

    def _make_space(self, contacts: int) -> None:
        self._space = contacts
        self._space_bundle: Any = bundle_touched(
            np.zeros(contacts), np.full(contacts, ACTIVE, np.int8), np.arange(contacts),
            np.zeros(contacts, np.bool_), np.array([COLD_PENALTY]), np.array([self._facets]),
        )  # fmt: skip

    def _prepared(self, n: int) -> bool:
        """Whether all rows are of one island; Newton's method is prepared for their bodies."""
        problem, label = self._problem, self._islands.of(self._problem)
        if label is not self._label:
            self._label, self._newton = label, None
            if self._islands.single:
                none = np.zeros(problem.n_contacts)
                active = np.full(problem.n_contacts, ACTIVE, np.int8)
                self._newton = self._solver.prepare(problem.system(none, active, 0), n)
        return self._newton is not None

    def solve(
        self, piece: Any, contacts: ContactSet, old: SolvedContacts, alone: BoolArray, h: float
    ) -> SolvedPiece | None:
        """The velocities at the end of a piece of h [s]; None if it must be solved in another way.

        `old` are the contacts of the last piece. Bodies that are `alone` (n,) and that impulses act
        on are not any more.
        """
        if contacts.curves or contacts.bounces or not self._prepared(len(alone)):
            return None
        most = max(contacts.count, len(old.gap))
        if most > self._space:
            self._make_space(2 * most)
        effort = self._jointed.effort
        steps, left, row, speed, overlap = solve_touched(
            piece, self._joints.arrays, self._problem.arrays, self._jointed.own, self._newton,
            effort, self._space_bundle, contacts.arrays, old, MATCH_DISTANCE, alone, h,
        )  # fmt: skip
        if not left <= (effort.fixed_enough or effort.enough * speed):
            return None
        outcome = Outcome(steps, left, row)
        return SolvedPiece(h, speed, outcome, _NONE, alone, overlap, _NOTHING, at_once=True)

    def end(
        self, piece: Any, quiet: Any, seen: Any, contacts: ContactSet, solved: SolvedPiece
    ) -> tuple[tuple[int, int, int, int], SolvedContacts]:
        """The solved piece to its end: what `end_touched` returns, and the contacts as solved."""
        place, impulse = np.empty((contacts.count, 3)), np.empty((contacts.count, 3))
        jointed, points = self._jointed, contacts.points
        made = end_touched(
            piece, self._joints.arrays, self._problem.arrays, jointed.own, jointed.newton,
            jointed.effort, quiet, seen, contacts.arrays, solved.alone, place, impulse,
            solved.h,
        )  # fmt: skip
        return made, SolvedContacts(
            points.body.copy(), place, points.point.copy(), points.normal.copy(),
            points.gap.copy(), impulse, np.array([solved.h]),
        )  # fmt: skip
