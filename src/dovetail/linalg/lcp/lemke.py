"""Lemke's method: a path of complementary pivots that ends at a solution or on a ray."""

import numpy as np
from numpy.typing import NDArray

from dovetail.linalg.lcp.pivoting import GO_ON, RAY, lemke_pivots, lemke_start
from dovetail.linalg.lcp.problem import TOLERANCE, Problem
from dovetail.linalg.lcp.solution import Solution, answer, on_support

Array = NDArray[np.float64]
NAME = "lemke"
RAY_MESSAGE = (
    "Lemke's path ended on a ray: there is no solution if A is copositive-plus (as positive "
    "semidefinite matrices are); otherwise there may be one"
)


def lemke(
    problem: Problem, most_pivots: int | None = None, covering: Array | None = None
) -> Solution:
    """Follow Lemke's path from x = 0 with covering vector d > 0 (ones by default).

    y = A x + b + d x0 >= 0 starts with x0 large enough and ends where x0 leaves the basis. The
    tableau is computed afresh from A every few pivots, so that rounding does not pile up, and the
    basis found is solved for from A itself. Source: Cottle, Pang, Stone 1992, algorithm 4.4.5.
    """
    n, A, b = problem.size, problem.dense_A, problem.scaled_b
    if not n or np.all(b >= 0):
        return answer(problem, np.zeros(n), NAME, 0)
    d = np.ones(n) if covering is None else covering
    columns = np.hstack([np.eye(n), -A, -d[:, None], b[:, None]])
    table, basis = columns.copy(), np.arange(n)
    entering = lemke_start(table, basis)
    most = most_pivots if most_pivots is not None else 50 * n + 500
    status, made = GO_ON, 1
    while status == GO_ON and made < most:
        status, pivots, entering = lemke_pivots(table, basis, entering, min(n + 20, most - made))
        made += pivots
        if status == GO_ON:
            table = _recomputed(columns, basis, table)
    x = _point(problem, basis, table)
    if status == RAY:
        x = _without_artificial(problem, basis, x)
        return answer(problem, x, NAME, made, RAY_MESSAGE)
    if status == GO_ON:
        return answer(problem, x, NAME, made, f"Lemke's path did not end within {most} pivots")
    lost = f"rounding left Lemke's last basis with a residual of {problem.residual(x):.1e}"
    return answer(problem, x, NAME, made, lost)


def _recomputed(columns: Array, basis: NDArray[np.int64], table: Array) -> Array:
    """The tableau of `basis` from the problem's own columns; the old one where that fails."""
    try:
        fresh = np.linalg.solve(columns[:, basis], columns)
    except np.linalg.LinAlgError:
        return table
    fresh[:, basis] = np.eye(len(basis))
    return np.ascontiguousarray(fresh) if np.all(np.isfinite(fresh)) else table


def _point(problem: Problem, basis: NDArray[np.int64], table: Array) -> Array:
    """x of a basis, solved for from A; read from the tableau where that is singular or worse."""
    n = problem.size
    read = np.zeros(2 * n + 1)
    read[basis] = np.maximum(table[:, -1], 0.0)
    x = read[n : 2 * n]
    if 2 * n in basis:  # the artificial variable is still in
        return x
    support = [int(v) - n for v in np.sort(basis) if n <= v < 2 * n]
    solved = on_support(problem, support)
    residual = problem.residual(np.maximum(solved, 0.0))
    return solved if residual <= max(TOLERANCE * 1e-3, problem.residual(x)) else x


def _without_artificial(problem: Problem, basis: NDArray[np.int64], x: Array) -> Array:
    """The point nearest to x with y = 0 where the basis has x, if that is better than x.

    Where columns depend on each other, rounding can end the path on a ray with an artificial
    variable that is itself no more than rounding: without it x is a solution.
    """
    n = problem.size
    support = np.array([v - n for v in np.sort(basis) if n <= v < 2 * n], np.intp)
    A, y = problem.dense_A, problem.dense_A @ x + problem.scaled_b
    if not len(support) or not np.all(np.isfinite(A)):
        return x
    near = x.copy()
    near[support] -= np.linalg.lstsq(A[np.ix_(support, support)], y[support], rcond=None)[0]
    near = np.maximum(near, 0.0)
    return near if problem.residual(near) < problem.residual(x) else x
