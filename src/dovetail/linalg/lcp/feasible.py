"""Whether x >= 0 with A x + b >= 0 exists at all: without it no solution can."""

import numpy as np

from dovetail.linalg.lcp.problem import Problem


def is_infeasible(problem: Problem) -> bool:
    """Whether a linear program proves that no x >= 0 has y = A x + b >= 0."""
    from scipy.optimize import linprog

    n = problem.size
    outcome = linprog(np.zeros(n), A_ub=-problem.scaled_A, b_ub=problem.scaled_b, bounds=(0, None))
    return bool(outcome.status == 2)
