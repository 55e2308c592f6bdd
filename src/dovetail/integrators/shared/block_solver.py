"""Solving for wrenches that depend on the velocities they cause, body blocks at a time."""

import numpy as np

from dovetail.contact.penalty.derivative_blocks import WORK_VECTORS, solve_blocks
from dovetail.contact.penalty.records import DerivativeBlocks
from dovetail.model.values import Array

TOLERANCE = 1e-4  # of the right side; Newton's method around it does the rest


class BlockSolver:
    """(I - S V) dw = r for n bodies: by iteration, and where that fails by elimination."""

    def __init__(self, n: int) -> None:
        self._lu, self._pivot = np.empty((n, 6, 6)), np.empty((n, 6), np.int32)
        self._work = np.empty((WORK_VECTORS, 6 * n))

    def solve(self, derivatives: DerivativeBlocks, responses: Array, right: Array) -> Array:
        """dw (2, n, 3) for r (2, n, 3) [N], [N m] and V (n, 6, 6), the responses to wrenches."""
        by_body = np.ascontiguousarray(right.transpose(1, 0, 2)).reshape(-1)
        solution = np.empty(len(by_body))
        iterations = solve_blocks(
            derivatives, responses, by_body, TOLERANCE, self._lu, self._pivot, self._work, solution
        )
        if iterations < 0:
            solution = solve_directly(derivatives, responses, by_body)
        return np.ascontiguousarray(solution.reshape(-1, 2, 3).transpose(1, 0, 2))


def solve_directly(derivatives: DerivativeBlocks, responses: Array, right: Array) -> Array:
    """The solution by a sparse LU factorisation, body after body in `right` (6n,)."""
    from scipy.sparse import bsr_matrix, identity
    from scipy.sparse.linalg import splu

    n = len(derivatives.own)
    a, b = derivatives.bodies.T
    rows = np.concatenate([np.arange(n), a, b])
    columns = np.concatenate([np.arange(n), b, a])
    across = derivatives.across
    blocks = np.concatenate([derivatives.own, across[:, 0], across[:, 1]])
    blocks = np.matmul(blocks, responses[columns])
    order = np.lexsort((columns, rows))
    begins = np.searchsorted(rows[order], np.arange(n + 1))
    S = bsr_matrix((blocks[order], columns[order], begins), shape=(6 * n, 6 * n))
    solution: Array = splu((identity(6 * n) - S).tocsc()).solve(right)
    return solution
