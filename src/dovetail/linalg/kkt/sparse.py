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
from typing import NamedTuple

import numpy as np

from dovetail.runtime.jit import jit
from dovetail.runtime.records import FloatArray, Int64Array, bundler

OFF, HARD, SOFT = 0, 1, 2  # a row: left out, G u = c, or G u - D l = c
SLACK, MAX_SLACK = 1e-11, 1e-7  # eps of a loop row relative to its mobility
SETTLED = 1e-30  # squared relative correction in the norm of the diagonal of A
MAX_REFINEMENTS = 30


class SparseOrder(NamedTuple):
    """The place of each of the N unknowns, and which entries of the factors are not zero."""

    body: Int64Array  # (N,) body of an unknown, -1 for a multiplier
    part: Int64Array  # (N,) which of the body's 6, or the row of a multiplier
    body_at: Int64Array  # (n,) first unknown of a body, -1 for one that forces do not move
    row_at: Int64Array  # (r,) unknown of a row's multiplier
    touch: Int64Array  # (n + 1,) first entry of a body in the two lists below
    touch_row: Int64Array  # rows of a body
    touch_side: Int64Array  # and its side in them
    lower: Int64Array  # (N + 1,) first entry of a row of L
    lower_at: Int64Array  # its columns, ascending
    upper: Int64Array  # (N + 1,) first entry of a row of U
    upper_at: Int64Array  # its columns, ascending


class SparseWorkspace(NamedTuple):
    """Factors and scratch of a sparse system."""

    L: FloatArray  # as SparseOrder.lower_at
    U: FloatArray  # as SparseOrder.upper_at
    inverse: FloatArray  # (N,) of the diagonal of U
    w: FloatArray  # (N,)
    eps: FloatArray  # (r,)
    left_b: FloatArray  # (n, 6)
    left_c: FloatArray  # (r,)


@jit
def _set_slack(slack, start, body, moves, G, A, mode, eps):
    """Eps of loop rows: slack sum_k g_k^2 / A_kk."""
    for r in range(start, mode.shape[0]):
        s = 0.0
        for side in range(body.shape[1]):
            i = body[r, side]
            if i >= 0 and moves[i]:
                for k in range(6):
                    s += G[r, side, k] * G[r, side, k] / A[i, k, k]
        eps[r] = slack * s if s > 0.0 else 1.0


@jit
def _scatter(tree, order, j, G0, G1, A, coupling, D, mode, eps, w):
    """Add row j of the matrix to w."""
    body_at, row_at, touch = order.body_at, order.row_at, order.touch
    i, part = order.body[j], order.part[j]
    if i >= 0:
        at = body_at[i]
        for k in range(6):
            w[at + k] = A[i, part, k]
        rows, sides = order.touch_row, order.touch_side
        for e in range(touch[i], touch[i + 1]):
            r = rows[e]
            if mode[r] != OFF:
                w[row_at[r]] += G0[r, sides[e], part]
            if coupling.shape[0] == 0 or sides[e] > 1:
                continue
            other = tree.body[r, 1 - sides[e]]
            if other >= 0 and body_at[other] >= 0:
                for k in range(6):
                    w[body_at[other] + k] += coupling[r, sides[e], part, k]
        return
    if mode[part] == OFF:
        w[j] = -1.0
        return
    w[j] = -(D[part] + eps[part])
    for side in range(tree.body.shape[1]):
        i = tree.body[part, side]
        if i >= 0 and body_at[i] >= 0:
            at = body_at[i]
            for k in range(6):
                w[at + k] += G1[part, side, k]


@jit
def sparse_factor(tree, G0, G1, workspace):
    """L and U; False where a pivot vanishes or is no number, with more slack too."""
    slack = SLACK
    while slack <= MAX_SLACK:
        if _factor_with(slack, tree, G0, G1, workspace):
            return True
        slack *= 100.0
    return False


@jit
def _factor_with(slack, tree, G0, G1, workspace):
    order, sparse = tree.sparse, workspace.sparse
    lower, lower_at, upper, upper_at = order.lower, order.lower_at, order.upper, order.upper_at
    A, D, mode, eps, coupling = (
        workspace.A,
        workspace.D,
        workspace.mode,
        sparse.eps,
        workspace.coupling,
    )
    L, U, inverse, w = sparse.L, sparse.U, sparse.inverse, sparse.w
    _set_slack(slack, tree.loop[0], tree.body, tree.moves, G1, A, mode, eps)
    for j in range(w.shape[0]):
        for e in range(lower[j], lower[j + 1]):
            w[lower_at[e]] = 0.0
        for e in range(upper[j], upper[j + 1]):
            w[upper_at[e]] = 0.0
        w[j] = 0.0
        _scatter(tree, order, j, G0, G1, A, coupling, D, mode, eps, w)
        for e in range(lower[j], lower[j + 1]):
            k = lower_at[e]
            f = w[k] * inverse[k]
            L[e] = f
            if f != 0.0:
                for g in range(upper[k], upper[k + 1]):
                    w[upper_at[g]] -= f * U[g]
        if not (abs(w[j]) > 0.0 and math.isfinite(w[j])):
            return False
        inverse[j] = 1.0 / w[j]
        for e in range(upper[j], upper[j + 1]):
            U[e] = w[upper_at[e]]
    return True


@jit
def _substitute(order, sparse):
    """W becomes the solution for the right-hand side w."""
    lower, lower_at, upper, upper_at = order.lower, order.lower_at, order.upper, order.upper_at
    L, U, inverse, w = sparse.L, sparse.U, sparse.inverse, sparse.w
    n = w.shape[0]
    for j in range(n):
        s = w[j]
        for e in range(lower[j], lower[j + 1]):
            s -= L[e] * w[lower_at[e]]
        w[j] = s
    for j in range(n - 1, -1, -1):
        s = w[j]
        for e in range(upper[j], upper[j + 1]):
            s -= U[e] * w[upper_at[e]]
        w[j] = s * inverse[j]


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
def _take_residual(tree, G0, G1, workspace, c, u, lam):
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
def sparse_solve(tree, G0, G1, workspace, c, u, lam):
    """The solution for right-hand sides workspace.b and c; multipliers of OFF rows are 0."""
    order, sparse, A, mode = tree.sparse, workspace.sparse, workspace.A, workspace.mode
    body_at, row_at, w = order.body_at, order.row_at, sparse.w
    left_b, left_c = sparse.left_b, sparse.left_c
    for i in tree.order:
        for k in range(6):
            u[i, k] = 0.0
    for r in range(lam.shape[0]):
        lam[r] = 0.0
    before = math.inf
    for _ in range(MAX_REFINEMENTS):
        _take_residual(tree, G0, G1, workspace, c, u, lam)
        for i in tree.order:
            for k in range(6):
                w[body_at[i] + k] = left_b[i, k]
        for r in range(lam.shape[0]):
            w[row_at[r]] = left_c[r]
        _substitute(order, sparse)
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
        if not change > SETTLED * total or not change < 0.5 * before:
            return
        before = change


bundle_sparse_order = bundler(SparseOrder)
bundle_sparse_workspace = bundler(SparseWorkspace)


def sparse_workspace(order: SparseOrder, n: int, r: int) -> SparseWorkspace:
    """Arrays for the factors of n bodies and r rows."""
    size = len(order.body)
    return SparseWorkspace(
        np.zeros(len(order.lower_at)), np.zeros(len(order.upper_at)), np.zeros(size),
        np.zeros(size), np.zeros(r), np.zeros((n, 6)), np.zeros(r),
    )  # fmt: skip


def no_sparse_order() -> SparseOrder:
    """Nothing, for systems without loops, of the types every call has."""
    empty = [np.zeros(0, np.int64) for _ in range(11)]
    return SparseOrder(*empty)
