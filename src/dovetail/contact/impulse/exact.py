"""The impulse problem of a step as one LCP, solved exactly by Lemke's method.

With the pyramid's corners d_k and impulses lambda_T = sum of beta_k d_k, beta >= 0 (Stewart and
Trinkle 1996):
    0 <= lambda_N _|_ v_N + c                     >= 0
    0 <= beta     _|_ D^T v_T + sigma             >= 0
    0 <= sigma    _|_ mu lambda_N - sum of beta   >= 0
Rows that hold both ways are eliminated first. For few contacts, where sweeps do not settle, and to
check them.
"""

from typing import Any

import numpy as np

from dovetail.contact.impulse.gauss_seidel import PUSH
from dovetail.contact.impulse.problem import BETWEEN, ImpulseProblem, Solved
from dovetail.linalg.lcp import Solution, solve
from dovetail.model.connected import component_labels
from dovetail.model.values import Array

MOST_CONTACTS = 24  # solved at once, so that Lemke's tableau stays small
ROUNDS = 12
SINGULAR = 1e-12  # of the largest eigenvalue: joints that hold the same motion twice


def solve_worst(problem: ImpulseProblem, u: Array, mu: Array, on: Any, tolerance: float) -> Solved:
    """Solve exactly, again and again, the contacts around the row that is most off.

    That is its island (what bodies that move join) if it has few contacts, else the contacts of
    its two bodies, or of one, the other impulses being held; then all follow by Newton's method.
    Four corners of a box that slide and cannot all touch at once need this: which one lifts is
    found in one go, where sweeps and multipliers drift there. Ends where nothing is off by more
    than `tolerance` [m/s].
    """
    sweeps, left = 0, problem.left(u, mu, on)
    for _ in range(ROUNDS if problem.facets else 0):
        around = _around(problem, left.row)
        if left.residual <= tolerance or around is None:
            break
        left = _better(problem, u, mu, on, around, left)
        if left.residual > tolerance:
            left = problem.solve(u, mu, on, tolerance, most=BETWEEN)
            sweeps += left.sweeps
    return Solved(sweeps, left.residual, left.row)


def _better(
    problem: ImpulseProblem, u: Array, mu: Array, on: Any, around: Any, left: Solved
) -> Solved:
    """Take the answer for the rows `around` if less is `left` with it; what is left then.

    Pivots on contacts that hold the same motion twice lose digits, and Lemke's path then ends
    next to the solution without a proof: its last point still beats what sweeps reach.
    """
    impulses, velocities = problem.lam.copy(), u.copy()
    solve_exactly(problem, u, mu, around, or_nearly=True)
    found = problem.left(u, mu, on)
    if found.residual < left.residual:
        return found
    problem.lam[...], u[...] = impulses, velocities
    return left


def _around(problem: ImpulseProblem, row: int) -> Any:
    """Rows of few contacts around one row, or None."""
    body, moves = problem.body[: problem.rows], problem.moves
    links = body[moves[body].all(axis=1)].astype(np.int64)
    labels = component_labels(len(moves) - 1, links)
    island = labels[np.where(moves[body[:, 0]], body[:, 0], body[:, 1])]
    mine = [i for i in body[row] if moves[i]]
    touching = [(body == i).any(axis=1) for i in mine]
    contact = np.arange(problem.rows) >= problem.n_joint
    for chosen in (island == island[row], np.any(touching, axis=0) & contact, *touching):
        rows = np.flatnonzero(chosen)
        if 0 < np.count_nonzero(chosen & contact) // 3 <= MOST_CONTACTS:
            return rows
    return None


def solve_exactly(
    problem: ImpulseProblem, u: Array, mu: Array, which: Any = None, or_nearly: bool = False
) -> Solution:
    """Replace `lam` by the exact impulses and u (n, 6) by their velocities; says how it went.

    `which` are the rows of an island, or all. u must be the velocities with the `lam` there is;
    both stay where no solution is found, unless the best point met will do (`or_nearly`).
    """
    which = np.arange(problem.rows) if which is None else which
    F, rows = problem.facets, len(which)
    own = which[which < problem.n_joint]
    mu = mu[(which[which >= problem.n_joint][::3] - problem.n_joint) // 3]
    p = len(mu)
    impulses = np.zeros(problem.rows)
    impulses[which] = -problem.lam[which]
    free = u.copy()
    problem.push_by(impulses, free)
    A, b = delassus(problem, which), (problem.rates_of(free) + problem.c[: problem.rows])[which]
    held = problem.held()[own]
    A[: len(held), : len(held)] += np.diag(problem.soft[own])
    both = np.flatnonzero(held != PUSH)
    both = both[problem.diagonal[own[both]] > 0]
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
    if found.solved or or_nearly:
        values = np.zeros(rows)
        values[rest] = spread @ found.x[: len(found.x) - p]
        values[both] = -inverse @ (b[both] + A[np.ix_(both, rest)] @ values[rest])
        problem.lam[which] = impulses[which] = values
        problem.push_by(impulses, free)
        u[...] = free
    return found


def delassus(problem: ImpulseProblem, which: Any = None) -> Array:
    """J M^-1 J^T of all rows, or of some, dense."""
    which = np.arange(problem.rows) if which is None else which
    bodies, local = np.unique(problem.body[which], return_inverse=True)
    local = local.reshape(-1, 2)
    n = len(bodies)
    J, W = np.zeros((len(which), n, 6)), np.zeros((len(which), n, 6))
    at = np.arange(len(which))
    for side in range(2):
        mine = bodies[local[:, side]] >= 0
        part = slice(6 * side, 6 * side + 6)
        J[at[mine], local[mine, side]] += problem.J[which[mine], part]
        W[at[mine], local[mine, side]] += problem.WJ[which[mine], part]
    return np.asarray(J.reshape(len(which), -1) @ W.reshape(len(which), -1).T)
