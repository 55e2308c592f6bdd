"""Islands of the impulse problem: moving bodies that no joint or contact connects to the others.

Impulses of one island do not change velocities in another, so each is a problem of its own, and a
hard one does not cost the others anything.
"""

from typing import Any

import numpy as np

from dovetail.contact.impulse.contact_matching import same_rows
from dovetail.contact.impulse.gauss_seidel import contact_residuals
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import ConstraintRows, ImpulseSystem
from dovetail.linalg.block_cholesky.row_pairs import row_pairs
from dovetail.model.connected import component_labels
from dovetail.model.values import Array
from dovetail.multibody.body_arrays import BodyArrays
from dovetail.runtime.records import Int8Array, Int64Array


def row_islands(problem: ImpulseProblem) -> Int64Array:
    """(n_rows,) the island of each row, -1 for rows that move nothing."""
    body, moves = problem.rows.body[: problem.n_rows].astype(np.int64), problem.moves
    links = row_pairs(body, moves[:-1]).pair.astype(np.int64)
    label = np.append(component_labels(len(moves) - 1, links), -1)
    label[~moves] = -1
    return np.asarray(label[body].max(axis=1))


class KnownIslands:
    """The islands of the rows of last time, which are often those of the next."""

    def __init__(self) -> None:
        self._body = np.zeros((0, 2), np.int32)
        self._label = np.zeros(0, np.int64)
        self.single = True  # whether all rows are of one island
        self.solvers: dict[int, Any] = {}  # kept by who solves them, by the first row

    def of(self, problem: ImpulseProblem) -> Int64Array:
        """See `row_islands`."""
        if not same_rows(problem.rows.body, problem.n_rows, self._body):
            self._body = problem.rows.body[: problem.n_rows].copy()
            self._label, self.solvers = row_islands(problem), {}
            self.single = bool(self._label.min() == self._label.max())
        return self._label


def unsolved_islands(
    problem: ImpulseProblem, label: Int64Array, system: ImpulseSystem, u: Array, tolerance: float
) -> list[Int64Array]:
    """The rows of each island with joints, or with a residual of more than `tolerance` [m/s].

    `label` (n_rows,) has the islands of rows.
    """
    left = np.zeros(problem.n_contacts)
    contact_residuals(system, problem.lam, u, left)
    hard = np.ones(problem.n_rows, np.bool_)
    hard[problem.n_joint :] = np.repeat(left > tolerance, 3)
    wanted = np.zeros(label.max(initial=-1) + 1, np.bool_)
    wanted[label[hard & (label >= 0)]] = True
    order = np.argsort(label, kind="stable")
    ends = np.searchsorted(label[order], np.flatnonzero(wanted), "right")
    starts = np.searchsorted(label[order], np.flatnonzero(wanted), "left")
    return [order[a:b] for a, b in zip(starts, ends)]


class IslandProblem(ImpulseProblem):
    """Some rows of a problem with numbers of their own for the bodies they are about."""

    def __init__(self, whole: ImpulseProblem, which: Int64Array) -> None:
        self._which = which  # rows of the whole problem
        self._joint = which[which < whole.n_joint]
        self.contact = (which[which >= whole.n_joint][::3] - whole.n_joint) // 3  # in the whole
        self.n_joint, self.n_contacts = len(self._joint), len(self.contact)
        old = whole.rows.body[which]
        self.body = np.unique(old[old >= 0])  # numbers in the whole problem
        number = np.full(len(whole.bodies.dynamic) + 1, -1, np.int32)
        number[self.body] = np.arange(len(self.body))
        self._own_body = number[old]
        kept: Any = (array[self.body] for array in whole.bodies)
        self.bodies = BodyArrays._make(kept)
        self._unit = whole.joint_unit[self._joint]
        self._rate = np.zeros(len(which))
        self.take(whole)

    def take(self, whole: ImpulseProblem) -> None:
        """The rows of the whole problem as they are now; their bodies are those of before."""
        which, joint, rows = self._which, self._joint, whole.rows
        self.rows = ConstraintRows(
            self._own_body, rows.J[which], rows.WJ[which], rows.diagonal[which],
            rows.coupling[which],
        )  # fmt: skip
        self.R = whole.R[self.body]
        self.lam, self.c, self.rho = whole.lam[which], whole.c[which], whole.rho[self.contact]
        self.softness, self.bound = whole.softness[joint], whole.bound[joint]
        self._mode = whole.joint_mode[joint]

    @property
    def joint_mode(self) -> Int8Array:
        """(n_joint,) BILATERAL, UNILATERAL, RELEASED or BOUNDED."""
        return self._mode

    @property
    def joint_unit(self) -> Array:
        """(n_joint,) [m] a length for angles, 1 for distances."""
        return self._unit

    def system(
        self, mu: Array, active: Int8Array, facets: int, release_dampers: bool = False
    ) -> ImpulseSystem:
        """What a solver must satisfy, with friction mu of the contacts; no dampers are released."""
        return ImpulseSystem(
            self.rows, self.n_joint, self.c, self._mode, self.bound, self.softness, self._unit, mu,
            self.rho, active, facets,
        )  # fmt: skip

    def give_back(self, whole: ImpulseProblem, own: Array, u: Array) -> None:
        """The impulses, and the velocities `own` of its bodies, to the whole problem and its u."""
        whole.lam[self._which] = self.lam
        moved = self.bodies.dynamic
        u[self.body[moved]] = own[moved]
