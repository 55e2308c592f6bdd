"""LU with partial pivoting of small matrices kept in one array, one entry each."""

import math

from dovetail.runtime.jit import jit


@jit
def lu_factor(A, i, n, pivot):
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


@jit
def lu_solve(A, i, n, pivot, b):
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
