"""Overlaps are corrected by displacements that leave the velocities as they are."""

from typing import Any

import numpy as np

from dovetail.contact.impulse.lifting import (
    Payment,
    StepMotion,
    energies,
    groups_of_bodies,
    payment,
)
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ACTIVE, INACTIVE, ContactSet
from dovetail.contact.impulse.solver import ImpulseSolver
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray, Int64Array

CORRECTION = 0.2  # share of an overlap that one step corrects
MAX_OVERLAP = 1e-5  # of the smaller body: overlaps below are left as they are
SAVED = 0.5  # of that height: what losses of earlier steps may pay for
TOLERANCE = 1e-2  # of the deepest overlap: accuracy of the correction
MAX_SWEEPS = 30  # where there are contacts only
MAX_JOINT_SWEEPS = 2000
FAILED = 0.5  # of the wanted correction: if less is reached, joints hold the bodies where they are
DEEPER = 1.2  # times the overlap that joints hold: then it is tried again


class OverlapCorrection:
    """Corrects overlaps, and knows those of m pairs of bodies that joints do not let go.

    Models of robots have parts that overlap by design. To push them apart against their joints
    would bend these, and what turns beyond them, a little in every step.
    """

    def __init__(self) -> None:
        self._given: Int64Array = np.zeros((0, 2), np.int64)  # pairs that overlap from the start
        self._energy: Array = np.zeros(0)  # [J] of bodies after the last correction
        self._pair: Int64Array = np.zeros((0, 2), np.int64)
        self._depth: Array = np.zeros(0)  # [m] at which the pair was found to be held

    def is_needed(self, contacts: ContactSet) -> bool:
        """Whether an overlap is one that joints do not hold; pairs that parted are forgotten."""
        deep = contacts.points.gap < -MAX_OVERLAP * contacts.smaller_size
        self._forget(contacts, deep)
        return bool((deep & ~self._held(contacts)).any())

    def correct(
        self, contacts: ContactSet, solver: ImpulseSolver, h: float, motion: StepMotion,
        shift: Array,
    ) -> Payment:  # fmt: skip
        """Fill shift (n, 6) [m, rad] that reduces overlaps without changing velocities.

        Normals and joints only: J_N shift >= -0.2 gap where gap < 0, and gaps that are open stay
        so. Impulses of the step are kept. Returns what kinetic energy bodies may have at the end of
        the step, as the lift gains no energy (`lifting`).
        """
        problem, u = solver.problem, motion.u
        impulses, before = problem.lam[: problem.n_rows].copy(), shift.copy()
        deep = contacts.points.gap < -MAX_OVERLAP * contacts.smaller_size
        self._forget(contacts, deep)
        held = self._held(contacts)
        group = groups_of_bodies(problem)
        if (deep & ~held).any():
            reached = _displace(contacts, solver, h, u, shift, held)
            if problem.n_joint:
                failed = deep & ~held & ~reached
                if failed.any():
                    self._remember(contacts, failed)
                    held = self._held(contacts)
                    shift[...] = before
                    if (deep & ~held).any():
                        _displace(contacts, solver, h, u, shift, held)
        moving = problem.bodies.dynamic
        free = np.zeros(group.max(initial=-1) + 1, np.bool_)
        free[group[self._given[moving[self._given]]]] = True
        earlier = self._lost_before(contacts, problem, motion, group)
        paid = payment(problem, motion, shift - before, group, free, earlier)
        shift[...] = before + paid.share[:, None] * (shift - before)
        problem.lam[: problem.n_rows] = impulses
        return paid

    def _lost_before(
        self, contacts: ContactSet, problem: ImpulseProblem, motion: StepMotion, group: Int64Array
    ) -> Array:
        """(groups,) [J] lost since overlaps were corrected last, at most what SAVED allows.

        An overlap that grows to what is tolerated loses height; to lift it again is no gain.
        """
        groups = int(group.max(initial=-1)) + 1
        if len(self._energy) != len(group):
            return np.zeros(groups)
        lost = np.bincount(group, self._energy - energies(problem, motion), minlength=groups)
        weight = np.linalg.norm(motion.loads[:, :3], axis=1)
        size = float(contacts.smaller_size.max())
        most = SAVED * MAX_OVERLAP * size * np.bincount(group, weight, minlength=groups)
        return np.asarray(np.clip(lost, 0.0, most))

    def keep(self, energy: Array) -> None:
        """Energies (n,) [J] of bodies after their overlaps were corrected."""
        self._energy = energy

    def begin(self, contacts: ContactSet) -> None:
        """The contacts at the start of a run: overlaps that no step has made."""
        deep = contacts.points.gap < -MAX_OVERLAP * contacts.smaller_size
        self._given = np.unique(contacts.points.body[deep].astype(np.int64), axis=0)

    def _forget(self, contacts: ContactSet, deep: BoolArray) -> None:
        """Pairs that have come apart: none of their contacts is `deep` (contacts,)."""
        body = contacts.points.body[deep]
        if len(self._given):
            still = np.array([(body == pair).all(axis=1).any() for pair in self._given])
            self._given = self._given[still]
        if len(self._pair):
            still = np.array([(body == pair).all(axis=1).any() for pair in self._pair])
            self._pair, self._depth = self._pair[still], self._depth[still]

    def _held(self, contacts: ContactSet) -> BoolArray:
        """(contacts,) which are of pairs that joints hold at this overlap."""
        held = np.zeros(contacts.count, np.bool_)
        body, gap = contacts.points.body, contacts.points.gap
        for pair, depth in zip(self._pair, self._depth):
            held |= (body == pair).all(axis=1) & (gap >= -DEEPER * depth)
        return held

    def _remember(self, contacts: ContactSet, failed: BoolArray) -> None:
        """The pairs of contacts that `failed` (contacts,) are held where they are."""
        body, gap = contacts.points.body, contacts.points.gap
        known = {(int(a), int(b)): float(d) for (a, b), d in zip(self._pair, self._depth)}
        for a, b in np.unique(body[failed], axis=0).tolist():
            own = (body == (a, b)).all(axis=1)
            known[a, b] = max(known.get((a, b), 0.0), float(-gap[own].min()))
        self._pair = np.array(list(known), np.int64).reshape(-1, 2)
        self._depth = np.array(list(known.values()))

    def snapshot(self) -> dict[str, Any]:
        return {
            "pair": self._pair.copy(), "depth": self._depth.copy(), "given": self._given.copy(),
            "energy": self._energy.copy(),
        }  # fmt: skip

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Files of before this was kept have none of it."""
        self._pair = snapshot.get("pair", np.zeros((0, 2), np.int64)).copy()
        self._depth = snapshot.get("depth", np.zeros(0)).copy()
        self._energy = snapshot.get("energy", np.zeros(0)).copy()
        self._given = snapshot.get("given", np.zeros((0, 2), np.int64)).copy()


def _displace(
    contacts: ContactSet, solver: ImpulseSolver, h: float, u: Array, shift: Array, held: BoolArray
) -> BoolArray:
    """Add to the shift what corrects the contacts but `held` ones; which moved as they should."""
    gap, problem = contacts.points.gap, solver.problem
    n_rows, normals = problem.n_rows, problem.normals()
    gap_end = gap + h * problem.rates(u)[normals]
    problem.lam[:n_rows] = 0.0
    problem.c[:n_rows] = 0.0
    problem.c[normals] = np.where(gap < 0.0, CORRECTION * gap, np.maximum(gap_end, 0.0))
    tolerance = TOLERANCE * float(-gap[~held].min())
    active = np.where(held, INACTIVE, ACTIVE).astype(np.int8)
    sweeps = MAX_JOINT_SWEEPS if problem.n_joint else MAX_SWEEPS
    solver.solve(shift, np.zeros(len(gap)), active, tolerance, sweeps, release_dampers=True)
    return np.asarray(problem.rates(shift)[normals] >= FAILED * CORRECTION * -gap)
