"""Projected Gauss-Seidel: cheap sweeps for large sparse problems with a positive diagonal."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.linalg.lcp.gauss_seidel import projected_sweeps
from dovetail.linalg.lcp.problem import TOLERANCE, Problem, is_sparse
from dovetail.linalg.lcp.solution import Solution, answer
from dovetail.runtime.read_only import read_only

Array = NDArray[np.float64]
NAME = "pgs"
MAX_SWEEPS = 20_000
BETWEEN_CHECKS = 50


def compressed_rows(A: Any) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """Entries that are not zero row after row, their columns, and where each row begins."""
    if is_sparse(A):
        return A.data, A.indices, A.indptr
    rows, columns = np.nonzero(A)
    return A[rows, columns], columns, np.searchsorted(rows, np.arange(len(A) + 1))


def projected_gauss_seidel(
    problem: Problem, most_sweeps: int | None = None, start: Array | None = None
) -> Solution:
    """x_i <- max(0, x_i - (A x + b)_i / A_ii), row after row, until the residual is 1e-10.

    Converges where A is symmetric positive definite or has a dominant diagonal (Cottle, Pang,
    Stone 1992, theorem 5.3.2); elsewhere it may not, and the answer says so.
    """
    most = MAX_SWEEPS if most_sweeps is None else most_sweeps
    x = np.zeros(problem.size) if start is None else start.copy()
    data, indices, begins = compressed_rows(problem.scaled_A)
    diagonal = problem.scaled_A.diagonal()
    if np.any(diagonal <= 0):
        i = int(np.flatnonzero(diagonal <= 0)[0])
        reason = (
            f"projected Gauss-Seidel needs a positive diagonal, but A[{i}, {i}] is not > 0; "
            "use method 'lemke' or 'newton'"
        )
        return answer(problem, x, NAME, 0, reason)
    rows = read_only(data), read_only(indices, np.int32), read_only(begins, np.int32)
    numbers = read_only(diagonal), read_only(problem.scaled_b)
    made = 0
    while made < most and problem.residual(x) > TOLERANCE:
        sweeps = min(BETWEEN_CHECKS, most - made)
        done, change = projected_sweeps(*rows, *numbers, x, sweeps, 1e-16)
        made += done
        if not np.isfinite(change) or done < sweeps:
            break
    reason = (
        f"projected Gauss-Seidel stopped after {made} sweeps with a residual of "
        f"{problem.residual(x):.1e}; use method 'newton' or 'lemke'"
    )
    return answer(problem, x, NAME, made, reason)
