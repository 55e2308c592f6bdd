"""Sparse systems of square blocks that are not symmetric, eliminated block by block."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TOLERANCE = 1e-9  # of the right side that may be left; above, all is solved at once with pivoting
Blocks = Mapping[tuple[int, int], Array]


def solve_block_sparse(blocks: Blocks, right: Array) -> Array:
    """x (n, k) with sum_j A_ij x_j = right_i, for `blocks` {(i, j): A_ij (k, k)} and right (n, k).

    Gaussian elimination by blocks; the one with the fewest neighbours goes first, which keeps the
    fill small. Pivots are chosen inside diagonal blocks only, so the residual is measured, and
    where it is too large the whole matrix is factorised with pivoting.
    """
    try:
        x = _eliminated(blocks, right)
        x = x + _eliminated(blocks, _residual(blocks, right, x))
        left = float(np.abs(_residual(blocks, right, x)).max(initial=0.0))
    except np.linalg.LinAlgError:
        left = np.inf
    if left <= TOLERANCE * float(np.abs(right).max(initial=0.0)):
        return x
    n, k = right.shape
    dense = np.zeros((n, k, n, k))
    for (i, j), block in blocks.items():
        dense[i, :, j] += block
    return np.asarray(np.linalg.solve(dense.reshape(n * k, n * k), right.ravel())).reshape(n, k)


def _residual(blocks: Blocks, right: Array, x: Array) -> Array:
    left = right.copy()
    for (i, j), block in blocks.items():
        left[i] -= block @ x[j]
    return left


def _eliminated(blocks: Blocks, right: Array) -> Array:
    n = len(right)
    rows: list[dict[int, Array]] = [{} for _ in range(n)]
    columns: list[set[int]] = [set() for _ in range(n)]
    for (i, j), block in blocks.items():
        rows[i][j] = block
        columns[j].add(i)
    b = right.copy()
    left, order = set(range(n)), []
    while left:
        k = min(left, key=lambda i: (len(rows[i]) * len(columns[i]), i))
        left.remove(k)
        order.append(k)
        inverse: Array = np.asarray(np.linalg.inv(rows[k][k]), dtype=np.float64)
        for i in columns[k] & left:
            factor = rows[i].pop(k) @ inverse
            b[i] -= factor @ b[k]
            for j, block in rows[k].items():
                if j in left:
                    change = factor @ block
                    rows[i][j] = rows[i][j] - change if j in rows[i] else -change
                    columns[j].add(i)
        for j in rows[k]:
            columns[j].discard(k)
        rows[k][k] = inverse
    x = np.zeros_like(b)
    for k in reversed(order):
        for j, block in rows[k].items():
            if j != k:
                b[k] -= block @ x[j]
        x[k] = rows[k][k] @ b[k]
    return x
