"""The impulse problem of a step as one LCP, solved exactly by Lemke's method.

With the pyramid's corners d_k and impulses lambda_T = sum of beta_k d_k, beta >= 0 (Stewart and
Trinkle 1996):
    0 <= lambda_N _|_ v_N + c                     >= 0
    0 <= beta     _|_ D^T v_T + sigma             >= 0
    0 <= sigma    _|_ mu lambda_N - sum of beta   >= 0
Rows that hold both ways are eliminated first. For few contacts, where sweeps do not settle, and to
check them.
"""

import numpy as np

from dovetail.contact.lcp.problem import ImpulseProblem
from dovetail.kernels.impulse_solve import PUSH
from dovetail.lcp import Solution, solve
from dovetail.model.values import Array

MOST_CONTACTS = 12  # so that Lemke's tableau stays small
SINGULAR = 1e-12  # of the largest eigenvalue: joints that hold the same motion twice


def solve_exactly(problem: ImpulseProblem, u: Array, mu: Array) -> Solution:
    """Replace `lam` by the exact impulses and u (n, 6) by their velocities; says how it went.

    u must be the velocities with the `lam` there is; both stay where there is no solution.
    """
    rows, p, F = problem.rows, problem.n_contacts, problem.facets
    free = u.copy()
    problem.push_by(-problem.lam[:rows], free)
    A, b = delassus(problem), problem.rates_of(free) + problem.c[:rows]
    held = problem.held()
    A[: len(held), : len(held)] += np.diag(problem.soft)
    both = np.flatnonzero(held != PUSH)
    both = both[problem.diagonal[both] > 0]
    ones = np.flatnonzero(held == PUSH)
    inverse = np.linalg.pinv(A[np.ix_(both, both)], rcond=SINGULAR, hermitian=True)
    rest = np.concatenate([ones, np.arange(len(held), rows)])
    coupled = A[np.ix_(rest, both)] @ inverse
    S, q = A[np.ix_(rest, rest)] - coupled @ A[np.ix_(both, rest)], b[rest] - coupled @ b[both]
    k = len(ones)
    angles = 2 * np.pi * np.arange(F) / F
    spread = np.zeros((k + 3 * p, k + p + F * p))  # rows from unknown impulses
    spread[:k, :k] = np.eye(k)
    for c in range(p):
        spread[k + 3 * c, k + c] = 1.0
        at = slice(k + p + F * c, k + p + F * (c + 1))
        spread[k + 3 * c + 1, at], spread[k + 3 * c + 2, at] = np.cos(angles), np.sin(angles)
    slack = np.zeros((k + p + F * p, p))
    limit = np.zeros((p, k + p + F * p))
    for c in range(p):
        at = slice(k + p + F * c, k + p + F * (c + 1))
        slack[at, c], limit[c, at], limit[c, k + c] = 1.0, -1.0, mu[c]
    M = np.block([[spread.T @ S @ spread, slack], [limit, np.zeros((p, p))]])
    found = solve(M, np.concatenate([spread.T @ q, np.zeros(p)]), "lemke")
    if found.solved:
        impulses = np.zeros(rows)
        impulses[rest] = spread @ found.x[: len(found.x) - p]
        impulses[both] = -inverse @ (b[both] + A[np.ix_(both, rest)] @ impulses[rest])
        problem.lam[:rows] = impulses
        problem.push_by(impulses, free)
        u[...] = free
    return found


def delassus(problem: ImpulseProblem) -> Array:
    """J M^-1 J^T of all rows, dense."""
    rows = problem.rows
    n = int(problem.body[:rows].max(initial=-1)) + 1
    J, W = np.zeros((rows, 6 * n)), np.zeros((rows, 6 * n))
    for r in range(rows):
        for side in range(2):
            i, own = int(problem.body[r, side]), slice(6 * side, 6 * side + 6)
            if i >= 0:
                J[r, 6 * i : 6 * i + 6] += problem.J[r, own]
                W[r, 6 * i : 6 * i + 6] += problem.WJ[r, own]
    return np.asarray(J @ W.T)
