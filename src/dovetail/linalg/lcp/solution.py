"""What a solver found."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.linalg.lcp.problem import TOLERANCE, Problem
from dovetail.runtime.extras import require

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Solution:
    """An answer to x >= 0, y = A x + b >= 0, x.y = 0.

    Attributes:
        solved: whether x is a solution, residual <= 1e-10.
        x, y: unknowns and y = A x + b (n,); where not solved, the best point met.
        message: one sentence on how it ended.
        residual: max_i |min(x_i, y_i)|, each relative to its size; no units.
        iterations: pivots, sweeps or Newton steps.
        method: the method that gave the answer.
        has_none: True where it is proved that no solution exists.
    """

    solved: bool
    x: Array
    y: Array
    message: str
    residual: float
    iterations: int
    method: str
    has_none: bool = False


def answer(
    problem: Problem,
    scaled_x: Array,
    method: str,
    iterations: int,
    failure: str = "",
    has_none: bool = False,
) -> Solution:
    """A Solution at a point of the scaled problem; `failure` is said where it does not solve."""
    scaled_x = np.maximum(scaled_x, 0.0)
    residual = problem.residual(scaled_x)
    x = problem.unscaled(scaled_x)
    solved = residual <= TOLERANCE
    message = f"solved by {method} in {iterations} iterations" if solved else failure
    y = np.asarray(problem.A @ x + problem.b)
    return Solution(solved, x, y, message, residual, iterations, method, has_none and not solved)


def on_support(problem: Problem, support: Iterable[int]) -> Array:
    """x of the scaled problem with y = 0 on `support` and x = 0 elsewhere; NaN if singular."""
    chosen = np.fromiter(support, dtype=np.intp)
    x = np.zeros(problem.size)
    if not len(chosen):
        return x
    b = problem.scaled_b[chosen]
    if problem.is_sparse and len(chosen) > 200:
        splu = require("scipy.sparse.linalg").splu
        A = problem.scaled_A[chosen][:, chosen].tocsc()
        try:
            solve = splu(A).solve
        except RuntimeError:  # exactly singular
            return np.full(problem.size, np.nan)
    else:
        A = problem.dense_A[np.ix_(chosen, chosen)]

        def solve(rhs: Array) -> Array:
            return np.asarray(np.linalg.solve(A, rhs))

    try:
        part = solve(-b)
        part = part + solve(-b - A @ part)
    except np.linalg.LinAlgError:
        return np.full(problem.size, np.nan)
    x[chosen] = part
    return x
