"""One solution of an LCP, by the method asked for or the one that fits."""

from dataclasses import replace
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.linalg.lcp.enumeration import enumerate_solutions
from dovetail.linalg.lcp.feasible import is_infeasible
from dovetail.linalg.lcp.lemke import lemke
from dovetail.linalg.lcp.newton import newton
from dovetail.linalg.lcp.problem import Problem, read_problem
from dovetail.linalg.lcp.solution import Solution
from dovetail.linalg.lcp.sweeps import projected_gauss_seidel
from dovetail.runtime.options import named_options

METHODS = {"lemke": lemke, "pgs": projected_gauss_seidel, "newton": newton}
LARGEST_FOR_LEMKE_FIRST = {"dense": 1000, "sparse": 300}
LARGEST_FOR_LEMKE = 3000  # its tableau takes 16 n^2 bytes
LARGEST_FOR_ENUMERATION = 16
OTHER_COVERING_VECTORS = 4
NEWTON_STEPS_AFTER_LEMKE = 60


@named_options
def solve(A: Any, b: Any, method: str = "auto", max_iterations: int | None = None) -> Solution:
    """Find x >= 0 with y = A x + b >= 0 and x.y = 0.

    A (n, n) dense or sparse, b (n,). `method` is "lemke" (dense, any matrix), "pgs" (projected
    Gauss-Seidel, positive diagonal), "newton" (semismooth, sparse) or "auto": Lemke for small
    problems, Newton for large ones, the other where one fails, and for up to 16 unknowns the
    enumeration of all bases, which proves it where there is no solution. No solution is an answer
    with `solved` False and a `message`, not an error.
    """
    problem = read_problem(A, b)
    if method != "auto" and method not in METHODS:
        raise InputError(f"`method` must be one of auto, {', '.join(METHODS)}, got {method!r}")
    if max_iterations is not None and max_iterations < 1:
        raise InputError(f"`max_iterations` must be a whole number >= 1, got {max_iterations!r}")
    if method == "auto":
        return _automatic(problem, max_iterations)
    return METHODS[method](problem, max_iterations)


def _automatic(problem: Problem, most: int | None) -> Solution:
    kind = "sparse" if problem.is_sparse else "dense"
    small = problem.size <= LARGEST_FOR_LEMKE_FIRST[kind]
    order = (lemke, newton) if small else (newton, lemke)
    tried: list[Solution] = []
    for method in order:
        if method is lemke and problem.size > LARGEST_FOR_LEMKE:
            continue
        limit = NEWTON_STEPS_AFTER_LEMKE if most is None and method is newton and small else most
        tried.append(method(problem, limit))
        if tried[-1].solved:
            return tried[-1]
        if len(tried) == 1 and problem.size <= LARGEST_FOR_ENUMERATION:
            return _enumerated(problem, tried[0])
    if is_infeasible(problem):
        return _without_solution(tried[0], "no x >= 0 has y = A x + b >= 0 (linear program)")
    if small:
        random = np.random.default_rng(0)
        for _ in range(OTHER_COVERING_VECTORS):
            tried.append(lemke(problem, most, random.uniform(0.2, 1.0, problem.size)))
            if tried[-1].solved:
                return tried[-1]
    best = min(tried, key=lambda solution: solution.residual)
    return replace(best, message="; ".join(dict.fromkeys(s.message for s in tried)))


def _enumerated(problem: Problem, attempt: Solution) -> Solution:
    found = enumerate_solutions(problem)
    if len(found):
        return found[0]
    if found.complete:
        return _without_solution(attempt, f"none of the 2^{problem.size} bases is one")
    return attempt


def _without_solution(attempt: Solution, proof: str) -> Solution:
    return replace(attempt, message=f"there is no solution: {proof}", has_none=True)
