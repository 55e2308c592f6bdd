"""Newton's method on the impulse problem, its matrix one 6x6 block row per body."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.contact.impulse.newton import newton, newton_room
from dovetail.linalg.block_cholesky.factor import prepare, room_for_factor, with_more_blocks
from dovetail.linalg.block_cholesky.workspace import N_BODIES
from dovetail.model.values import Array
from dovetail.multibody.body_arrays import BodyArrays

if TYPE_CHECKING:
    from dovetail.contact.impulse.problem import ImpulseProblem

MOST_STEPS = 120


class BodyNewton:
    """Scratch and the order of elimination, which depends on nothing but the pairs that touch."""

    def __init__(self, bodies: BodyArrays) -> None:
        self._bodies = bodies
        self._moves = np.append(bodies.dynamic, False)
        self._factor = room_for_factor(0, 0)
        self._room = newton_room(0, 0, 0, 0)
        self._last: Any = None

    def solve(
        self, problem: "ImpulseProblem", R: Array, u: Array, mode: Any, soft: Array, unit: Array,
        mu: Array, on: Any, heavy: float, tolerance: float,
    ) -> tuple[int, float, int]:  # fmt: skip
        """Improve the problem's `lam` and u (n, 6); factorisations, residual [m/s] and its row."""
        p, n = problem, len(u)
        pairs, pair, turned = self._pairs(problem, n)
        self._order(n, pairs)
        self._make_room(n, p.rows, len(pair), len(pairs))
        steps, residual, row = newton(
            self._bodies, R, p.body, p.J, p.WJ, p.diagonal, p.c, p.n_joint, mode, soft, unit, mu,
            p.rho, on, p.facets, p.lam, u, self._room, self._factor, pair, turned, len(pairs),
            heavy, tolerance, MOST_STEPS,
        )  # fmt: skip
        return int(steps), float(residual), int(row)

    def _order(self, n: int, pairs: Any) -> None:
        """Prepare the factor anew if other bodies touch than last time."""
        if np.array_equal(pairs, self._last):
            return
        if self._last is None or len(pairs) > len(self._factor.slot):
            self._factor = room_for_factor(n, 2 * len(pairs))
        self._factor.count[N_BODIES] = -1
        while not prepare(self._factor, n, pairs, len(pairs)):
            self._factor = with_more_blocks(self._factor)
        self._last = pairs

    def _pairs(self, problem: "ImpulseProblem", n: int) -> tuple[Any, Any, Any]:
        """Pairs (m, 2) of bodies that act on each other; which one, and which way, each row has."""
        joint, contacts = problem.n_joint, problem.n_contacts
        first = np.concatenate([np.arange(joint), joint + 3 * np.arange(contacts)])
        body = problem.body[first].astype(np.int64)
        both = self._moves[body].all(axis=1)
        keys = body.min(axis=1) * n + body.max(axis=1)
        known, which = np.unique(keys[both], return_inverse=True)
        pair = np.full(len(first), -1)
        pair[both] = which
        pairs = np.column_stack([known // n, known % n]).astype(np.int32)
        return pairs, pair, body[:, 0] > body[:, 1]

    def _make_room(self, bodies: int, rows: int, stiff: int, pairs: int) -> None:
        room = self._room
        if rows > len(room.y) or stiff > len(room.slope) or pairs > len(room.block):
            self._room = newton_room(bodies, 2 * rows, 2 * stiff, 2 * pairs)
