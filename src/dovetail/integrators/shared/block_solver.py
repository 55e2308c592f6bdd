"""Solving for wrenches that depend on the velocities they cause, body blocks at a time."""

import numpy as np

from dovetail.contact.penalty.derivative_blocks import WORK_VECTORS, SlopeBlocks, solve_blocks
from dovetail.model.values import Array

TOLERANCE = 1e-4  # of the right side; Newton's method around it does the rest


class BlockSolver:
    """(I - S V) dw = r for n bodies: by iteration, and where that fails by elimination."""

    def __init__(self, n: int) -> None:
        self._lu, self._pivot = np.empty((n, 6, 6)), np.empty((n, 6), np.int32)
        self._work = np.empty((WORK_VECTORS, 6 * n))

    def solve(self, slopes: SlopeBlocks, answers: Array, right: Array) -> Array:
        """dw (2, n, 3) for r (2, n, 3) [N], [N m] and answers V (n, 6, 6), velocity by wrench."""
        by_body = np.ascontiguousarray(right.transpose(1, 0, 2)).reshape(-1)
        solution = np.empty(len(by_body))
        iterations = solve_blocks(
            slopes, answers, by_body, TOLERANCE, self._lu, self._pivot, self._work, solution
        )
        if iterations < 0:
            solution = eliminated(slopes, answers, by_body)
        return np.ascontiguousarray(solution.reshape(-1, 2, 3).transpose(1, 0, 2))


def eliminated(slopes: SlopeBlocks, answers: Array, right: Array) -> Array:
    """The solution by a sparse LU factorisation, body after body in `right` (6n,)."""
    from scipy.sparse import bsr_matrix, identity
    from scipy.sparse.linalg import splu

    n = len(slopes.own)
    a, b = slopes.bodies.T
    rows = np.concatenate([np.arange(n), a, b])
    columns = np.concatenate([np.arange(n), b, a])
    blocks = np.concatenate([slopes.own, slopes.across[:, 0], slopes.across[:, 1]])
    blocks = np.matmul(blocks, answers[columns])
    order = np.lexsort((columns, rows))
    begins = np.searchsorted(rows[order], np.arange(n + 1))
    S = bsr_matrix((blocks[order], columns[order], begins), shape=(6 * n, 6 * n))
    solution: Array = splu((identity(6 * n) - S).tocsc()).solve(right)
    return solution
