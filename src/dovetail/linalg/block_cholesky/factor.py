"""Sparse Cholesky of symmetric positive matrices of 6x6 blocks, one row of blocks per body.

    A = U^T U,   U_kk^T U_kk = A_kk,   U_kj = U_kk^-T A_kj,   A_ij -= U_ki^T U_kj  (i, j after k)
in an order of the bodies with little fill (`block_cholesky.ordering`). Blocks are updated as sums
over the rows s of U_ki[s, :]^T U_kj[s, :], which the compiler turns into vector instructions.

From Python or a kernel:
    factor = factor_workspace(n, m)
    while not prepare(factor, n, pair, m):         # the order is kept between calls
        factor = with_more_blocks(factor)
    failed = factorise(factor, diagonal, block, m, shift, least)   # -1, or the body that failed
    solve(factor, b)                               # b (n, 6) becomes A^-1 b
Small and full matrices are treated alike: only whole blocks are looked up, never numbers.
"""

import math

import numpy as np

from dovetail.linalg.block_cholesky.pattern import prepare
from dovetail.linalg.block_cholesky.workspace import (
    N_BODIES,
    BlockFactor,
    factor_workspace,
    with_more_blocks,
)
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm

__all__ = ["BlockFactor", "factor_workspace", "factorise", "prepare", "solve", "with_more_blocks"]


@jit_in_place
def factorise(factor, diagonal, block, m, shift, least):
    """U of A + shift |diag A|; -1, or the body at which A is not positive (or not finite).

    `diagonal` (n, 6, 6) holds A_ii, `block` (m, 6, 6) A_ij for the m pairs (i, j) last given to
    `prepare`. A pivot counts as positive above `least` times its entry of |diag A|: 0 takes what
    rounding leaves over, 1e-14 refuses to divide by it. A direction held fixed is a row and
    column of zeros with a one on the diagonal.
    """
    U, D, order = factor.block, factor.diagonal, factor.order
    first, column = factor.first, factor.column
    n = factor.count[N_BODIES]
    _load(factor.slot, factor.flipped, order, first, n, m, diagonal, block, shift, U, D)
    for k in range(n):
        if not _factor_diagonal(D, k, diagonal, order[k], least):
            return order[k]
        start, end = first[k], first[k + 1]
        for at in range(start, end):
            _divide(D, k, U, at)
        for at in range(start, end):
            i = column[at]
            _subtract_square(D, i, U, at)
            slot = first[i]
            for other in range(at + 1, end):
                j = column[other]
                while column[slot] != j:
                    slot += 1
                _subtract_product(U, slot, at, other)
    return -1


@jit_in_place
def solve(factor, b):
    """b (n, 6), by body, becomes A^-1 b."""
    U, D, order = factor.block, factor.diagonal, factor.order
    first, column = factor.first, factor.column
    n = factor.count[N_BODIES]
    for k in range(n):
        body = order[k]
        for c in range(6):
            s = b[body, c]
            for r in range(c):
                s -= D[k, r, c] * b[body, r]
            b[body, c] = s / D[k, c, c]
        for at in range(first[k], first[k + 1]):
            other = order[column[at]]
            for c in range(6):
                s = b[other, c]
                for r in range(6):
                    s -= U[at, r, c] * b[body, r]
                b[other, c] = s
    for k in range(n - 1, -1, -1):
        body = order[k]
        for at in range(first[k], first[k + 1]):
            other = order[column[at]]
            for r in range(6):
                s = b[body, r]
                for c in range(6):
                    s -= U[at, r, c] * b[other, c]
                b[body, r] = s
        for r in range(5, -1, -1):
            s = b[body, r]
            for c in range(r + 1, 6):
                s -= D[k, r, c] * b[body, c]
            b[body, r] = s / D[k, r, r]


@jit_in_place
def _load(slot, flipped, order, first, n, m, diagonal, block, shift, U, D):
    """U = A + shift |diag A|."""
    for at in range(first[n]):
        for r in range(6):
            for c in range(6):
                U[at, r, c] = 0.0
    for k in range(m):
        at = slot[k]
        if flipped[k]:
            for r in range(6):
                for c in range(6):
                    U[at, r, c] += block[k, c, r]
        else:
            for r in range(6):
                for c in range(6):
                    U[at, r, c] += block[k, r, c]
    for k in range(n):
        body = order[k]
        for r in range(6):
            for c in range(6):
                D[k, r, c] = diagonal[body, r, c]
            D[k, r, r] += shift * abs(diagonal[body, r, r])


@jit_in_place
def _factor_diagonal(D, k, diagonal, body, least):
    """D_k becomes its upper factor; False where a pivot is not positive."""
    for s in range(6):
        pivot = D[k, s, s]
        if not least * abs(diagonal[body, s, s]) < pivot < math.inf:
            return False
        root = math.sqrt(pivot)
        D[k, s, s] = root
        for c in range(s + 1, 6):
            D[k, s, c] /= root
        for r in range(s + 1, 6):
            f = D[k, s, r]
            for c in range(r, 6):
                D[k, r, c] -= f * D[k, s, c]
    return True


@jit_in_place
def _divide(D, k, U, at):
    """U_at becomes D_k^-T U_at."""
    for s in range(6):
        for t in range(s):
            f = D[k, t, s]
            for c in range(6):
                U[at, s, c] -= f * U[at, t, c]
        f = 1.0 / D[k, s, s]
        for c in range(6):
            U[at, s, c] *= f


@jit_in_place
def _subtract_square(D, i, U, at):
    """D_i -= U_at^T U_at."""
    for r in range(6):
        c0, c1, c2, c3, c4, c5 = (
            D[i, r, 0], D[i, r, 1], D[i, r, 2], D[i, r, 3], D[i, r, 4], D[i, r, 5],
        )  # fmt: skip
        for s in range(6):
            f = U[at, s, r]
            c0 -= f * U[at, s, 0]
            c1 -= f * U[at, s, 1]
            c2 -= f * U[at, s, 2]
            c3 -= f * U[at, s, 3]
            c4 -= f * U[at, s, 4]
            c5 -= f * U[at, s, 5]
        D[i, r, 0], D[i, r, 1], D[i, r, 2] = c0, c1, c2
        D[i, r, 3], D[i, r, 4], D[i, r, 5] = c3, c4, c5


@jit_in_place
def _subtract_product(U, target, a, b):
    """U_target -= U_a^T U_b."""
    for r in range(6):
        c0, c1, c2, c3, c4, c5 = (
            U[target, r, 0], U[target, r, 1], U[target, r, 2],
            U[target, r, 3], U[target, r, 4], U[target, r, 5],
        )  # fmt: skip
        for s in range(6):
            f = U[a, s, r]
            c0 -= f * U[b, s, 0]
            c1 -= f * U[b, s, 1]
            c2 -= f * U[b, s, 2]
            c3 -= f * U[b, s, 3]
            c4 -= f * U[b, s, 4]
            c5 -= f * U[b, s, 5]
        U[target, r, 0], U[target, r, 1], U[target, r, 2] = c0, c1, c2
        U[target, r, 3], U[target, r, 4], U[target, r, 5] = c3, c4, c5


_blocks = np.empty((0, 6, 6))
warm(prepare, factor_workspace(0, 0), 0, np.empty((0, 2), np.int32), 0)
warm(factorise, factor_workspace(0, 0), _blocks, _blocks, 0, 0.0, 0.0)
warm(solve, factor_workspace(0, 0), np.empty((0, 6)))
