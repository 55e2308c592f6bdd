"""Rational arithmetic answers to the same questions, by a method the package does not use.

Two simplices meet where the linear programme  sum l_i a_i = sum m_j b_j, sum l = sum m = 1,
l, m >= 0  is feasible. It is solved with fractions by the simplex method under Bland's rule,
so nothing rounds and nothing cycles, and no case needs special treatment.
"""

from fractions import Fraction


def orientation(*points: tuple[float, ...]) -> int:
    """Sign of the determinant of the differences to the last point, 2D or 3D."""
    last = points[-1]
    rows = [[Fraction(x) - Fraction(y) for x, y in zip(p, last)] for p in points[:-1]]
    return _sign(_determinant(rows))


def _determinant(rows: list[list[Fraction]]) -> Fraction:
    if len(rows) == 1:
        return rows[0][0]
    total = Fraction(0)
    for k, first in enumerate(rows[0]):
        rest = [row[:k] + row[k + 1 :] for row in rows[1:]]
        total += (-1) ** k * first * _determinant(rest)
    return total


def _sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


def simplices_meet(a: list[tuple[float, ...]], b: list[tuple[float, ...]]) -> bool:
    """The convex hulls of the points a and of the points b have a common point."""
    return largest_weight(a, b, set()) is not None


def largest_weight(a, b, counted: set[int]) -> Fraction | None:
    """Largest sum of the weights l_i, i in counted, over the common points; None without any."""
    columns = [[Fraction(x) for x in p] + [Fraction(1), Fraction(0)] for p in a]
    columns += [[-Fraction(x) for x in p] + [Fraction(0), Fraction(1)] for p in b]
    right = [Fraction(0)] * 3 + [Fraction(1), Fraction(1)]
    gain = [Fraction(int(i in counted)) for i in range(len(columns))]
    return _maximum(columns, right, gain)


def _maximum(columns, right, gain) -> Fraction | None:
    """Max gain . x subject to sum x_j columns_j = right >= 0, x >= 0; None if infeasible."""
    m, n = len(right), len(columns)
    table = [[columns[j][i] for j in range(n)] + [Fraction(int(i == k)) for k in range(m)]
             + [right[i]] for i in range(m)]  # fmt: skip
    basis = list(range(n, n + m))
    artificial = [Fraction(0)] * n + [Fraction(-1)] * m
    if _improve(table, basis, artificial, n + m) != 0:
        return None
    for i in range(m):  # drive artificial variables out of the basis where possible
        if basis[i] >= n:
            for j in range(n):
                if table[i][j] != 0:
                    _pivot(table, basis, i, j)
                    break
    return _improve(table, basis, gain + [Fraction(0)] * m, n)


def _improve(table, basis, gain, n_allowed) -> Fraction:
    while True:
        for j in range(n_allowed):
            reduced = gain[j] - sum(gain[basis[i]] * row[j] for i, row in enumerate(table))
            if j not in basis and reduced > 0:
                break
        else:
            return sum((gain[basis[i]] * row[-1] for i, row in enumerate(table)), Fraction(0))
        ratios = [(row[-1] / row[j], basis[i], i) for i, row in enumerate(table) if row[j] > 0]
        _pivot(table, basis, min(ratios)[2], j)


def _pivot(table, basis, i, j) -> None:
    pivot = table[i][j]
    table[i] = [x / pivot for x in table[i]]
    for k, row in enumerate(table):
        if k != i and row[j] != 0:
            factor = row[j]
            table[k] = [x - factor * y for x, y in zip(row, table[i])]
    basis[i] = j
