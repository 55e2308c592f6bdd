r"""Bodies and joints in one linear system, solved from the leaves of their tree to its root.

    [ A   G0^T ] [ u ]   [ b ]
    [ G1   -D  ] [ l ] = [ c ]
with A block diagonal (6x6 per body), G0, G1 rows over two bodies and D >= 0 diagonal. Eliminating
a leaf body i together with the rows to its parent p changes nothing but A_p and b_p:
    S = G1_i A_i^-1 G0_i^T + D,    A_p += G0_p^T S^-1 G1_p,
so a tree of n bodies costs O(n) and fills in nothing. Rows that close a loop stand last; they are
solved through their dense Schur complement W = C1 K^-1 C0^T + D.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.kernels.jit import jit
from dovetail.kernels.small_lu import lu_factor, lu_solve

OFF, HARD, SOFT = 0, 1, 2  # a row: left out, G u = c, or G u - D l = c
DEPENDENT = 1e-9  # a pivot of the equilibrated W below this share is a redundant row


class Elimination(NamedTuple):
    """The order of elimination: n bodies, r rows."""

    order: Any  # (k,) dynamic bodies, leaves first
    parent: Any  # (n,) body above, -1 for the ground or one that does not move by forces
    first: Any  # (n,) first row of the link to the parent
    last: Any  # (n,) one past the last
    child_side: Any  # (r,) which of a tree row's two bodies is the child
    loop: Any  # (1,) first row that closes a loop
    moves: Any  # (n,) whether forces move the body
    body: Any  # (r, 2) bodies of a row


class KktRoom(NamedTuple):
    """Factors and scratch."""

    A: Any  # (n, 6, 6)
    A_pivot: Any  # (n, 6)
    S: Any  # (n, m, m)
    S_pivot: Any  # (n, m)
    Y: Any  # (r, 6) A_i^-1 G0_i^T, one row each
    W: Any  # (1, q, q)
    W_pivot: Any  # (1, q)
    Z: Any  # (q, n, 6) K^-1 C0^T
    Z_rows: Any  # (q, r)
    b: Any  # (n, 6)
    y: Any  # (n, 6)
    short: Any  # (max(m, q, 6),)
    D: Any  # (r,)
    mode: Any  # (r,)


@jit
def set_block(A, i, m, B):
    """A_i = diag(m I, B)."""
    for k in range(3):
        for c in range(6):
            A[i, k, c] = 0.0
            A[i, 3 + k, c] = 0.0
        A[i, k, k] = m
        for c in range(3):
            A[i, 3 + k, 3 + c] = B[k][c]


@jit
def _factor_tree(tree, G0, G1, room):
    for i in tree.order:
        if not lu_factor(room.A, i, 6, room.A_pivot):
            return i
        first, last, p = tree.first[i], tree.last[i], tree.parent[i]
        m = last - first
        for r in range(first, last):
            side = tree.child_side[r]
            for k in range(6):
                room.short[k] = G0[r, side, k] if room.mode[r] != OFF else 0.0
            lu_solve(room.A, i, 6, room.A_pivot, room.short)
            for k in range(6):
                room.Y[r, k] = room.short[k]
        for r in range(first, last):
            side = tree.child_side[r]
            for q in range(first, last):
                s = 0.0
                if room.mode[r] != OFF and room.mode[q] != OFF:
                    for k in range(6):
                        s += G1[r, side, k] * room.Y[q, k]
                if r == q:
                    s += 1.0 if room.mode[r] == OFF else room.D[r]
                room.S[i, r - first, q - first] = s
        if m > 0 and not lu_factor(room.S, i, m, room.S_pivot):
            return i
        if p < 0:
            continue
        for c in range(6):
            for r in range(first, last):
                off = room.mode[r] == OFF
                room.short[r - first] = 0.0 if off else G1[r, 1 - tree.child_side[r], c]
            lu_solve(room.S, i, m, room.S_pivot, room.short)
            for r in range(first, last):
                if room.mode[r] != OFF:
                    f = room.short[r - first]
                    for k in range(6):
                        room.A[p, k, c] += G0[r, 1 - tree.child_side[r], k] * f
    return -1


@jit
def _solve_tree(tree, G0, G1, room, c, u, lam):
    """K (u, lam) = (room.b, c) for the tree's rows; room.b is used up."""
    b, y = room.b, room.y
    for i in tree.order:
        first, last, p = tree.first[i], tree.last[i], tree.parent[i]
        m = last - first
        for k in range(6):
            room.short[k] = b[i, k]
        lu_solve(room.A, i, 6, room.A_pivot, room.short)
        for k in range(6):
            y[i, k] = room.short[k]
        if m == 0:
            continue
        for r in range(first, last):
            s = 0.0
            if room.mode[r] != OFF:
                s = -c[r]
                side = tree.child_side[r]
                for k in range(6):
                    s += G1[r, side, k] * y[i, k]
            room.short[r - first] = s
        lu_solve(room.S, i, m, room.S_pivot, room.short)
        for r in range(first, last):
            lam[r] = room.short[r - first]
            if p >= 0 and room.mode[r] != OFF:
                for k in range(6):
                    b[p, k] -= G0[r, 1 - tree.child_side[r], k] * lam[r]
    for j in range(tree.order.shape[0] - 1, -1, -1):
        i = tree.order[j]
        first, last, p = tree.first[i], tree.last[i], tree.parent[i]
        m = last - first
        if p >= 0 and m > 0:
            for r in range(first, last):
                s = 0.0
                if room.mode[r] != OFF:
                    for k in range(6):
                        s += G1[r, 1 - tree.child_side[r], k] * u[p, k]
                room.short[r - first] = s
            lu_solve(room.S, i, m, room.S_pivot, room.short)
            for r in range(first, last):
                lam[r] += room.short[r - first]
        for k in range(6):
            s = y[i, k]
            for r in range(first, last):
                s -= room.Y[r, k] * lam[r]
            u[i, k] = s


@jit
def _row_times(tree, G, r, u):
    s = 0.0
    for side in range(2):
        i = tree.body[r, side]
        if i >= 0 and tree.moves[i]:
            for k in range(6):
                s += G[r, side, k] * u[i, k]
    return s


@jit
def _drop_redundant(room, keep, start):
    """Mark rows of W that others imply: elimination with diagonal pivoting on a scaled copy."""
    q = room.W.shape[1]
    work, done = np.empty((q, q)), np.zeros(q, np.bool_)
    size = np.empty(q)
    for r in range(q):
        size[r] = np.sqrt(max(room.W[0, r, r], 1e-300))
    for r in range(q):
        for c in range(q):
            work[r, c] = room.W[0, r, c] / (size[r] * size[c])
        keep[start + r] = True
    for _ in range(q):
        best, large = -1, 0.0
        for r in range(q):
            if not done[r] and room.mode[start + r] != OFF and work[r, r] > large:
                best, large = r, work[r, r]
        if best < 0 or large < DEPENDENT:
            break
        done[best] = True
        for r in range(q):
            if not done[r]:
                f = work[r, best] / large
                for c in range(q):
                    if not done[c]:
                        work[r, c] -= f * work[best, c]
    for r in range(q):
        if not done[r] and room.mode[start + r] == HARD:
            keep[start + r] = False


@jit
def factor(tree, G0, G1, room, keep, decide):
    """Factor with A, D, mode in `room`; returns the body that has no solution, or -1.

    Rows with `keep` False are implied by the others and left out; `decide` finds them anew, which
    is right where the constraints hold and G0 = G1.
    """
    start = tree.loop[0]
    q = room.W.shape[1]
    if not decide:
        for r in range(start, start + q):
            if not keep[r]:
                room.mode[r] = OFF
    bad = _factor_tree(tree, G0, G1, room)
    if bad >= 0 or q == 0:
        return bad
    zero = np.zeros(room.D.shape[0])
    for j in range(q):
        r = start + j
        for i in tree.order:
            for k in range(6):
                room.b[i, k] = 0.0
        if room.mode[r] != OFF:
            for side in range(2):
                i = tree.body[r, side]
                if i >= 0 and tree.moves[i]:
                    for k in range(6):
                        room.b[i, k] += G0[r, side, k]
        _solve_tree(tree, G0, G1, room, zero, room.Z[j], room.Z_rows[j])
    for i in range(q):
        for j in range(q):
            s = 0.0
            if room.mode[start + i] != OFF and room.mode[start + j] != OFF:
                s = _row_times(tree, G1, start + i, room.Z[j])
            if i == j:
                s += 1.0 if room.mode[start + i] == OFF else room.D[start + i]
            room.W[0, i, j] = s
    if decide:
        _drop_redundant(room, keep, start)
        for i in range(q):
            if not keep[start + i]:
                room.mode[start + i] = OFF
                for j in range(q):
                    room.W[0, i, j] = 0.0
                    room.W[0, j, i] = 0.0
                room.W[0, i, i] = 1.0
    if not lu_factor(room.W, 0, q, room.W_pivot):
        return tree.order[0]
    return -1


@jit
def solve(tree, G0, G1, room, c, u, lam):
    """The solution for right-hand sides room.b (used up) and c; multipliers of OFF rows are 0."""
    start = tree.loop[0]
    q = room.W.shape[1]
    _solve_tree(tree, G0, G1, room, c, u, lam)
    if q == 0:
        return
    for j in range(q):
        r = start + j
        room.short[j] = 0.0 if room.mode[r] == OFF else _row_times(tree, G1, r, u) - c[r]
    lu_solve(room.W, 0, q, room.W_pivot, room.short)
    for j in range(q):
        l = room.short[j]
        lam[start + j] = l
        if l != 0.0:
            for i in tree.order:
                for k in range(6):
                    u[i, k] -= room.Z[j, i, k] * l
            for r in range(start):
                lam[r] -= room.Z_rows[j, r] * l


def kkt_room(tree: Elimination) -> KktRoom:
    """Room for systems of one elimination order."""
    n, r = len(tree.parent), len(tree.child_side)
    m = int((tree.last - tree.first).max(initial=0))
    q = r - int(tree.loop[0])
    return KktRoom(
        A=np.zeros((n, 6, 6)), A_pivot=np.zeros((n, 6), np.int64),
        S=np.zeros((n, m, m)), S_pivot=np.zeros((n, m), np.int64), Y=np.zeros((r, 6)),
        W=np.zeros((1, q, q)), W_pivot=np.zeros((1, q), np.int64),
        Z=np.zeros((q, n, 6)), Z_rows=np.zeros((q, r)), b=np.zeros((n, 6)), y=np.zeros((n, 6)),
        short=np.zeros(max(m, q, 6)), D=np.zeros(r), mode=np.zeros(r, np.int64),
    )  # fmt: skip


_bodies, _rows = np.zeros(0, np.int64), np.zeros(0, np.int64)
NO_ELIMINATION = Elimination(
    _bodies, _bodies, _bodies, _bodies, _rows, np.zeros(1, np.int64), np.zeros(0, np.bool_),
    np.zeros((0, 2), np.int64),
)  # fmt: skip
