r"""Bodies and joints with loops, each body eliminated along the freedoms of the joint to its parent.

    [ A   G^T ] [ u ]   [ b ]        A block diagonal and symmetric, the same rows G on both sides
    [ G   -D  ] [ l ] = [ c ]
Rows between a body i and its parent p depend on their relative motion alone. In world axes at the
centres of mass u = (v, w), with X the rigid motion and r = x_i - x_p,
    u_i = X u_p + y + T q,     X (v, w) = (v + w x r, w),     G_i T = 0,     G_i y = c
for the rows that hold; T has as many columns as the joint has freedoms. Eliminating q from the
front of body i, K over (u_i, columns), leaves
    U = K T,   Q = T^T U + sum over soft rows of T^T g g^T T / D,   K - U Q^-1 U^T,
whose part of u_i goes to u_p by X: an articulated inertia (Featherstone 2008, 7.3) that is wider by
what loops connect. Multipliers of loops are columns, eliminated as in `kkt.sparse`, with its slack.
Where `kkt.sparse` eliminates 6 + 5 unknowns of a body on a hinge, this eliminates one.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy import uintp

from dovetail.linalg.kkt.fronts import (
    FrontWorkspace,
    SparseOrder,
    add_children,
    bundle_fronts,
    clear_front,
    eliminate_front,
    front_workspace,
    size_of,
)
from dovetail.linalg.kkt.rows import OFF, SOFT, world_row
from dovetail.linalg.vec3 import load33, matmul, store33, transpose
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.records import FloatArray, Int64Array, bundler

DEPENDENT = 1e-9  # pivot of a joint's rows below which they are not all its own


class ArticulatedWorkspace(NamedTuple):
    """Factors and scratch; n bodies, r rows."""

    used: Int64Array  # (1,) 1 where the last factors are these
    R: FloatArray  # (n, 3, 3) where it was factored
    arm: FloatArray  # (n, 3) [m] r, world axes
    free: Int64Array  # (n,) freedoms of the joint to the parent
    T: FloatArray  # (n, 6, 6) their columns
    P: FloatArray  # (n, 6, 6) y = P c, a column for each row that holds, in their order
    Q: FloatArray  # (n, 6, 6) inverse
    z: FloatArray  # (n, 6) right-hand sides of q
    U: FloatArray  # (6, m) of one front
    rows: FloatArray  # (6, 12) of one joint
    y: FloatArray  # (n, 6)
    left: FloatArray  # (n, 6) what no multiplier balances yet
    w: FloatArray  # (N,)
    more_u: FloatArray  # (n, 6)
    more: FloatArray  # (r,)
    fronts: FrontWorkspace


@jit_in_place
def _joint_basis(i, tree, G, mode, at):
    """T and P of body i by elimination of its rows; False where these depend on each other."""
    B, T, P = at.rows, at.T, at.P
    R = load33(at.R, i)
    m = 0
    for r in range(tree.first[i], tree.last[i]):
        if mode[r] != OFF and mode[r] != SOFT:
            if m == 6:
                return False
            g = world_row(G, r, tree.child_side[r], R)
            for c in range(6):
                B[m, c] = g[c]
                B[m, 6 + c] = 0.0
            B[m, 6 + m] = 1.0
            m += 1
    columns = (1 << 6) - 1  # that are free, as bits
    pivots = 0  # column of each row, three bits each
    rows = (1 << m) - 1
    for _ in range(m):
        best, row, column = DEPENDENT, -1, -1
        for j in range(m):
            if rows >> j & 1:
                for c in range(6):
                    if columns >> c & 1 and abs(B[j, c]) > best:
                        best, row, column = abs(B[j, c]), j, c
        if row < 0:
            return False
        rows &= ~(1 << row)
        columns &= ~(1 << column)
        pivots |= column << (3 * row)
        scale = 1.0 / B[row, column]
        for c in range(6 + m):
            B[row, c] *= scale
        for j in range(m):
            f = B[j, column]
            if j != row and f != 0.0:
                for c in range(6 + m):
                    B[j, c] -= f * B[row, c]
    for c in range(6):
        for k in range(6):
            T[i, c, k] = 0.0
            P[i, c, k] = 0.0
    k = 0
    for c in range(6):
        if columns >> c & 1:
            T[i, c, k] = 1.0
            for j in range(m):
                T[i, pivots >> (3 * j) & 7, k] = -B[j, c]
            k += 1
    for j in range(m):
        for c in range(m):
            P[i, pivots >> (3 * j) & 7, c] = B[j, 6 + c]
    at.free[i] = 6 - m
    return True


@jit_in_place
def soft_freedom(i, r, tree, G, at, k):
    """g^T T_k of row r of the joint above body i."""
    g = world_row(G, r, tree.child_side[r], load33(at.R, i))
    total = 0.0
    for c in range(6):
        total += g[c] * at.T[i, c, k]
    return total


@jit_in_place
def _invert(Q, i, n):
    """Q_i (n, n), symmetric and definite, becomes its inverse; False where it is not."""
    for k in range(n):
        pivot = Q[i, k, k]
        if not (pivot > 0.0 and math.isfinite(pivot)):
            return False
        inverse = 1.0 / pivot
        Q[i, k, k] = 1.0
        for j in range(n):
            Q[i, k, j] *= inverse
        for row in range(n):
            if row != k:
                f = Q[i, row, k]
                Q[i, row, k] = 0.0
                for j in range(n):
                    Q[i, row, j] -= f * Q[i, k, j]
    return True


@jit_in_place
def _assemble(s, order, tree, G, workspace, eps):
    """The front of node s, with what nodes below it pass on."""
    A, D, mode = workspace.A, workspace.D, workspace.mode
    at = workspace.articulated
    F = at.fronts.front
    meet, rows, body = order.meet, order.row, tree.body
    _, size = size_of(order, s)
    clear_front(F, size)
    i = order.body[s]
    if i >= 0:
        R = load33(at.R, i)
        B = (
            (A[i, 3, 3], A[i, 3, 4], A[i, 3, 5]), (A[i, 4, 3], A[i, 4, 4], A[i, 4, 5]),
            (A[i, 5, 3], A[i, 5, 4], A[i, 5, 5]),
        )  # fmt: skip
        J = matmul(matmul(R, B), transpose(R))
        for k in range(3):
            F[k, k] = A[i, k, k]
            for j in range(3):
                F[3 + k, 3 + j] = 0.5 * (J[k][j] + J[j][k])
    place = 0
    for e in range(order.row_start[s], order.row_start[s + 1]):
        r = rows[e]
        F[place, place] = -1.0 if mode[r] == OFF else -(D[r] + eps[r])
        place += 1
    for e in range(order.meet_start[s], order.meet_start[s + 1]):
        r, side, at_row, at_body = meet[e, 0], meet[e, 1], meet[e, 2], meet[e, 3]
        if mode[r] != OFF:
            g = world_row(G, r, side, load33(at.R, body[r, side]))
            for k in range(6):
                F[at_row, at_body + k] += g[k]
                F[at_body + k, at_row] += g[k]
    add_children(order, s, F, at.fronts.stack)


@jit_in_place
def _eliminate_body(s, order, tree, parent_at, G, workspace):
    """Q^-1 and V = U Q^-1 of a body's node, the rest onto the stack; False where it has none."""
    at, D, mode = workspace.articulated, workspace.D, workspace.mode
    F, stack, V, U, Q, T = at.fronts.front, at.fronts.stack, at.fronts.lower, at.U, at.Q, at.T
    i, base, up = order.body[s], order.factor_at[s], parent_at[s]
    _, size = size_of(order, s)
    free = at.free[i]
    for k in range(free):
        for a in range(size):
            total = 0.0
            for c in range(6):
                total += F[a, c] * T[i, c, k]
            U[k, a] = total
    for k in range(free):
        for j in range(free):
            total = 0.0
            for c in range(6):
                total += T[i, c, k] * U[j, c]
            Q[i, k, j] = total
    for r in range(tree.first[i], tree.last[i]):
        if mode[r] == SOFT:
            for k in range(free):
                share = soft_freedom(i, r, tree, G, at, k) / D[r]
                for j in range(free):
                    Q[i, k, j] += share * soft_freedom(i, r, tree, G, at, j)
    if not _invert(Q, i, free):
        return False
    for a in range(size):
        for k in range(free):
            total = 0.0
            for j in range(free):
                total += U[j, a] * Q[i, j, k]
            V[base + k * size + a] = total
    for a in range(6 if up < 0 else 0, size):
        row = uintp(a)
        for k in range(free):
            f = V[base + k * size + a]
            if f != 0.0:
                share = uintp(k)
                for j in range(size):
                    F[row, uintp(j)] -= f * U[share, uintp(j)]
    if up >= 0:
        _carry(F, size, up, (at.arm[i, 0], at.arm[i, 1], at.arm[i, 2]))
    to = order.stack_at[s]
    for a in range(6, size):
        row = uintp(a)
        for j in range(6, size):
            stack[uintp(to + j - 6)] = F[row, uintp(j)]
        to += size - 6
    return True


@jit_in_place
def _carry(F, size, up, r):
    """Add X^T F of the first six rows, and F X of these columns, to those of the parent."""
    x, y, z = r
    u = uintp(up)
    for b in range(size):
        j = uintp(b)
        f0, f1, f2 = F[0, j], F[1, j], F[2, j]
        F[u, j] += f0
        F[u + uintp(1), j] += f1
        F[u + uintp(2), j] += f2
        F[u + uintp(3), j] += F[3, j] + y * f2 - z * f1
        F[u + uintp(4), j] += F[4, j] + z * f0 - x * f2
        F[u + uintp(5), j] += F[5, j] + x * f1 - y * f0
    for a in range(6, size):
        i = uintp(a)
        f0, f1, f2 = F[i, 0], F[i, 1], F[i, 2]
        F[i, u] += f0
        F[i, u + uintp(1)] += f1
        F[i, u + uintp(2)] += f2
        F[i, u + uintp(3)] += F[i, 3] + y * f2 - z * f1
        F[i, u + uintp(4)] += F[i, 4] + z * f0 - x * f2
        F[i, u + uintp(5)] += F[i, 5] + x * f1 - y * f0


@jit_in_place
def place_bodies(tree, x, R, G, workspace):
    """What the factors need of poses and joints; False where the rows of a joint are not enough."""
    at, mode = workspace.articulated, workspace.mode
    for i in tree.order:
        store33(at.R, i, load33(R, i))
        p = tree.parent[i]
        for k in range(3):
            at.arm[i, k] = x[i, k] - x[p, k] if p >= 0 else 0.0
    for i in tree.order:
        if not _joint_basis(i, tree, G, mode, at):
            return False
    return True


@jit_in_place
def eliminate_nodes(tree, G, workspace, eps):
    """The factors; False where a pivot vanishes or is no number."""
    order, parent_at = tree.articulated, tree.parent_at
    for s in range(order.body.shape[0]):
        _assemble(s, order, tree, G, workspace, eps)
        if order.body[s] >= 0:
            if not _eliminate_body(s, order, tree, parent_at, G, workspace):
                return False
        elif not eliminate_front(order, s, workspace.articulated.fronts):
            return False
    return True


_bundle_articulated = bundler(ArticulatedWorkspace)


def bundle_articulated_workspace(workspace: ArticulatedWorkspace) -> Any:
    """The arrays of `workspace` as one bundle."""
    return _bundle_articulated(*workspace._replace(fronts=bundle_fronts(*workspace.fronts)))


def articulated_workspace(order: SparseOrder, n: int, r: int) -> ArticulatedWorkspace:
    """Arrays for the factors of n bodies and r rows; almost none without an order."""
    n, r = (n, r) if len(order.body) else (0, 0)
    six = [np.zeros((n, 6, 6)) for _ in range(3)]
    size = max(6, int(order.largest[0]))
    flat = [np.zeros((n, 6)) for _ in range(4)]
    return ArticulatedWorkspace(
        used=np.zeros(1, np.int64), R=np.zeros((n, 3, 3)), arm=np.zeros((n, 3)),
        free=np.zeros(n, np.int64), T=six[0], P=six[1], Q=six[2], z=flat[0],
        U=np.zeros((6, size)), rows=np.zeros((6, 12)), y=flat[1], left=flat[2],
        w=np.zeros(int(order.first[-1])), more_u=flat[3], more=np.zeros(r),
        fronts=front_workspace(order),
    )  # fmt: skip
