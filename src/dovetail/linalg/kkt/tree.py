r"""Bodies and joints in one linear system, solved from the leaves of their tree to its root.

    [ A   G0^T ] [ u ]   [ b ]
    [ G1   -D  ] [ l ] = [ c ]
with A block diagonal (6x6 per body), G0, G1 rows over few bodies and D >= 0 diagonal. Eliminating
a leaf body i together with the rows to its parent p changes nothing but A_p and b_p:
    S = G1_i A_i^-1 G0_i^T + D,    A_p += G0_p^T S^-1 G1_p,
so a tree of n bodies costs O(n) and fills in nothing. OFF rows take no part. Rows may also couple
the two bodies they join by blocks of A of their own (`coupling`): with A_ip, A_pi their sums over
the link,
    G1_p -= G1_i A_i^-1 A_ip,   G0_p^T -= A_pi A_i^-1 G0_i^T,   A_p -= A_pi A_i^-1 A_ip
first. Where rows close loops (they come last) the whole is factored as a sparse matrix instead
(`kkt.sparse`).
"""

from dovetail.linalg.kkt.articulated import eliminate_nodes
from dovetail.linalg.kkt.articulated_solve import articulated_correct, articulated_solve
from dovetail.linalg.kkt.freedoms import place_bodies
from dovetail.linalg.kkt.records import ELSEWHERE
from dovetail.linalg.kkt.rows import OFF
from dovetail.linalg.kkt.sparse import (
    MAX_SLACK,
    SLACK,
    slack_of,
    sparse_correct,
    sparse_factor,
    sparse_solve,
)
from dovetail.linalg.lu import lu_factor_at, lu_solve_at, lu_solve_six_at
from dovetail.runtime.jit import jit, jit_in_place


@jit_in_place
def set_block(A, i, m, B):
    """A_i = diag(m I, B)."""
    for k in range(3):
        for c in range(6):
            A[i, k, c] = 0.0
            A[i, 3 + k, c] = 0.0
        A[i, k, k] = m
        for c in range(3):
            A[i, 3 + k, 3 + c] = B[k][c]


@jit_in_place
def _couple(i, first, last, child, G0, G1, workspace):
    """V, W and what they change in the rows to the parent."""
    A, A_pivot, Y, short = workspace.A, workspace.A_pivot, workspace.Y, workspace.short
    V, W, coupling, G0_up, G1_up = (
        workspace.V,
        workspace.W,
        workspace.coupling,
        workspace.G0_up,
        workspace.G1_up,
    )
    used, end = workspace.used, first + workspace.n_used[i]
    for c in range(6):
        for k in range(6):
            short[k] = 0.0
            W[i, k, c] = 0.0
        for r in range(first, last):
            side = child[r]
            for k in range(6):
                short[k] += coupling[r, side, k, c]
                W[i, k, c] += coupling[r, 1 - side, k, c]
        lu_solve_at(A, i, 6, A_pivot, short)
        for k in range(6):
            V[i, k, c] = short[k]
    for at in range(first, end):
        r = used[at]
        side = child[r]
        for k in range(6):
            for j in range(6):
                G1_up[r, k] -= G1[r, side, j] * V[i, j, k]
                G0_up[r, k] -= W[i, k, j] * Y[r, j]


@jit_in_place
def _list_used(mode, first, last, used):
    """The rows from `first` to `last` that are not OFF, into `used` from `first` on; how many."""
    end = first
    for r in range(first, last):
        if mode[r] != OFF:
            used[end] = r
            end += 1
    return end - first


@jit_in_place
def _eliminate(i, first, m, begin, child, G0, G1, workspace):
    """Y of up to six used rows of body i, from number `begin` of its m on, and S of all with them.

    Without D.
    """
    Y, wide, used, S = workspace.Y, workspace.wide, workspace.used, workspace.S
    count = min(6, m - begin)
    for a in range(6):
        for k in range(6):
            wide[k, a] = 0.0
        if a < count:
            r = used[first + begin + a]
            for k in range(6):
                wide[k, a] = G0[r, child[r], k]
    lu_solve_six_at(workspace.A, i, 6, workspace.A_pivot, wide)
    for a in range(count):
        r = used[first + begin + a]
        for k in range(6):
            Y[r, k] = wide[k, a]
    for a in range(m):
        r = used[first + a]
        side, s0, s1, s2, s3, s4, s5 = child[r], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(6):
            f = G1[r, side, k]
            s0, s1, s2 = s0 + f * wide[k, 0], s1 + f * wide[k, 1], s2 + f * wide[k, 2]
            s3, s4, s5 = s3 + f * wide[k, 3], s4 + f * wide[k, 4], s5 + f * wide[k, 5]
        found = (s0, s1, s2, s3, s4, s5)
        for b in range(count):
            S[i, a, begin + b] = found[b]


@jit_in_place
def _factor_tree(tree, G0, G1, workspace):
    order, firsts, lasts, parent = tree.order, tree.first, tree.last, tree.parent
    child, mode, D = tree.child_side, workspace.mode, workspace.D
    A, A_pivot, S, S_pivot = workspace.A, workspace.A_pivot, workspace.S, workspace.S_pivot
    wide, used, n_used = workspace.wide, workspace.used, workspace.n_used
    G0_up, G1_up, V, W = workspace.G0_up, workspace.G1_up, workspace.V, workspace.W
    coupled = V.shape[0] > 0
    for i in order:
        if not lu_factor_at(A, i, 6, A_pivot):
            return i
        first, last, p = firsts[i], lasts[i], parent[i]
        m = _list_used(mode, first, last, used)
        n_used[i] = m
        for begin in range(0, m, 6):
            _eliminate(i, first, m, begin, child, G0, G1, workspace)
        for a in range(m):
            S[i, a, a] += D[used[first + a]]
        if m > 0 and not lu_factor_at(S, i, m, S_pivot):
            return i
        if p < 0:
            continue
        for at in range(first, first + m):
            r = used[at]
            for k in range(6):
                G0_up[r, k], G1_up[r, k] = G0[r, 1 - child[r], k], G1[r, 1 - child[r], k]
        if coupled:
            _couple(i, first, last, child, G0, G1, workspace)
            for k in range(6):
                for c in range(6):
                    for j in range(6):
                        A[p, k, c] -= W[i, k, j] * V[i, j, c]
        for a in range(m):
            for c in range(6):
                wide[a, c] = G1_up[used[first + a], c]
        lu_solve_six_at(S, i, m, S_pivot, wide)
        for k in range(6):
            c0, c1, c2 = A[p, k, 0], A[p, k, 1], A[p, k, 2]
            c3, c4, c5 = A[p, k, 3], A[p, k, 4], A[p, k, 5]
            for a in range(m):
                f = G0_up[used[first + a], k]
                c0, c1, c2 = c0 + f * wide[a, 0], c1 + f * wide[a, 1], c2 + f * wide[a, 2]
                c3, c4, c5 = c3 + f * wide[a, 3], c4 + f * wide[a, 4], c5 + f * wide[a, 5]
            A[p, k, 0], A[p, k, 1], A[p, k, 2] = c0, c1, c2
            A[p, k, 3], A[p, k, 4], A[p, k, 5] = c3, c4, c5
    return -1


@jit_in_place
def _solve_tree(tree, G0, G1, workspace, c, u, lam):
    """K (u, lam) = (workspace.b, c) for the tree's rows; workspace.b is used up."""
    order, firsts, lasts, parent = tree.order, tree.first, tree.last, tree.parent
    child, b, y, used, n_used = (
        tree.child_side, workspace.b, workspace.y, workspace.used, workspace.n_used,
    )  # fmt: skip
    A, A_pivot, S, S_pivot = workspace.A, workspace.A_pivot, workspace.S, workspace.S_pivot
    Y, short = workspace.Y, workspace.short
    G0_up, G1_up, V, W = workspace.G0_up, workspace.G1_up, workspace.V, workspace.W
    coupled = V.shape[0] > 0
    for i in order:
        first, last, p, m = firsts[i], lasts[i], parent[i], n_used[i]
        for k in range(6):
            short[k] = b[i, k]
        lu_solve_at(A, i, 6, A_pivot, short)
        for k in range(6):
            y[i, k] = short[k]
        if first == last:
            continue
        for a in range(m):
            r = used[first + a]
            s, side = -c[r], child[r]
            for k in range(6):
                s += G1[r, side, k] * y[i, k]
            short[a] = s
        lu_solve_at(S, i, m, S_pivot, short)
        for r in range(first, last):
            lam[r] = 0.0
        for a in range(m):
            r = used[first + a]
            lam[r] = short[a]
            if p >= 0:
                for k in range(6):
                    b[p, k] -= G0_up[r, k] * lam[r]
        if coupled and p >= 0:
            for k in range(6):
                for j in range(6):
                    b[p, k] -= W[i, k, j] * y[i, j]
    for n in range(order.shape[0] - 1, -1, -1):
        i = order[n]
        first, last, p, m = firsts[i], lasts[i], parent[i], n_used[i]
        if p >= 0 and m > 0:
            for a in range(m):
                r, s = used[first + a], 0.0
                for k in range(6):
                    s += G1_up[r, k] * u[p, k]
                short[a] = s
            lu_solve_at(S, i, m, S_pivot, short)
            for a in range(m):
                lam[used[first + a]] += short[a]
        for k in range(6):
            s = y[i, k]
            for at in range(first, first + m):
                s -= Y[used[at], k] * lam[used[at]]
            if coupled and p >= 0 and last > first:
                for j in range(6):
                    s -= V[i, k, j] * u[p, j]
            u[i, k] = s


@jit
def factor(tree, G0, G1, workspace):
    """Factor with A, D, mode in `workspace`; returns the body that has no solution, or -1."""
    workspace.factors_of[0] = ELSEWHERE
    workspace.articulated.used[0] = 0
    if tree.loop[0] < workspace.mode.shape[0]:
        return -1 if sparse_factor(tree, G0, G1, workspace) else tree.order[0]
    return _factor_tree(tree, G0, G1, workspace)


@jit
def factor_at(tree, x, R, G, workspace):
    """As `factor` with the same rows on both sides, those of bodies at x, R: cheaper with loops."""
    if tree.loop[0] < workspace.mode.shape[0] and tree.parent_at.shape[0] > 0:
        eps, slack = workspace.sparse.eps, SLACK
        workspace.factors_of[0] = ELSEWHERE
        known = place_bodies(tree, x, R, G, workspace)
        while known and slack <= MAX_SLACK:
            for r in tree.articulated.row:
                eps[r] = slack_of(slack, r, tree, G, workspace.A)
            if eliminate_nodes(tree, G, workspace, eps):
                workspace.articulated.used[0] = 1
                return -1
            slack *= 100.0
    return factor(tree, G, G, workspace)


@jit
def _solve_by_sparse_factors(tree, G, workspace, c, u, lam):
    """Factors of `kkt.sparse` in place of those of `kkt.articulated`, and the solution by them."""
    if factor(tree, G, G, workspace) < 0:
        sparse_solve(tree, G, G, workspace, c, u, lam)


@jit
def solve(tree, G0, G1, workspace, c, u, lam):
    """The solution for right-hand sides workspace.b (used up) and c; OFF rows have multiplier 0."""
    if workspace.articulated.used[0] == 1:
        for i in tree.order:
            for k in range(6):
                u[i, k] = 0.0
        for r in range(lam.shape[0]):
            lam[r] = 0.0
        if not articulated_solve(tree, G1, workspace, c, u, lam):
            _solve_by_sparse_factors(tree, G1, workspace, c, u, lam)
    elif tree.loop[0] < workspace.mode.shape[0]:
        sparse_solve(tree, G0, G1, workspace, c, u, lam)
    else:
        _solve_tree(tree, G0, G1, workspace, c, u, lam)


@jit
def solve_near(tree, G, workspace, c, u, lam):
    """As `solve` from a guess in u and lam, 0 for OFF rows: a refinement less where it is close."""
    if workspace.articulated.used[0] == 1:
        if not articulated_solve(tree, G, workspace, c, u, lam):
            _solve_by_sparse_factors(tree, G, workspace, c, u, lam)
    else:
        solve(tree, G, G, workspace, c, u, lam)


@jit
def correct(tree, G, workspace, c, u, lam):
    """As `solve` by one substitution, c of OFF rows being 0: what is left is found in the next."""
    if workspace.articulated.used[0] == 1:
        articulated_correct(tree, G, workspace, workspace.b, c, u, lam)
    elif tree.loop[0] < workspace.mode.shape[0]:
        sparse_correct(tree, workspace, workspace.b, c, u, lam)
    else:
        _solve_tree(tree, G, G, workspace, c, u, lam)
