"""Small dense linear programs, by the simplex method."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TOLERANCE = 1e-9  # of entries of order one: pivots and reduced costs below count as zero
INFEASIBLE = 1e-7  # how far the constraints must miss each other to be called so
DEGENERATE = 50  # pivots without progress, after which Bland's rule keeps from cycling


@dataclass(frozen=True)
class Optimum:
    """x is where a solved program ended; empty else."""

    status: Literal["solved", "infeasible", "unbounded"]
    x: Array


def minimise(c: Array, G: Array, h: Array, nonnegative: bool) -> Optimum:
    """Least c.x with G x <= h, and x >= 0 where `nonnegative`, else x of any sign.

    The two phases of the simplex method on a tableau (Bertsimas and Tsitsiklis, Introduction to
    linear optimization (1997), sections 3.3 and 3.5): first the least sum of artificial unknowns
    that make up for negative right sides, then the least cost.
    """
    m, n = G.shape
    columns = G if nonnegative else np.hstack([G, -G])
    costs = c if nonnegative else np.concatenate([c, -c])
    sign = np.where(h < 0, -1.0, 1.0)
    missing = np.flatnonzero(h < 0)
    artificial = np.zeros((m, len(missing)))
    artificial[missing, np.arange(len(missing))] = 1.0
    table = np.hstack([sign[:, None] * columns, np.diag(sign), artificial, (sign * h)[:, None]])
    n_real = columns.shape[1] + m
    basis = columns.shape[1] + np.arange(m)
    basis[missing] = n_real + np.arange(len(missing))
    if len(missing):
        phase_one = np.concatenate([np.zeros(n_real), np.ones(len(missing))])
        _descend(table, basis, phase_one, table.shape[1] - 1)
        left = float(np.sum(table[basis >= n_real, -1]))
        if left > INFEASIBLE * max(1.0, float(np.max(np.abs(h)))):
            return Optimum("infeasible", np.zeros(0))
        for row in np.flatnonzero(basis >= n_real):  # at zero: out, where a column can replace it
            k = int(np.argmax(np.abs(table[row, :n_real])))
            if abs(table[row, k]) > TOLERANCE:
                _pivot(table, basis, int(row), k)
    all_costs = np.concatenate([costs, np.zeros(m + len(missing))])
    if not _descend(table, basis, all_costs, n_real):
        return Optimum("unbounded", np.zeros(0))
    values = np.zeros(table.shape[1] - 1)
    values[basis] = table[:, -1]
    return Optimum("solved", values[:n] if nonnegative else values[:n] - values[n : 2 * n])


def _descend(table: Array, basis: NDArray[np.int64], costs: Array, n_columns: int) -> bool:
    """Pivot until no column of the first `n_columns` lowers the cost; False if unbounded."""
    stuck = 0
    while True:
        reduced = costs[:n_columns] - costs[basis] @ table[:, :n_columns]
        falling = np.flatnonzero(reduced < -TOLERANCE)
        if not len(falling):
            return True
        by_blands_rule = stuck >= DEGENERATE
        column = int(falling[0] if by_blands_rule else falling[np.argmin(reduced[falling])])
        rows = np.flatnonzero(table[:, column] > TOLERANCE)
        if not len(rows):
            return False
        ratios = table[rows, -1] / table[rows, column]
        least = rows[ratios <= ratios.min() + TOLERANCE * max(1.0, abs(ratios.min()))]
        row = least[np.argmin(basis[least]) if by_blands_rule else np.argmax(table[least, column])]
        stuck = stuck + 1 if ratios.min() <= TOLERANCE else 0
        _pivot(table, basis, int(row), column)


def _pivot(table: Array, basis: NDArray[np.int64], row: int, column: int) -> None:
    table[row] /= table[row, column]
    others = np.arange(len(table)) != row
    table[others] -= np.outer(table[others, column], table[row])
    table[:, -1] = np.where(np.abs(table[:, -1]) < 1e-14, 0.0, table[:, -1])
    basis[row] = column
