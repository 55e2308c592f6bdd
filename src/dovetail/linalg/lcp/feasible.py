"""Whether x >= 0 with A x + b >= 0 exists at all: without it no solution can."""

import numpy as np

from dovetail.linalg.lcp.linear_program import minimise
from dovetail.linalg.lcp.problem import Problem
from dovetail.runtime.extras import require


def is_infeasible(problem: Problem) -> bool:
    """Whether a linear program proves that no x >= 0 has y = A x + b >= 0."""
    n = problem.size
    if problem.is_sparse:
        outcome = require("scipy.optimize").linprog(
            np.zeros(n), A_ub=-problem.scaled_A, b_ub=problem.scaled_b, bounds=(0, None)
        )
        return bool(outcome.status == 2)
    found = minimise(np.zeros(n), -problem.dense_A, problem.scaled_b, nonnegative=True)
    return found.status == "infeasible"
