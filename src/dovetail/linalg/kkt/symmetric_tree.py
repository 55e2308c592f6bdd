r"""Bodies and joints in one symmetric system, by L D L^T from the leaves to the root.

    [ A   G^T ] [ u ]   [ b ]
    [ G   -D  ] [ l ] = [ c ]
with A block diagonal and positive definite, D >= 0 diagonal, rows of a tree without loops. As
`kkt.tree`, of whose work this is a third: of a leaf body i with parent p,
    A_i = L E L^T,  Z = E^-1 L^-1 G_i^T,  Z^T E Z + D = K F K^T,  X = F^-1 K^-1 G_p,
    A_p += X^T F X.
E and F are diagonal, and kept inverted. OFF rows take no part.
"""

import math

from dovetail.linalg.kkt.records import ELSEWHERE
from dovetail.linalg.kkt.rows import OFF
from dovetail.runtime.jit import jit_in_place

LEAST = 1e-14  # of a diagonal entry that one elimination leaves: less is none


@jit_in_place
def is_plain_tree(tree, workspace):
    """Whether no rows close loops and no blocks of A couple two bodies."""
    return tree.loop[0] >= workspace.mode.shape[0] and workspace.V.shape[0] == 0


@jit_in_place
def _factor_at(A, i, n):
    """The leading n x n of A[i], of which only the lower half is read, becomes L and E^-1.

    False where it is not positive definite.
    """
    for k in range(n):
        pivot = A[i, k, k]
        if not (pivot > 0.0 and math.isfinite(pivot)):
            return False
        inverse = 1.0 / pivot
        A[i, k, k] = inverse
        for r in range(k + 1, n):
            f = A[i, r, k] * inverse
            for c in range(k + 1, r):
                A[i, r, c] -= f * A[i, c, k] * pivot
            least = LEAST * A[i, r, r]
            A[i, r, r] -= f * A[i, r, k]
            if not A[i, r, r] > least:
                return False
            A[i, r, k] = f
    return True


@jit_in_place
def _forward_six(A, i, n, B):
    """B (n, 6) becomes L^-1 B."""
    for k in range(n):
        b0, b1, b2, b3, b4, b5 = B[k, 0], B[k, 1], B[k, 2], B[k, 3], B[k, 4], B[k, 5]
        for r in range(k + 1, n):
            f = A[i, r, k]
            c0, c1, c2 = B[r, 0] - f * b0, B[r, 1] - f * b1, B[r, 2] - f * b2
            c3, c4, c5 = B[r, 3] - f * b3, B[r, 4] - f * b4, B[r, 5] - f * b5
            B[r, 0], B[r, 1], B[r, 2], B[r, 3], B[r, 4], B[r, 5] = c0, c1, c2, c3, c4, c5


@jit_in_place
def _forward(A, i, n, b):
    """The first n entries of b become L^-1 b."""
    for k in range(n):
        for r in range(k + 1, n):
            b[r] -= A[i, r, k] * b[k]


@jit_in_place
def _backward(A, i, n, b):
    """The first n entries of b become L^-T b."""
    for k in range(n - 1, -1, -1):
        s = b[k]
        for j in range(k + 1, n):
            s -= A[i, j, k] * b[j]
        b[k] = s


@jit_in_place
def _add_rows(i, first, m, begin, child, G, workspace):
    """Z of up to six used rows of body i, from number `begin` of its m on, and Z^T E Z with them.

    On and below the diagonal.
    """
    Z, S, wide, used = workspace.Y, workspace.S, workspace.wide, workspace.used
    count = min(6, m - begin)
    for a in range(6):
        for k in range(6):
            wide[k, a] = 0.0
        if a < count:
            r = used[first + begin + a]
            for k in range(6):
                wide[k, a] = G[r, child[r], k]
    A = workspace.A
    _forward_six(A, i, 6, wide)
    for a in range(count):
        r = used[first + begin + a]
        for k in range(6):
            Z[r, k] = wide[k, a] * A[i, k, k]
        for b in range(begin):
            t, s = used[first + b], 0.0
            for k in range(6):
                s += wide[k, a] * Z[t, k]
            S[i, begin + a, b] = s
        s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(6):
            f = Z[r, k]
            s0, s1, s2 = s0 + f * wide[k, 0], s1 + f * wide[k, 1], s2 + f * wide[k, 2]
            s3, s4, s5 = s3 + f * wide[k, 3], s4 + f * wide[k, 4], s5 + f * wide[k, 5]
        found = (s0, s1, s2, s3, s4, s5)
        for b in range(a + 1):
            S[i, begin + a, begin + b] = found[b]


@jit_in_place
def factor_symmetric(tree, G, workspace):
    """Factor with A, D, mode in `workspace`; returns a body that has no such factor, or -1."""
    workspace.factors_of[0] = ELSEWHERE
    workspace.articulated.used[0] = 0
    order, firsts, lasts, parent = tree.order, tree.first, tree.last, tree.parent
    child, mode, D, A, S = tree.child_side, workspace.mode, workspace.D, workspace.A, workspace.S
    wide, used, n_used = workspace.wide, workspace.used, workspace.n_used
    X = workspace.G1_up
    for i in order:
        if not _factor_at(A, i, 6):
            return i
        first, p, m = firsts[i], parent[i], 0
        for r in range(first, lasts[i]):
            if mode[r] != OFF:
                used[first + m] = r
                m += 1
        n_used[i] = m
        for begin in range(0, m, 6):
            _add_rows(i, first, m, begin, child, G, workspace)
        for a in range(m):
            S[i, a, a] += D[used[first + a]]
        if not _factor_at(S, i, m):
            return i
        if p < 0:
            continue
        for a in range(m):
            r = used[first + a]
            for k in range(6):
                wide[a, k] = G[r, 1 - child[r], k]
        _forward_six(S, i, m, wide)
        for a in range(m):
            r = used[first + a]
            for k in range(6):
                X[r, k] = wide[a, k] * S[i, a, a]
        for k in range(6):
            c0, c1, c2 = A[p, k, 0], A[p, k, 1], A[p, k, 2]
            c3, c4, c5 = A[p, k, 3], A[p, k, 4], A[p, k, 5]
            for a in range(m):
                f = X[used[first + a], k]
                c0, c1, c2 = c0 + f * wide[a, 0], c1 + f * wide[a, 1], c2 + f * wide[a, 2]
                c3, c4, c5 = c3 + f * wide[a, 3], c4 + f * wide[a, 4], c5 + f * wide[a, 5]
            A[p, k, 0], A[p, k, 1], A[p, k, 2] = c0, c1, c2
            A[p, k, 3], A[p, k, 4], A[p, k, 5] = c3, c4, c5
    return -1


@jit_in_place
def solve_symmetric(tree, workspace, c, u, lam):
    """The solution for right-hand sides workspace.b (used up) and c; OFF rows have multiplier 0."""
    order, firsts, lasts, parent = tree.order, tree.first, tree.last, tree.parent
    A, S, b, y, short = workspace.A, workspace.S, workspace.b, workspace.y, workspace.short
    used, n_used, Z, X = workspace.used, workspace.n_used, workspace.Y, workspace.G1_up
    for i in order:
        first, p, m = firsts[i], parent[i], n_used[i]
        for k in range(6):
            short[k] = b[i, k]
        _forward(A, i, 6, short)
        for k in range(6):
            y[i, k] = short[k]
        for a in range(m):
            r = used[first + a]
            s = -c[r]
            for k in range(6):
                s += Z[r, k] * y[i, k]
            short[a] = s
        _forward(S, i, m, short)
        for r in range(first, lasts[i]):
            lam[r] = 0.0
        for a in range(m):
            r = used[first + a]
            lam[r] = short[a] * S[i, a, a]
            if p >= 0:
                for k in range(6):
                    b[p, k] -= X[r, k] * short[a]
    for n in range(order.shape[0] - 1, -1, -1):
        i = order[n]
        first, p, m = firsts[i], parent[i], n_used[i]
        for a in range(m):
            r = used[first + a]
            s = lam[r]
            if p >= 0:
                for k in range(6):
                    s += X[r, k] * u[p, k]
            short[a] = s
        _backward(S, i, m, short)
        for a in range(m):
            lam[used[first + a]] = short[a]
        for k in range(6):
            short[k] = y[i, k] * A[i, k, k]
        for a in range(m):
            r = used[first + a]
            for k in range(6):
                short[k] -= Z[r, k] * lam[r]
        _backward(A, i, 6, short)
        for k in range(6):
            u[i, k] = short[k]
