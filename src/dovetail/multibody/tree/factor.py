"""Factors of a tree's mass matrix, M = L^T L, with the zeros that branches give it."""

import math

import numpy as np

from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm


@jit_in_place
def factor(above, M):
    """M becomes L in its lower triangle; above[k] is the next coordinate towards the ground.

    Featherstone 2008, table 6.3: no entry between branches ever fills in. Returns -1, or the
    first coordinate that has no inertia.
    """
    for k in range(above.size - 1, -1, -1):
        if not M[k, k] > 0.0:
            return k
        root = math.sqrt(M[k, k])
        M[k, k] = root
        i = above[k]
        while i >= 0:
            M[k, i] /= root
            i = above[i]
        i = above[k]
        while i >= 0:
            j = i
            while j >= 0:
                M[i, j] -= M[k, i] * M[k, j]
                j = above[j]
            i = above[i]
    return -1


@jit_in_place
def solve_upper(above, L, X, row):
    """X[row] becomes L^-T X[row]."""
    for k in range(above.size - 1, -1, -1):
        x = X[row, k] / L[k, k]
        X[row, k] = x
        if x != 0.0:
            i = above[k]
            while i >= 0:
                X[row, i] -= L[k, i] * x
                i = above[i]


@jit_in_place
def solve_lower(above, L, X, row):
    """X[row] becomes L^-1 X[row]."""
    for k in range(above.size):
        x = X[row, k]
        i = above[k]
        while i >= 0:
            x -= L[k, i] * X[row, i]
            i = above[i]
        X[row, k] = x / L[k, k]


_ABOVE, _SQUARE = np.empty(0, dtype=np.int64), np.empty((0, 0))
warm(factor, _ABOVE, _SQUARE)
warm(solve_upper, _ABOVE, _SQUARE, _SQUARE, 0)
warm(solve_lower, _ABOVE, _SQUARE, _SQUARE, 0)
