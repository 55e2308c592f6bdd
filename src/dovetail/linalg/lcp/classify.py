"""Does an LCP have a solution, one or more, and what its matrix says about every right-hand side.

Source: Cottle, Pang, Stone 1992: theorems 3.3.7 (P: unique for all b), 3.8.6 (copositive-plus:
solvable where feasible).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.linalg.lcp.bases import negative_direction
from dovetail.linalg.lcp.enumeration import LARGEST, AllSolutions, enumerate_solutions
from dovetail.linalg.lcp.feasible import is_infeasible
from dovetail.linalg.lcp.problem import Problem, read_problem
from dovetail.linalg.lcp.solution import Solution
from dovetail.runtime.options import named_options
from dovetail.runtime.read_only import read_only

Array = NDArray[np.float64]
ROUNDING = 1e-12  # eigenvalues of the scaled matrix below this count as zero


@dataclass(frozen=True)
class Classification:
    """What can be said of an LCP and its matrix.

    Attributes:
        kind: "unique", "none", "many" or "infinite" solutions, for this b.
        is_p_matrix: all principal minors > 0: one solution for every b.
        is_positive_definite, is_positive_semidefinite: x.A x > 0, >= 0 for all x != 0.
        is_copositive: x.A x >= 0 for all x >= 0; None if unknown (large and undecided).
        is_degenerate: some principal minor is 0; None if unknown.
        has_degenerate_solution: some solution has x_i = y_i = 0.
        solutions: all of them, None where they were not enumerated.
        message: one sentence.
    """

    kind: str
    is_p_matrix: bool
    is_positive_definite: bool
    is_positive_semidefinite: bool
    is_copositive: bool | None
    is_degenerate: bool | None
    has_degenerate_solution: bool
    solutions: AllSolutions | None
    message: str


@named_options
def classify(A: Any, b: Any) -> Classification:
    """Existence and uniqueness for this b, and the classes of A.

    Up to 20 unknowns by enumeration. Above that only where A is positive definite or no x >= 0
    has y >= 0; anything else is an InputError, for the question is exponential in n.
    """
    problem = read_problem(A, b)
    least = _least_eigenvalue(problem)
    if problem.size <= LARGEST:
        return _by_enumeration(problem, least)
    if least > ROUNDING:
        message = "A is positive definite: one solution for every b"
        return Classification("unique", True, True, True, True, False, False, None, message)
    if is_infeasible(problem):
        semidefinite = least >= -ROUNDING
        copositive = True if semidefinite else None
        message = "no x >= 0 has y = A x + b >= 0, so there is no solution"
        return Classification(
            "none", False, False, semidefinite, copositive, None, False, None, message
        )
    raise InputError(
        f"`A` must be positive definite or have at most {LARGEST} rows for its solutions to be "
        f"counted, got {problem.size} rows; use dt.lcp.solve for one solution"
    )


def _by_enumeration(problem: Problem, least: float) -> Classification:
    found = enumerate_solutions(problem)
    is_p = not found.has_minor_not_positive
    return Classification(
        kind=found.kind,
        is_p_matrix=is_p,
        is_positive_definite=least > ROUNDING,
        is_positive_semidefinite=least >= -ROUNDING,
        is_copositive=least >= -ROUNDING or is_copositive(problem),
        is_degenerate=found.has_zero_minor,
        has_degenerate_solution=any(_has_zero_pair(problem, solution) for solution in found),
        solutions=found,
        message=_sentence(found, is_p),
    )


def is_copositive(problem: Problem) -> bool:
    """Whether x.A x >= 0 for all x >= 0, up to rounding; decided on all 2^n faces."""
    S = _symmetric_part(problem)
    if np.all(S >= 0):
        return True
    return not negative_direction(read_only(S), np.empty(problem.size))


def _symmetric_part(problem: Problem) -> Array:
    return 0.5 * (problem.dense_A + problem.dense_A.T)


def _least_eigenvalue(problem: Problem) -> float:
    """Of the symmetric part of the scaled matrix, which is of order one."""
    if not problem.size:
        return np.inf
    return float(np.linalg.eigvalsh(_symmetric_part(problem))[0])


def _has_zero_pair(problem: Problem, solution: Solution) -> bool:
    x = solution.x / (problem.beta * problem.scale)
    y = solution.y * problem.scale / problem.beta
    return bool(np.any(np.maximum(x, y) <= 1e-9))


def _sentence(found: AllSolutions, is_p: bool) -> str:
    if is_p:
        return "A is a P-matrix: one solution for every b"
    count = len(found.isolated)
    counts = {
        "none": "no solution: none of the complementary bases is one",
        "unique": "one solution for this b; other b may have none or several",
        "many": f"{count} solutions",
        "infinite": f"infinitely many solutions in {len(found.families)} families"
        + (f", and {count} single ones" if count else ""),
    }
    more = "" if found.complete else "; so many bases are singular that not all were looked at"
    return counts[found.kind] + more
