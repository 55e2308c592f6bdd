r"""Bodies and joints with loops in one sparse linear system, factored without pivoting.

    [ A      G0^T    ] [ u ]   [ b ]
    [ G1  -(D + eps) ] [ l ] = [ c ]
Each body is followed by the rows of the joint to its parent, so every pivot is definite, in
whatever order these pairs come: the matrix is quasi-definite but for the small differences of G0
and G1 (Vanderbei, SIAM J. Optim. 5 (1995) 100). Rows that close loops come one by one; what a row
implied by others would divide by is eps, a share of the row's own mobility g A^-1 g^T, and the
solution for eps = 0 is found by iterative refinement, which is the method of multipliers. Implied
rows share their force.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from dovetail.linalg.kkt.fronts import (
    FrontWorkspace,
    SparseOrder,
    add_children,
    bundle_fronts,
    clear_front,
    eliminate_front,
    front_workspace,
    size_of,
    substitute,
)
from dovetail.linalg.kkt.rows import OFF
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import FloatArray, bundler

SLACK, MAX_SLACK = 1e-11, 1e-7  # eps of a loop row relative to its mobility
SETTLED = 1e-30  # squared relative correction in the norm of the diagonal of A
CERTAIN = 1e-6  # of that, where it is only foretold from the rate, which may get worse
MAX_REFINEMENTS = 30


class SparseWorkspace(NamedTuple):
    """Factors and scratch of a sparse system."""

    fronts: FrontWorkspace
    w: FloatArray  # (N,)
    eps: FloatArray  # (r,)
    left_b: FloatArray  # (n, 6)
    left_c: FloatArray  # (r,)


@jit_in_place
def slack_of(slack, r, tree, G, A):
    """Eps of row r: slack sum_k g_k^2 / A_kk."""
    body, moves, s = tree.body, tree.moves, 0.0
    for side in range(body.shape[1]):
        i = body[r, side]
        if i >= 0 and moves[i]:
            for k in range(6):
                s += G[r, side, k] * G[r, side, k] / A[i, k, k]
    return slack * s if s > 0.0 else 1.0


@jit_in_place
def _assemble(s, order, G0, G1, workspace):
    """The front of node s, with what nodes below it pass on."""
    A, D, mode, coupling = workspace.A, workspace.D, workspace.mode, workspace.coupling
    eps, F = workspace.sparse.eps, workspace.sparse.fronts.front
    meet, link, rows = order.meet, order.link, order.row
    _, size = size_of(order, s)
    clear_front(F, size)
    i, at = order.body[s], 0
    if i >= 0:
        at = 6
        for k in range(6):
            for j in range(6):
                F[k, j] = A[i, k, j]
    for e in range(order.row_start[s], order.row_start[s + 1]):
        r = rows[e]
        F[at, at] = -1.0 if mode[r] == OFF else -(D[r] + eps[r])
        at += 1
    for e in range(order.meet_start[s], order.meet_start[s + 1]):
        r, side, at_row, at_body = meet[e, 0], meet[e, 1], meet[e, 2], meet[e, 3]
        if mode[r] != OFF:
            for k in range(6):
                F[at_row, at_body + k] += G1[r, side, k]
                F[at_body + k, at_row] += G0[r, side, k]
    links = order.link_start[s + 1] if coupling.shape[0] > 0 else order.link_start[s]
    for e in range(order.link_start[s], links):
        r, side, at_body, at_other = link[e, 0], link[e, 1], link[e, 2], link[e, 3]
        for k in range(6):
            for j in range(6):
                F[at_body + k, at_other + j] += coupling[r, side, k, j]
    add_children(order, s, F, workspace.sparse.fronts.stack)


@jit
def sparse_factor(tree, G0, G1, workspace):
    """L and U; False where a pivot vanishes or is no number, with more slack too."""
    slack = workspace.slack[0]
    while slack <= max(MAX_SLACK, workspace.slack[0]):
        if _factor_with(slack, tree, G0, G1, workspace):
            return True
        slack *= 100.0
    return False


@jit
def _factor_with(slack, tree, G0, G1, workspace):
    order, sparse = tree.sparse, workspace.sparse
    for r in range(tree.loop[0], workspace.mode.shape[0]):
        sparse.eps[r] = slack_of(slack, r, tree, G1, workspace.A)
    for s in range(order.body.shape[0]):
        _assemble(s, order, G0, G1, workspace)
        if not eliminate_front(order, s, sparse.fronts):
            return False
    return True


@jit
def _take_coupling(tree, r, coupling, u, left_b):
    """Subtract what row r's blocks between its two bodies give."""
    a, b = tree.body[r, 0], tree.body[r, 1]
    if a < 0 or b < 0 or not (tree.moves[a] and tree.moves[b]):
        return
    for k in range(6):
        for j in range(6):
            left_b[a, k] -= coupling[r, 0, k, j] * u[b, j]
            left_b[b, k] -= coupling[r, 1, k, j] * u[a, j]


@jit
def take_residual(tree, G0, G1, workspace, c, u, lam):
    """Left = right-hand side - matrix (u, lam), with eps = 0."""
    A, D, mode, b = workspace.A, workspace.D, workspace.mode, workspace.b
    body, moves, left_b, left_c = (
        tree.body,
        tree.moves,
        workspace.sparse.left_b,
        workspace.sparse.left_c,
    )
    for i in tree.order:
        for k in range(6):
            s = b[i, k]
            for j in range(6):
                s -= A[i, k, j] * u[i, j]
            left_b[i, k] = s
    for r in range(workspace.coupling.shape[0]):
        _take_coupling(tree, r, workspace.coupling, u, left_b)
    for r in range(mode.shape[0]):
        left_c[r] = 0.0
        if mode[r] == OFF:
            continue
        s = c[r] + D[r] * lam[r]
        for side in range(body.shape[1]):
            i = body[r, side]
            if i >= 0 and moves[i]:
                for k in range(6):
                    s -= G1[r, side, k] * u[i, k]
                    left_b[i, k] -= G0[r, side, k] * lam[r]
        left_c[r] = s


@jit
def sparse_correct(tree, workspace, b, c, u, lam):
    """The solution for b (n, 6) and c (r,) by the factors, with their slack."""
    order, w = tree.sparse, workspace.sparse.w
    body_at, row_at = order.body_at, order.row_at
    for i in tree.order:
        for k in range(6):
            w[body_at[i] + k] = b[i, k]
    for r in range(lam.shape[0]):
        w[row_at[r]] = c[r]
    substitute(order, workspace.sparse.fronts, w)
    for i in tree.order:
        for k in range(6):
            u[i, k] = w[body_at[i] + k]
    for r in range(lam.shape[0]):
        lam[r] = w[row_at[r]]


@jit
def sparse_solve(tree, G0, G1, workspace, c, u, lam):
    """The solution for right-hand sides workspace.b and c; multipliers of OFF rows are 0.

    Refined until the next correction would be round-off of u, or of what u is added to in the step
    of a Newton method: workspace.corrected (used up) is the square of its norm, or 0. The norm is
    that of the diagonal of A.
    """
    order, sparse, A, mode = tree.sparse, workspace.sparse, workspace.A, workspace.mode
    body_at, row_at, w = order.body_at, order.row_at, sparse.w
    left_b, left_c = sparse.left_b, sparse.left_c
    for i in tree.order:
        for k in range(6):
            u[i, k] = 0.0
    for r in range(lam.shape[0]):
        lam[r] = 0.0
    before, known = math.inf, workspace.corrected[0]
    workspace.corrected[0] = 0.0
    for _ in range(MAX_REFINEMENTS):
        take_residual(tree, G0, G1, workspace, c, u, lam)
        for i in tree.order:
            for k in range(6):
                w[body_at[i] + k] = left_b[i, k]
        for r in range(lam.shape[0]):
            w[row_at[r]] = left_c[r]
        substitute(order, sparse.fronts, w)
        change, total = 0.0, 0.0
        for i in tree.order:
            for k in range(6):
                d = w[body_at[i] + k]
                u[i, k] += d
                change += abs(A[i, k, k]) * d * d
                total += abs(A[i, k, k]) * u[i, k] * u[i, k]
        for r in range(lam.shape[0]):
            if mode[r] != OFF:
                lam[r] += w[row_at[r]]
        rate = change / before if math.isfinite(before) else 1.0  # of corrections
        enough = SETTLED * (total if math.isinf(before) else max(total, known))
        settled = not change > enough or not rate * change > CERTAIN * enough
        if settled or not change < 0.5 * before:
            return
        before = change


_bundle_sparse = bundler(SparseWorkspace)


def bundle_sparse_workspace(workspace: SparseWorkspace) -> Any:
    """The arrays of `workspace` as one bundle."""
    return _bundle_sparse(*workspace._replace(fronts=bundle_fronts(*workspace.fronts)))


def sparse_workspace(order: SparseOrder, n: int, r: int) -> SparseWorkspace:
    """Arrays for the factors of n bodies and r rows."""
    return SparseWorkspace(
        front_workspace(order), np.zeros(int(order.first[-1])), np.zeros(r), np.zeros((n, 6)),
        np.zeros(r),
    )  # fmt: skip
