"""The impulse problem of a step as one LCP, solved exactly by Lemke's method.

With the pyramid's corners d_k and impulses lambda_T = sum of beta_k d_k, beta >= 0 (Stewart and
Trinkle 1996):
    0 <= lambda_N _|_ v_N + c                     >= 0
    0 <= beta     _|_ D^T v_T + sigma             >= 0
    0 <= sigma    _|_ mu lambda_N - sum of beta   >= 0
Bilateral rows are eliminated first. For few contacts, where sweeps do not converge, and to verify
them.
"""

from typing import TYPE_CHECKING

import numpy as np

from dovetail.contact.impulse.islands import row_islands
from dovetail.contact.impulse.problem import ImpulseProblem
from dovetail.contact.impulse.records import BOUNDED, UNILATERAL, Outcome
from dovetail.linalg.lcp import Solution, solve
from dovetail.model.values import Array
from dovetail.runtime.records import Int8Array, Int64Array

if TYPE_CHECKING:
    from dovetail.contact.impulse.solver import ContactSolver

MAX_CONTACTS = 24  # solved at once, so that Lemke's tableau stays small
MAX_ROUNDS = 12
MAX_PIVOTS = 3  # times the unknowns: of 1000 paths in a heap 99 % end after one, few take 50
SWEEPS_BETWEEN = 200  # two rounds
SINGULAR = 1e-12  # of the largest eigenvalue: redundant joint rows


def solve_worst(
    solver: "ContactSolver", u: Array, mu: Array, active: Int8Array, tolerance: float
) -> Outcome:
    """Solve exactly, repeatedly, the contacts around the row with the largest residual.

    That is its island (moving bodies that are connected) if it has few contacts, else the contacts
    of its two bodies, or of one, the other impulses being fixed; then all follow by Newton's
    method. Four corners of a box that slide and cannot all touch at once need this: which one lifts
    is found at once, where sweeps and multipliers drift. Ends where no residual is more than
    `tolerance` [m/s].
    """
    iterations, left = 0, solver.residual(u, mu, active)
    dry = bool((solver.problem.joint_mode == BOUNDED).any())  # friction of joints is no part of it
    for _ in range(MAX_ROUNDS if solver.facets and not dry else 0):
        around = _rows_around(solver.problem, left.row)
        if left.residual <= tolerance or around is None:
            break
        left = _improve(solver, u, mu, active, around, left)
        if left.residual > tolerance:
            left = solver.solve(u, mu, active, tolerance, SWEEPS_BETWEEN)
            iterations += left.iterations
    return Outcome(iterations, left.residual, left.row)


def _improve(
    solver: "ContactSolver", u: Array, mu: Array, active: Int8Array, around: Int64Array,
    left: Outcome,
) -> Outcome:  # fmt: skip
    """Take the solution for the rows `around` if it reduces the residual; the residual then.

    Pivots on redundant contacts lose digits, and Lemke's path then ends next to the solution
    without a proof: its last point is still better than what sweeps reach.
    """
    problem = solver.problem
    impulses, velocities = problem.lam.copy(), u.copy()
    solve_exactly(problem, solver.facets, u, mu, around, accept_nearest=True)
    found = solver.residual(u, mu, active)
    if found.residual < left.residual:
        return found
    problem.lam[...], u[...] = impulses, velocities
    return left


def _rows_around(problem: ImpulseProblem, row: int) -> Int64Array | None:
    """Rows of few contacts around one row, or None."""
    body, moves = problem.rows.body[: problem.n_rows], problem.moves
    island = row_islands(problem)
    mine = [i for i in body[row] if moves[i]]
    touching = [(body == i).any(axis=1) for i in mine]
    contact = np.arange(problem.n_rows) >= problem.n_joint
    for chosen in (island == island[row], np.any(touching, axis=0) & contact, *touching):
        rows = np.flatnonzero(chosen)
        if 0 < np.count_nonzero(chosen & contact) // 3 <= MAX_CONTACTS:
            return rows
    return None


def solve_exactly(
    problem: ImpulseProblem, facets: int, u: Array, mu: Array, which: Int64Array | None = None,
    accept_nearest: bool = False,
) -> Solution:  # fmt: skip
    """Replace `lam` by the exact impulses and u (n, 6) by their velocities; how it went.

    `which` are the rows of an island, or all. u must be the velocities with the `lam` there is;
    both stay where no solution is found, unless the best point on a short path is accepted.
    """
    which = np.arange(problem.n_rows) if which is None else which
    F, rows = facets, len(which)
    own = which[which < problem.n_joint]
    mu = mu[(which[which >= problem.n_joint][::3] - problem.n_joint) // 3]
    p = len(mu)
    impulses = np.zeros(problem.n_rows)
    impulses[which] = -problem.lam[which]
    free = u.copy()
    problem.apply(impulses, free)
    A, b = delassus(problem, which), (problem.rates(free) + problem.c[: problem.n_rows])[which]
    mode = problem.joint_mode[own]
    A[: len(mode), : len(mode)] += np.diag(problem.softness[own])
    both = np.flatnonzero(mode != UNILATERAL)
    both = both[problem.rows.diagonal[own[both]] > 0]
    ones = np.flatnonzero(mode == UNILATERAL)
    inverse = np.linalg.pinv(A[np.ix_(both, both)], rcond=SINGULAR, hermitian=True)
    rest = np.concatenate([ones, np.arange(len(mode), rows)])
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
    most = MAX_PIVOTS * len(M) if accept_nearest else None
    found = solve(M, np.concatenate([spread.T @ q, np.zeros(p)]), "lemke", most)
    if found.solved or accept_nearest:
        values = np.zeros(rows)
        values[rest] = spread @ found.x[: len(found.x) - p]
        values[both] = -inverse @ (b[both] + A[np.ix_(both, rest)] @ values[rest])
        problem.lam[which] = impulses[which] = values
        problem.apply(impulses, free)
        u[...] = free
    return found


def delassus(problem: ImpulseProblem, which: Int64Array | None = None) -> Array:
    """J M^-1 J^T of all rows, or of some, dense."""
    which = np.arange(problem.n_rows) if which is None else which
    bodies, local = np.unique(problem.rows.body[which], return_inverse=True)
    width = problem.rows.body.shape[1]
    local = local.reshape(-1, width)
    n = len(bodies)
    J, W = np.zeros((len(which), n, 6)), np.zeros((len(which), n, 6))
    at = np.arange(len(which))
    for side in range(width):
        mine = bodies[local[:, side]] >= 0
        part = slice(6 * side, 6 * side + 6)
        J[at[mine], local[mine, side]] += problem.rows.J[which[mine], part]
        W[at[mine], local[mine, side]] += problem.rows.WJ[which[mine], part]
    return np.asarray(J.reshape(len(which), -1) @ W.reshape(len(which), -1).T)
