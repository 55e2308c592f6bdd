"""Solving for wrenches that depend on the velocities they cause, body blocks at a time."""

import numpy as np

from dovetail.contact.penalty.derivative_blocks import WORK_VECTORS, solve_blocks
from dovetail.contact.penalty.records import DerivativeBlocks
from dovetail.linalg.block_elimination import solve_block_sparse
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
    """The solution by elimination of blocks, body after body in `right` (6n,)."""
    n = len(derivatives.own)
    blocks = {(i, i): np.eye(6) - derivatives.own[i] @ responses[i] for i in range(n)}
    for (a, b), across in zip(derivatives.bodies.tolist(), derivatives.across):
        for i, j, block in ((a, b, across[0]), (b, a, across[1])):
            blocks[i, j] = blocks.get((i, j), 0.0) - block @ responses[j]
    return solve_block_sparse(blocks, right.reshape(n, 6)).ravel()
