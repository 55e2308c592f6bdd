r"""Bodies and joints with loops, bodies eliminated along the freedoms of the joint to the parent.

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

from dovetail.linalg.kkt.freedoms import soft_freedom
from dovetail.linalg.kkt.fronts import (
    FrontWorkspace,
    SparseOrder,
    bundle_fronts,
    front_workspace,
    size_of,
)
from dovetail.linalg.kkt.rows import OFF, SOFT, world_row
from dovetail.linalg.vec3 import load33, matmul, transpose
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.records import FloatArray, Int64Array, bundler


class ArticulatedWorkspace(NamedTuple):
    """Factors and scratch; n bodies, r rows."""

    used: Int64Array  # (1,) 1 where the last factors are these
    R: FloatArray  # (n, 3, 3) where it was factored
    arm: FloatArray  # (n, 3) [m] r, world axes
    free: Int64Array  # (n,) freedoms of the joint to the parent
    T: FloatArray  # (n, 6, 6) a row for each
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
def front_of(tree, s):
    """Own unknowns of node s, size of its front, place of its parent in it and among columns.

    A parent that nothing else connects to the body is not in the front: own unknowns take its place
    in what is passed on. Both places are -1 where there is none.
    """
    order = tree.articulated
    own, size = size_of(order, s)
    if tree.carried[s] >= 0:
        return own, size - 6, -1, tree.carried[s]
    return own, size, tree.parent_at[s], -1


@jit_in_place
def _clear(F, size):
    """F = 0, of which only the upper triangle is used."""
    for i in range(size):
        for j in range(i, size):
            F[uintp(i), uintp(j)] = 0.0


@jit_in_place
def _add_children(order, s, F, stack):
    """Add what nodes below pass on to the front of node s."""
    above, children = order.above, order.child
    for e in range(order.child_start[s], order.child_start[s + 1]):
        child = children[e]
        start, at = order.column_start[child], order.stack_at[child]
        count = order.column_start[child + 1] - start
        for i in range(count):
            to = uintp(above[start + i])
            for j in range(i, count):
                F[to, uintp(above[uintp(start + j)])] += stack[uintp(at + j)]
            at += count


@jit_in_place
def _pass_on(order, s, F, own, size, stack):
    """What is left of the front onto the stack."""
    to = order.stack_at[s]
    for a in range(own, size):
        for j in range(a, size):
            stack[uintp(to + j - own)] = F[uintp(a), uintp(j)]
        to += size - own


@jit_in_place
def _assemble(s, order, tree, G, workspace, eps):
    """The front of node s, with what nodes below it pass on."""
    A, D, mode = workspace.A, workspace.D, workspace.mode
    at = workspace.articulated
    F = at.fronts.front
    meet, rows, body = order.meet, order.row, tree.body
    _, size, _, _ = front_of(tree, s)
    _clear(F, size)
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
            for j in range(k, 3):
                F[3 + k, 3 + j] = 0.5 * (J[k][j] + J[j][k])
    start = order.row_start[s]
    for place in range(order.row_start[s + 1] - start):
        r = rows[start + place]
        F[place, place] = -1.0 if mode[r] == OFF else -(D[r] + eps[r])
    for e in range(order.meet_start[s], order.meet_start[s + 1]):
        r, side, at_row, at_body = meet[e, 0], meet[e, 1], meet[e, 2], meet[e, 3]
        if mode[r] != OFF:  # a row comes after its bodies
            g = world_row(G, r, side, load33(at.R, body[r, side]))
            for k in range(6):
                F[at_body + k, at_row] += g[k]
    _add_children(order, s, F, at.fronts.stack)


@jit_in_place
def _eliminate_rows(s, order, fronts):
    """L and the inverse diagonal of a node of loop rows; False where a pivot is 0."""
    F, lower, inverse = fronts.front, fronts.lower, fronts.inverse
    first, base = order.first[s], order.factor_at[s]
    own, size = size_of(order, s)
    for k in range(own):
        pivot = F[k, k]
        if not (abs(pivot) > 0.0 and math.isfinite(pivot)):
            return False
        inverse[first + k] = 1.0 / pivot
        at = uintp(k)
        for i in range(k + 1, size):
            f = F[at, uintp(i)] / pivot
            lower[uintp(base + i)] = f
            if f != 0.0:
                for j in range(i, size):
                    F[uintp(i), uintp(j)] -= f * F[at, uintp(j)]
        base += size
    _pass_on(order, s, F, own, size, fronts.stack)
    return True


@jit_in_place
def _eliminate_body(s, order, tree, G, workspace):
    """Q^-1 and V = U Q^-1 of a body's node, the rest onto the stack; False where it has none."""
    at, D, mode = workspace.articulated, workspace.D, workspace.mode
    F, V, U, Q, T = at.fronts.front, at.fronts.lower, at.U, at.Q, at.T
    i, base = order.body[s], order.factor_at[s]
    _, size, up, carried = front_of(tree, s)
    free = at.free[i]
    for k in range(6):
        for j in range(k):
            F[k, j] = F[j, k]
    for k in range(free):
        t0, t1, t2 = T[i, k, 0], T[i, k, 1], T[i, k, 2]
        t3, t4, t5 = T[i, k, 3], T[i, k, 4], T[i, k, 5]
        for j in range(size):
            a = uintp(j)
            U[uintp(k), a] = (
                t0 * F[0, a] + t1 * F[1, a] + t2 * F[2, a]
                + t3 * F[3, a] + t4 * F[4, a] + t5 * F[5, a]
            )  # fmt: skip
    for k in range(free):
        for j in range(free):
            total = 0.0
            for c in range(6):
                total += T[i, k, c] * U[j, c]
            Q[i, k, j] = total
    for r in range(tree.first[i], tree.last[i]):
        if mode[r] == SOFT:
            for k in range(free):
                share = soft_freedom(i, r, tree, G, at, k) / D[r]
                for j in range(free):
                    Q[i, k, j] += share * soft_freedom(i, r, tree, G, at, j)
    if not _invert(Q, i, free):
        return False
    begin = 6 if up < 0 and carried < 0 else 0
    if free == 3:
        _take_three(F, U, Q, V, i, base, begin, size)
    else:
        _take_each(F, U, Q, V, i, base, begin, size, free)
    arm = (at.arm[i, 0], at.arm[i, 1], at.arm[i, 2])
    if carried >= 0:
        _carry_own(F, size, arm)
        _pass_own(order, s, F, size, carried, at.fronts.stack)
        return True
    if up >= 0:
        _carry(F, size, up, arm)
    _pass_on(order, s, F, 6, size, at.fronts.stack)
    return True


@jit_in_place
def _take_each(F, U, Q, V, i, base, begin, size, free):
    """V = U Q^-1, F -= V U^T from row `begin` on."""
    for k in range(free):
        for a in range(size):
            total = 0.0
            for j in range(free):
                total += Q[i, k, j] * U[uintp(j), uintp(a)]
            V[uintp(base + a)] = total
        for a in range(begin, size):
            f = V[uintp(base + a)]
            if f != 0.0:
                row = uintp(k)
                for j in range(0 if a < 6 else a, size):
                    F[uintp(a), uintp(j)] -= f * U[row, uintp(j)]
        base += size


@jit_in_place
def _take_three(F, U, Q, V, i, base, begin, size):
    """As `_take_each` with three freedoms, in one pass."""
    for k in range(3):
        q0, q1, q2 = Q[i, k, 0], Q[i, k, 1], Q[i, k, 2]
        at = base + k * size
        for n in range(size):
            j = uintp(n)
            V[uintp(at + n)] = q0 * U[0, j] + q1 * U[1, j] + q2 * U[2, j]
    for a in range(begin, size):
        f0, f1, f2 = (
            V[uintp(base + a)],
            V[uintp(base + size + a)],
            V[uintp(base + 2 * size + a)],
        )
        row = uintp(a)
        for n in range(0 if a < 6 else a, size):
            j = uintp(n)
            F[row, j] -= f0 * U[0, j] + f1 * U[1, j] + f2 * U[2, j]


@jit_in_place
def _carry_own(F, size, r):
    """X^T F X in place of the first six rows."""
    x, y, z = r
    for n in range(size):
        j = uintp(n)
        f0, f1, f2 = F[0, j], F[1, j], F[2, j]
        F[3, j] += y * f2 - z * f1
        F[4, j] += z * f0 - x * f2
        F[5, j] += x * f1 - y * f0
    for k in range(6):
        f0, f1, f2 = F[k, 0], F[k, 1], F[k, 2]
        F[k, 3] += y * f2 - z * f1
        F[k, 4] += z * f0 - x * f2
        F[k, 5] += x * f1 - y * f0


@jit_in_place
def _pass_own(order, s, F, size, place, stack):
    """The whole front onto the stack, own unknowns as those of the parent, column `place` on."""
    to = order.stack_at[s]
    for t in range(place):
        a = uintp(t + 6)
        for j in range(t, place):
            stack[uintp(to + j)] = F[a, uintp(j + 6)]
        for k in range(6):
            stack[uintp(to + place + k)] = F[uintp(k), a]
        for j in range(place + 6, size):
            stack[uintp(to + j)] = F[a, uintp(j)]
        to += size
    for k in range(6):
        for j in range(k, 6):
            stack[uintp(to + place + j)] = F[uintp(k), uintp(j)]
        for j in range(place + 6, size):
            stack[uintp(to + j)] = F[uintp(k), uintp(j)]
        to += size
    for t in range(place + 6, size):
        for j in range(t, size):
            stack[uintp(to + j)] = F[uintp(t), uintp(j)]
        to += size


@jit_in_place
def _carry(F, size, up, r):
    """Add X^T F of the first six rows, and F X of these columns, to those of the parent."""
    _carry_own(F, size, r)
    for k in range(6):
        row = uintp(up + k)
        for j in range(6, up):
            F[uintp(j), row] += F[uintp(k), uintp(j)]
        for j in range(up + 6, size):
            F[row, uintp(j)] += F[uintp(k), uintp(j)]
        for j in range(k, 6):
            F[row, uintp(up + j)] += F[k, j] + F[k, up + j] + F[j, up + k]


@jit_in_place
def eliminate_nodes(tree, G, workspace, eps):
    """The factors; False where a pivot vanishes or is no number."""
    order = tree.articulated
    for s in range(order.body.shape[0]):
        _assemble(s, order, tree, G, workspace, eps)
        if order.body[s] >= 0:
            if not _eliminate_body(s, order, tree, G, workspace):
                return False
        elif not _eliminate_rows(s, order, workspace.articulated.fronts):
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
