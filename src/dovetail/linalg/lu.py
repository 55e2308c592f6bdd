"""LU with partial pivoting: of one matrix, and of small ones kept in one array.

The second pair multiplies by reciprocal pivots where the first divides: their results differ in the
last bit, and no caller of one can use the other without changing its own.
"""

import math

import numpy as np

from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm


@jit_in_place
def lu_factor(A, n, swaps):
    """The leading n x n block of A becomes its factors, by partial pivoting; False if singular."""
    for k in range(n):
        best, most = k, abs(A[k, k])
        for i in range(k + 1, n):
            if abs(A[i, k]) > most:
                best, most = i, abs(A[i, k])
        if not most > 0.0:
            return False
        swaps[k] = best
        if best != k:
            for j in range(n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k] = f
            if f != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
    return True


@jit_in_place
def lu_solve(A, n, swaps, x):
    """The first n entries of x become the solution."""
    for k in range(n):
        other = swaps[k]
        if other != k:
            x[k], x[other] = x[other], x[k]
    for k in range(n):
        for j in range(k):
            x[k] -= A[k, j] * x[j]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= A[k, j] * x[j]
        x[k] /= A[k, k]


@jit_in_place
def lu_factor_at(A, i, n, pivot):
    """Factor the leading n x n of A[i] in place, swaps into `pivot[i]`; False if singular."""
    for k in range(n):
        best, size = k, abs(A[i, k, k])
        for r in range(k + 1, n):
            if abs(A[i, r, k]) > size:
                best, size = r, abs(A[i, r, k])
        pivot[i, k] = best
        if not (size > 0.0 and math.isfinite(size)):
            return False
        if best != k:
            for c in range(n):
                A[i, k, c], A[i, best, c] = A[i, best, c], A[i, k, c]
        inverse = 1.0 / A[i, k, k]
        for r in range(k + 1, n):
            f = A[i, r, k] * inverse
            A[i, r, k] = f
            if f != 0.0:
                for c in range(k + 1, n):
                    A[i, r, c] -= f * A[i, k, c]
    return True


@jit_in_place
def lu_solve_at(A, i, n, pivot, b):
    """Overwrite the first n entries of b with A[i]^-1 b."""
    for k in range(n):
        p = pivot[i, k]
        if p != k:
            b[k], b[p] = b[p], b[k]
    for k in range(n):
        for r in range(k + 1, n):
            b[r] -= A[i, r, k] * b[k]
    for k in range(n - 1, -1, -1):
        s = b[k]
        for c in range(k + 1, n):
            s -= A[i, k, c] * b[c]
        b[k] = s / A[i, k, k]


@jit_in_place
def lu_solve_six_at(A, i, n, pivot, B):
    """As `lu_solve_at` for the six columns of B (n, 6) at once, each as if alone."""
    for k in range(n):
        p = pivot[i, k]
        if p != k:
            for c in range(6):
                B[k, c], B[p, c] = B[p, c], B[k, c]
    for k in range(n):
        b0, b1, b2, b3, b4, b5 = B[k, 0], B[k, 1], B[k, 2], B[k, 3], B[k, 4], B[k, 5]
        for r in range(k + 1, n):
            f = A[i, r, k]
            c0, c1, c2 = B[r, 0] - f * b0, B[r, 1] - f * b1, B[r, 2] - f * b2
            c3, c4, c5 = B[r, 3] - f * b3, B[r, 4] - f * b4, B[r, 5] - f * b5
            B[r, 0], B[r, 1], B[r, 2], B[r, 3], B[r, 4], B[r, 5] = c0, c1, c2, c3, c4, c5
    for k in range(n - 1, -1, -1):
        b0, b1, b2, b3, b4, b5 = B[k, 0], B[k, 1], B[k, 2], B[k, 3], B[k, 4], B[k, 5]
        for c in range(k + 1, n):
            f = A[i, k, c]
            b0, b1, b2 = b0 - f * B[c, 0], b1 - f * B[c, 1], b2 - f * B[c, 2]
            b3, b4, b5 = b3 - f * B[c, 3], b4 - f * B[c, 4], b5 - f * B[c, 5]
        f = A[i, k, k]
        B[k, 0], B[k, 1], B[k, 2] = b0 / f, b1 / f, b2 / f
        B[k, 3], B[k, 4], B[k, 5] = b3 / f, b4 / f, b5 / f


_SQUARE, _SWAPS = np.empty((0, 0)), np.empty(0, dtype=np.int64)
warm(lu_factor, _SQUARE, 0, _SWAPS)
warm(lu_solve, _SQUARE, 0, _SWAPS, np.empty(0))
