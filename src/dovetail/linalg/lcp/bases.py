"""All complementary bases of a small LCP, all principal minors and copositivity of its matrix.

A set S of indices is a number whose bit i says that i is in S. For each set the principal
submatrix A_SS is eliminated with complete pivoting; entries of A are expected of order one.
"""

import numpy as np

from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

SINGULAR = 1e-13  # pivots below this times n count as zero, entries being of order one
NEGATIVE = 1e-11  # how far below zero rounding may leave a value, relative to its terms


@jit
def _members(subset, n, members):
    count = 0
    for i in range(n):
        if (subset >> i) & 1:
            members[count] = i
            count += 1
    return count


@jit
def _eliminate(work, rhs, sizes, m, columns):
    """Gauss with complete pivoting on work[:m, :m] and rhs; returns (rank, sign of the minor).

    The solution is then in the order `columns`; `sizes` become the sizes of the terms of rhs.
    """
    for i in range(m):
        columns[i] = i
        sizes[i] = abs(rhs[i])
    sign = 1
    for step in range(m):
        row, column, largest = step, step, 0.0
        for i in range(step, m):
            for j in range(step, m):
                if abs(work[i, j]) > largest:
                    row, column, largest = i, j, abs(work[i, j])
        if largest <= SINGULAR * m:
            return step, 0
        if row != step:
            sign = -sign
            for j in range(m):
                work[step, j], work[row, j] = work[row, j], work[step, j]
            rhs[step], rhs[row] = rhs[row], rhs[step]
            sizes[step], sizes[row] = sizes[row], sizes[step]
        if column != step:
            sign = -sign
            for i in range(m):
                work[i, step], work[i, column] = work[i, column], work[i, step]
            columns[step], columns[column] = columns[column], columns[step]
        pivot = work[step, step]
        if pivot < 0.0:
            sign = -sign
        for i in range(step + 1, m):
            factor = work[i, step] / pivot
            if factor != 0.0:
                for j in range(step, m):
                    work[i, j] -= factor * work[step, j]
                rhs[i] -= factor * rhs[step]
                sizes[i] += abs(factor) * sizes[step]
    return m, sign


@jit
def _back_substitute(work, rhs, sizes, m, columns, members, x):
    """Solve the eliminated system for x[members[...]]; `sizes` become those of its terms."""
    for i in range(m - 1, -1, -1):
        value, size = rhs[i], sizes[i]
        for j in range(i + 1, m):
            value -= work[i, j] * x[members[columns[j]]]
            size += abs(work[i, j]) * sizes[j]
        x[members[columns[i]]] = value / work[i, i]
        sizes[i] = size / abs(work[i, i])


@jit
def _all_beyond_rounding(x, sizes, m, columns, members, sign):
    """Whether sign x > 0 on the set: a solution with a zero there belongs to a smaller set."""
    for k in range(m):
        if sign * x[members[columns[k]]] <= NEGATIVE * sizes[k]:
            return False
    return True


@jit
def _feasible(A, b, x, subset, members, m):
    """Whether y = A x + b >= 0 off the set, up to rounding."""
    for i in range(b.shape[0]):
        if not (subset >> i) & 1:
            y, size = b[i], abs(b[i])
            for k in range(m):
                term = A[i, members[k]] * x[members[k]]
                y += term
                size += abs(term)
            if y < -NEGATIVE * size:
                return False
    return True


@jit
def complementary_bases(A, b, first, last, solved, singular):
    """The sets in [first, last) that carry a solution, or are singular and may carry many.

    Returns (sets in `solved`, sets in `singular`, has a minor <= 0, has a minor = 0). The counts
    may exceed what fits into the two arrays.
    """
    n = b.shape[0]
    work, rhs, sizes, x = np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n)
    members, columns = np.empty(n, np.int64), np.empty(n, np.int64)
    n_solved, n_singular = 0, 0
    not_p, degenerate = False, False
    for subset in range(first, last):
        m = _members(subset, n, members)
        for i in range(m):
            rhs[i] = -b[members[i]]
            for j in range(m):
                work[i, j] = A[members[i], members[j]]
        rank, sign = _eliminate(work, rhs, sizes, m, columns)
        if sign <= 0:
            not_p = True
        if rank < m:
            degenerate = True
            consistent = True
            for i in range(rank, m):
                if abs(rhs[i]) > NEGATIVE * sizes[i]:
                    consistent = False
            if consistent:
                if n_singular < singular.shape[0]:
                    singular[n_singular] = subset
                n_singular += 1
            continue
        _back_substitute(work, rhs, sizes, m, columns, members, x)
        if not _all_beyond_rounding(x, sizes, m, columns, members, 1.0):
            continue
        if _feasible(A, b, x, subset, members, m):
            if n_solved < solved.shape[0]:
                solved[n_solved] = subset
            n_solved += 1
    return n_solved, n_singular, not_p, degenerate


@jit
def negative_direction(S, x):
    """Whether some x >= 0 has x.S x < 0, for symmetric S; `x` receives it.

    The least value on the simplex, if negative, is taken where S_TT u = 1 has a solution u < 0
    on some set T, at x = u / sum(u): the minimiser with the smallest support.
    """
    n = x.shape[0]
    work, rhs, sizes = np.empty((n, n)), np.empty(n), np.empty(n)
    members, columns = np.empty(n, np.int64), np.empty(n, np.int64)
    for subset in range(1, 1 << n):
        m = _members(subset, n, members)
        for i in range(m):
            rhs[i] = 1.0
            for j in range(m):
                work[i, j] = S[members[i], members[j]]
        rank, _ = _eliminate(work, rhs, sizes, m, columns)
        if rank < m:
            continue
        _back_substitute(work, rhs, sizes, m, columns, members, x)
        total = 0.0
        for k in range(m):
            total += x[members[k]]
        below = _all_beyond_rounding(x, sizes, m, columns, members, -1.0)
        if below and total > -1.0 / NEGATIVE:
            for i in range(n):
                x[i] = x[i] / total if (subset >> i) & 1 else 0.0
            return True
    return False


_matrix, _vector = read_only(np.empty((0, 0))), read_only(np.empty(0))
_sets = np.empty(0, np.int64)
warm(complementary_bases, _matrix, _vector, 0, 0, _sets, _sets)
warm(negative_direction, _matrix, np.empty(0))
