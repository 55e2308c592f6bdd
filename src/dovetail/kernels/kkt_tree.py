r"""Bodies and joints in one linear system, solved from the leaves of their tree to its root.

    [ A   G0^T ] [ u ]   [ b ]
    [ G1   -D  ] [ l ] = [ c ]
with A block diagonal (6x6 per body), G0, G1 rows over two bodies and D >= 0 diagonal. Eliminating
a leaf body i together with the rows to its parent p changes nothing but A_p and b_p:
    S = G1_i A_i^-1 G0_i^T + D,    A_p += G0_p^T S^-1 G1_p,
so a tree of n bodies costs O(n) and fills in nothing. Rows that close a loop stand last; they are
solved through their dense Schur complement W = C1 K^-1 C0^T + D.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from dovetail.kernels.bundle import bundler
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
    order, firsts, lasts, parent = tree.order, tree.first, tree.last, tree.parent
    child, mode, D = tree.child_side, room.mode, room.D
    A, A_pivot, S, S_pivot, Y, short = (
        room.A, room.A_pivot, room.S, room.S_pivot, room.Y, room.short,
    )  # fmt: skip
    for i in order:
        if not lu_factor(A, i, 6, A_pivot):
            return i
        first, last, p = firsts[i], lasts[i], parent[i]
        m = last - first
        for r in range(first, last):
            side = child[r]
            for k in range(6):
                short[k] = G0[r, side, k] if mode[r] != OFF else 0.0
            lu_solve(A, i, 6, A_pivot, short)
            for k in range(6):
                Y[r, k] = short[k]
        for r in range(first, last):
            side = child[r]
            for q in range(first, last):
                s = 0.0
                if mode[r] != OFF and mode[q] != OFF:
                    for k in range(6):
                        s += G1[r, side, k] * Y[q, k]
                if r == q:
                    s += 1.0 if mode[r] == OFF else D[r]
                S[i, r - first, q - first] = s
        if m > 0 and not lu_factor(S, i, m, S_pivot):
            return i
        if p < 0:
            continue
        for c in range(6):
            for r in range(first, last):
                off = mode[r] == OFF
                short[r - first] = 0.0 if off else G1[r, 1 - child[r], c]
            lu_solve(S, i, m, S_pivot, short)
            for r in range(first, last):
                if mode[r] != OFF:
                    f = short[r - first]
                    for k in range(6):
                        A[p, k, c] += G0[r, 1 - child[r], k] * f
    return -1


@jit
def _solve_tree(tree, G0, G1, room, c, u, lam):
    """K (u, lam) = (room.b, c) for the tree's rows; room.b is used up."""
    order, firsts, lasts, parent = tree.order, tree.first, tree.last, tree.parent
    child, mode, b, y = tree.child_side, room.mode, room.b, room.y
    A, A_pivot, S, S_pivot, Y, short = (
        room.A, room.A_pivot, room.S, room.S_pivot, room.Y, room.short,
    )  # fmt: skip
    for i in order:
        first, last, p = firsts[i], lasts[i], parent[i]
        m = last - first
        for k in range(6):
            short[k] = b[i, k]
        lu_solve(A, i, 6, A_pivot, short)
        for k in range(6):
            y[i, k] = short[k]
        if m == 0:
            continue
        for r in range(first, last):
            s = 0.0
            if mode[r] != OFF:
                s = -c[r]
                side = child[r]
                for k in range(6):
                    s += G1[r, side, k] * y[i, k]
            short[r - first] = s
        lu_solve(S, i, m, S_pivot, short)
        for r in range(first, last):
            lam[r] = short[r - first]
            if p >= 0 and mode[r] != OFF:
                for k in range(6):
                    b[p, k] -= G0[r, 1 - child[r], k] * lam[r]
    for j in range(order.shape[0] - 1, -1, -1):
        i = order[j]
        first, last, p = firsts[i], lasts[i], parent[i]
        m = last - first
        if p >= 0 and m > 0:
            for r in range(first, last):
                s = 0.0
                if mode[r] != OFF:
                    for k in range(6):
                        s += G1[r, 1 - child[r], k] * u[p, k]
                short[r - first] = s
            lu_solve(S, i, m, S_pivot, short)
            for r in range(first, last):
                lam[r] += short[r - first]
        for k in range(6):
            s = y[i, k]
            for r in range(first, last):
                s -= Y[r, k] * lam[r]
            u[i, k] = s


@jit
def _row_times(body, moves, G, r, u):
    s = 0.0
    for side in range(2):
        i = body[r, side]
        if i >= 0 and moves[i]:
            for k in range(6):
                s += G[r, side, k] * u[i, k]
    return s


@jit
def _own_size(tree, G, room, r):
    """sqrt(g^T A^-1 g) of row r: how far a unit multiplier would move its two bodies if free."""
    body, moves, A, pivot, short = tree.body, tree.moves, room.A, room.A_pivot, room.short
    s = 0.0
    for side in range(2):
        i = body[r, side]
        if i >= 0 and moves[i]:
            for k in range(6):
                short[k] = G[r, side, k]
            lu_solve(A, i, 6, pivot, short)
            for k in range(6):
                s += G[r, side, k] * short[k]
    return math.sqrt(s) if s > 0.0 else 1.0


@jit
def _drop_redundant(W, size, mode, keep, start):
    """Mark rows of W that others imply: elimination with diagonal pivoting on a scaled copy."""
    q = W.shape[1]
    work, done = np.empty((q, q)), np.zeros(q, np.bool_)
    for r in range(q):
        for c in range(q):
            work[r, c] = W[0, r, c] / (size[r] * size[c])
        keep[start + r] = True
    for _ in range(q):
        best, large = -1, 0.0
        for r in range(q):
            if not done[r] and mode[start + r] != OFF and work[r, r] > large:
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
        if not done[r] and mode[start + r] == HARD:
            keep[start + r] = False


@jit
def _factor_loops(tree, G0, G1, room, keep, decide):
    """W and its factors, once the tree is factored."""
    start, order, body, moves = tree.loop[0], tree.order, tree.body, tree.moves
    mode, D, W, Z, Z_rows, b = room.mode, room.D, room.W, room.Z, room.Z_rows, room.b
    q = W.shape[1]
    zero = np.zeros(D.shape[0])
    for j in range(q):
        r = start + j
        for i in order:
            for k in range(6):
                b[i, k] = 0.0
        if mode[r] != OFF:
            for side in range(2):
                i = body[r, side]
                if i >= 0 and moves[i]:
                    for k in range(6):
                        b[i, k] += G0[r, side, k]
        _solve_tree(tree, G0, G1, room, zero, Z[j], Z_rows[j])
    for i in range(q):
        for j in range(q):
            s = 0.0
            if mode[start + i] != OFF and mode[start + j] != OFF:
                s = _row_times(body, moves, G1, start + i, Z[j])
            if i == j:
                s += 1.0 if mode[start + i] == OFF else D[start + i]
            W[0, i, j] = s
    if decide:
        size = np.empty(q)
        for i in range(q):
            size[i] = _own_size(tree, G0, room, start + i)
        _drop_redundant(W, size, mode, keep, start)
        for i in range(q):
            if not keep[start + i]:
                mode[start + i] = OFF
                for j in range(q):
                    W[0, i, j] = 0.0
                    W[0, j, i] = 0.0
                W[0, i, i] = 1.0
    return lu_factor(W, 0, q, room.W_pivot)


@jit
def factor(tree, G0, G1, room, keep, decide):
    """Factor with A, D, mode in `room`; returns the body that has no solution, or -1.

    Rows with `keep` False are implied by the others and left out; `decide` finds them anew, which
    is right where the constraints hold and G0 = G1. Uses `room.b` where there are loops.
    """
    start, mode = tree.loop[0], room.mode
    q = mode.shape[0] - start
    if not decide:
        for r in range(start, start + q):
            if not keep[r]:
                mode[r] = OFF
    bad = _factor_tree(tree, G0, G1, room)
    if bad < 0 and q > 0 and not _factor_loops(tree, G0, G1, room, keep, decide):
        bad = tree.order[0]
    return bad


@jit
def solve(tree, G0, G1, room, c, u, lam):
    """The solution for right-hand sides room.b (used up) and c; multipliers of OFF rows are 0."""
    start, order, body, moves = tree.loop[0], tree.order, tree.body, tree.moves
    mode, short, Z, Z_rows = room.mode, room.short, room.Z, room.Z_rows
    q = mode.shape[0] - start
    _solve_tree(tree, G0, G1, room, c, u, lam)
    if q == 0:
        return
    for j in range(q):
        r = start + j
        short[j] = 0.0 if mode[r] == OFF else _row_times(body, moves, G1, r, u) - c[r]
    lu_solve(room.W, 0, q, room.W_pivot, short)
    for j in range(q):
        l = short[j]
        lam[start + j] = l
        if l != 0.0:
            for i in order:
                for k in range(6):
                    u[i, k] -= Z[j, i, k] * l
            for r in range(start):
                lam[r] -= Z_rows[j, r] * l


bundle_elimination = bundler(Elimination)
bundle_kkt = bundler(KktRoom)


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


def no_elimination() -> Elimination:
    """No bodies and no rows, of the types every call has."""
    i = [np.zeros(0, np.int64) for _ in range(5)]
    return Elimination(
        i[0], i[1], i[2], i[3], i[4], np.zeros(1, np.int64), np.zeros(0, np.bool_),
        np.zeros((0, 2), np.int64),
    )  # fmt: skip
