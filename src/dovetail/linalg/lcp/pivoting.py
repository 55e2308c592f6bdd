"""Lemke's complementary pivoting with the lexicographic ratio test, on a dense tableau.

Source: Cottle, Pang, Stone, "The Linear Complementarity Problem" (1992), algorithm 4.4.5 and
section 4.9: the lexicographic rule visits no basis twice, so degenerate problems end too.
"""

import numpy as np

from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

SOLVED, RAY, GO_ON = 0, 1, 2
SMALLEST_PIVOT = 1e-11  # of the largest entry of the entering column
TIE = 1e-13  # ratios closer than this, relative to their size, count as equal


@jit
def _leaves_before(table, i, j, column, rhs):
    """Whether row i comes before row j in the order of (rhs, first n columns) / column."""
    n = table.shape[0]
    for k in range(-1, n):
        at = rhs if k < 0 else k
        a = table[i, at] / table[i, column]
        b = table[j, at] / table[j, column]
        if abs(a - b) > TIE * max(abs(a), abs(b)):
            return a < b
    return i < j


@jit
def _leaving_row(table, basis, column):
    """The row the lexicographic ratio test picks, or -1 where the column has no positive entry.

    The artificial variable (number 2 n) leaves as soon as it may: that is a solution.
    """
    n = table.shape[0]
    rhs = 2 * n + 1
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(table[i, column]))
    best = -1
    artificial = -1
    for i in range(n):
        if table[i, column] > SMALLEST_PIVOT * largest:
            if basis[i] == 2 * n:
                artificial = i
            if best < 0 or _leaves_before(table, i, best, column, rhs):
                best = i
    if artificial >= 0 and best != artificial:
        a = table[artificial, rhs] / table[artificial, column]
        b = table[best, rhs] / table[best, column]
        if a - b <= TIE * max(abs(a), abs(b)):
            return artificial
    return best


@jit
def _pivot(table, row, column):
    """Gauss-Jordan step that makes `column` the unit vector of `row`."""
    width = table.shape[1]
    inverse = 1.0 / table[row, column]
    for k in range(width):
        table[row, k] *= inverse
    table[row, column] = 1.0
    for i in range(table.shape[0]):
        factor = table[i, column]
        if i != row and factor != 0.0:
            for k in range(width):
                table[i, k] -= factor * table[row, k]
            table[i, column] = 0.0


@jit
def lemke_start(table, basis):
    """Bring the artificial variable in for the row lexicographically smallest in (b, I) / d.

    table (n, 2 n + 2) holds y - A x - d x0 = b as columns y, x, x0, b. Returns the variable that
    enters next, the complement of the one that left.
    """
    n = table.shape[0]
    column, rhs = 2 * n, 2 * n + 1
    best = 0
    for i in range(1, n):
        a = table[i, rhs] / -table[i, column]
        b = table[best, rhs] / -table[best, column]
        if a <= b:  # equal: e_i / d_i comes before e_best / d_best, having its 1 further right
            best = i
    left = basis[best]
    _pivot(table, best, column)
    basis[best] = 2 * n
    return left + n if left < n else left - n


@jit
def lemke_pivots(table, basis, entering, most):
    """Follow Lemke's path for at most `most` pivots.

    Returns (SOLVED, RAY or GO_ON, pivots made, variable to enter next).
    """
    n = table.shape[0]
    for made in range(most):
        row = _leaving_row(table, basis, entering)
        if row < 0:
            return RAY, made, entering
        left = basis[row]
        _pivot(table, row, entering)
        basis[row] = entering
        if left == 2 * n:
            return SOLVED, made + 1, entering
        entering = left + n if left < n else left - n
    return GO_ON, most, entering


_table, _basis = np.empty((0, 2)), np.empty(0, np.int64)
warm(lemke_start, _table, _basis)
warm(lemke_pivots, _table, _basis, 0, 0)
