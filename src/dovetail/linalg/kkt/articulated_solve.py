"""Solutions by the factors of `kkt.articulated`: velocities, multipliers and their refinement."""

import math

from dovetail.linalg.kkt.articulated import front_of
from dovetail.linalg.kkt.freedoms import soft_freedom
from dovetail.linalg.kkt.fronts import size_of
from dovetail.linalg.kkt.rows import OFF, SOFT, world_row
from dovetail.linalg.kkt.sparse import CERTAIN, MAX_REFINEMENTS, SETTLED
from dovetail.linalg.vec3 import add, cross, load33, matvec, sub, transpose
from dovetail.runtime.jit import jit, jit_in_place

ROUNDING = 4 * 2.2e-16  # of the sizes of the terms of a sum
POOR = 1e-20  # squared relative correction that may be left where it no longer shrinks


@jit_in_place
def _forward_rows(s, order, fronts, w):
    """L^-1 of a node of loop rows."""
    lower, column = fronts.lower, order.column
    first, start, base = order.first[s], order.column_start[s], order.factor_at[s]
    own, size = size_of(order, s)
    for k in range(own):
        y = w[first + k]
        for i in range(k + 1, own):
            w[first + i] -= lower[base + i] * y
        for i in range(own, size):
            w[column[start + i - own]] -= lower[base + i] * y
        base += size


@jit_in_place
def _backward_rows(s, order, fronts, w):
    """L^-T of the diagonal's inverse of a node of loop rows."""
    lower, inverse, column = fronts.lower, fronts.inverse, order.column
    first, start, base = order.first[s], order.column_start[s], order.factor_at[s + 1]
    own, size = size_of(order, s)
    for k in range(own - 1, -1, -1):
        base -= size
        y = w[first + k] * inverse[first + k]
        for i in range(k + 1, own):
            y -= lower[base + i] * w[first + i]
        for i in range(own, size):
            y -= lower[base + i] * w[column[start + i - own]]
        w[first + k] = y


@jit_in_place
def _forward_body(s, order, tree, at, w):
    """z of a body's node, and what is left for its columns."""
    column, V, T, z = order.column, at.fronts.lower, at.T, at.z
    i, first, start, base = order.body[s], order.first[s], order.column_start[s], order.factor_at[s]
    _, size, up, carried = front_of(tree, s)
    count = 6 + carried if carried >= 0 else size  # columns before the parent's
    for k in range(at.free[i]):
        total = z[i, k]
        for c in range(6):
            total += T[i, k, c] * w[first + c]
        z[i, k] = total
    for k in range(at.free[i]):
        f = z[i, k]
        for a in range(6):
            w[first + a] -= V[base + a] * f
        for a in range(6, count):
            w[column[start + a - 6]] -= V[base + a] * f
        for a in range(count, size):
            w[column[start + a]] -= V[base + a] * f
        base += size
    p = _parent_column(up, carried)
    if p >= 0:
        p = column[start + p]
        f = (w[first], w[first + 1], w[first + 2])
        turning = cross((at.arm[i, 0], at.arm[i, 1], at.arm[i, 2]), f)
        for k in range(3):
            w[p + k] += f[k]
            w[p + 3 + k] += w[first + 3 + k] + turning[k]


@jit_in_place
def _parent_column(up, carried):
    """Which column the first unknown of the parent is, or -1."""
    return carried if carried >= 0 else up - 6 if up >= 0 else -1


@jit_in_place
def _backward_body(s, order, tree, at, w):
    """The velocity of a body's node."""
    column, V, T, Q, z = order.column, at.fronts.lower, at.T, at.Q, at.z
    i, first, start, base = order.body[s], order.first[s], order.column_start[s], order.factor_at[s]
    _, size, up, carried = front_of(tree, s)
    count = 6 + carried if carried >= 0 else size
    free = at.free[i]
    for k in range(6):
        w[first + k] = 0.0
    p = _parent_column(up, carried)
    if p >= 0:
        p = column[start + p]
        v, spin = (w[p], w[p + 1], w[p + 2]), (w[p + 3], w[p + 4], w[p + 5])
        v = add(v, cross(spin, (at.arm[i, 0], at.arm[i, 1], at.arm[i, 2])))
        for k in range(3):
            w[first + k], w[first + 3 + k] = v[k], spin[k]
    moved = at.U  # its first row, as scratch
    for k in range(free):
        q = 0.0
        for j in range(free):
            q += Q[i, k, j] * z[i, j]
        for a in range(6):
            q -= V[base + a] * w[first + a]
        for a in range(6, count):
            q -= V[base + a] * w[column[start + a - 6]]
        for a in range(count, size):
            q -= V[base + a] * w[column[start + a]]
        moved[0, k] = q
        base += size
    for k in range(free):
        for c in range(6):
            w[first + c] += T[i, k, c] * moved[0, k]


@jit_in_place
def _particular(tree, G, workspace, c):
    """y of each body, from the root, and what soft rows add to z."""
    at, mode, D = workspace.articulated, workspace.mode, workspace.D
    y, P, z, R = at.y, at.P, at.z, at.R
    order, first, last, parent = tree.order, tree.first, tree.last, tree.parent
    for n in range(order.shape[0] - 1, -1, -1):
        i = order[n]
        p = parent[i]
        for k in range(6):
            y[i, k] = y[p, k] if p >= 0 else 0.0
            z[i, k] = 0.0
        if p >= 0:
            spin = (y[p, 3], y[p, 4], y[p, 5])
            moved = cross(spin, (at.arm[i, 0], at.arm[i, 1], at.arm[i, 2]))
            for k in range(3):
                y[i, k] += moved[k]
        j, soft = 0, False
        for r in range(first[i], last[i]):
            if mode[r] == SOFT:
                soft = True
            elif mode[r] != OFF:
                if c[r] != 0.0:
                    for k in range(6):
                        y[i, k] += P[i, k, j] * c[r]
                j += 1
        if soft:
            for r in range(first[i], last[i]):
                if mode[r] == SOFT:
                    share = c[r] - _rate(tree, G, r, R, y)
                    for k in range(at.free[i]):
                        z[i, k] += soft_freedom(i, r, tree, G, at, k) * share / D[r]


@jit_in_place
def _rate(tree, G, r, R, y):
    """G y of row r, y (n, 6) in world axes."""
    body, moves = tree.body, tree.moves
    total = 0.0
    for side in range(body.shape[1]):
        i = body[r, side]
        if i >= 0 and moves[i]:
            g = world_row(G, r, side, load33(R, i))
            for k in range(6):
                total += g[k] * y[i, k]
    return total


@jit_in_place
def _inertial(A, i, R, v, spin):
    """Momenta of body i of a velocity in world axes: along v, and in body axes."""
    x, y, z = matvec(transpose(R), spin)
    return (
        (A[i, 0, 0] * v[0], A[i, 1, 1] * v[1], A[i, 2, 2] * v[2]),
        (
            A[i, 3, 3] * x + A[i, 3, 4] * y + A[i, 3, 5] * z,
            A[i, 4, 3] * x + A[i, 4, 4] * y + A[i, 4, 5] * z,
            A[i, 5, 3] * x + A[i, 5, 4] * y + A[i, 5, 5] * z,
        ),
    )


@jit_in_place
def articulated_correct(tree, G, workspace, b, c, u, lam):
    """The solution for b (n, 6) and c (r,) by the factors, with their slack.

    Multipliers of joints of the tree are what balances the bodies, from the leaves on; those of
    loop rows that are no unknowns, since the tree implies them, are 0.
    """
    at, A, mode = workspace.articulated, workspace.A, workspace.mode
    order, w, y = tree.articulated, at.w, at.y
    body_at, row_at = order.body_at, order.row_at
    _particular(tree, G, workspace, c)
    for i in tree.order:
        R, k0 = load33(at.R, i), body_at[i]
        line, turning = _inertial(A, i, R, (y[i, 0], y[i, 1], y[i, 2]), (y[i, 3], y[i, 4], y[i, 5]))
        turning = matvec(R, sub((b[i, 3], b[i, 4], b[i, 5]), turning))
        for k in range(3):
            w[k0 + k] = b[i, k] - line[k]
            w[k0 + 3 + k] = turning[k]
    for r in order.row:
        w[row_at[r]] = c[r] - _rate(tree, G, r, at.R, y) if mode[r] != OFF else 0.0
    for s in range(order.body.shape[0]):
        if order.body[s] >= 0:
            _forward_body(s, order, tree, at, w)
        else:
            _forward_rows(s, order, at.fronts, w)
    for s in range(order.body.shape[0] - 1, -1, -1):
        if order.body[s] >= 0:
            _backward_body(s, order, tree, at, w)
        else:
            _backward_rows(s, order, at.fronts, w)
    for r in range(tree.loop[0], lam.shape[0]):
        lam[r] = 0.0
    for r in order.row:
        lam[r] = w[row_at[r]] if mode[r] != OFF else 0.0
    for i in tree.order:
        R, k0 = load33(at.R, i), body_at[i]
        for k in range(6):
            y[i, k] += w[k0 + k]
        spin = matvec(transpose(R), (y[i, 3], y[i, 4], y[i, 5]))
        for k in range(3):
            u[i, k] = y[i, k]
            u[i, 3 + k] = spin[k]
    _balance(tree, G, workspace, b, c, lam)


@jit_in_place
def _balance(tree, G, workspace, b, c, lam):
    """Multipliers of the tree's rows, velocities being at.y: G^T lam is what bodies lack."""
    at, A, D, mode = workspace.articulated, workspace.A, workspace.D, workspace.mode
    left, y, P = at.left, at.y, at.P
    first, last, child = tree.first, tree.last, tree.child_side
    for i in tree.order:
        line, turning = _inertial(
            A, i, load33(at.R, i), (y[i, 0], y[i, 1], y[i, 2]), (y[i, 3], y[i, 4], y[i, 5])
        )
        for k in range(3):
            left[i, k] = b[i, k] - line[k]
            left[i, 3 + k] = b[i, 3 + k] - turning[k]
    for r in range(tree.loop[0], lam.shape[0]):
        _take(tree, G, r, lam[r], left)
    for i in tree.order:
        for r in range(first[i], last[i]):
            lam[r] = 0.0
            if mode[r] == SOFT:
                lam[r] = (_rate(tree, G, r, at.R, y) - c[r]) / D[r]
                _take(tree, G, r, lam[r], left)
        moment = matvec(load33(at.R, i), (left[i, 3], left[i, 4], left[i, 5]))
        j = 0
        for r in range(first[i], last[i]):
            if mode[r] != OFF and mode[r] != SOFT:
                total = 0.0
                for k in range(3):
                    total += P[i, k, j] * left[i, k] + P[i, 3 + k, j] * moment[k]
                lam[r] = total
                j += 1
        p = tree.parent[i]
        if p >= 0:
            for r in range(first[i], last[i]):
                if mode[r] != OFF and mode[r] != SOFT:
                    for k in range(6):
                        left[p, k] -= G[r, 1 - child[r], k] * lam[r]


@jit_in_place
def _take(tree, G, r, amount, left):
    """Left -= G^T amount of row r."""
    body, moves = tree.body, tree.moves
    if amount != 0.0:
        for side in range(body.shape[1]):
            i = body[r, side]
            if i >= 0 and moves[i]:
                for k in range(6):
                    left[i, k] -= G[r, side, k] * amount


@jit_in_place
def _given(tree, workspace):
    """The square of what b alone would be as a velocity, in the norm of the diagonal of A."""
    A, b = workspace.A, workspace.b
    total = 0.0
    for i in tree.order:
        for k in range(6):
            total += b[i, k] * b[i, k] / abs(A[i, k, k])
    return total


@jit_in_place
def _sum(a, i, k):
    """|a_k| + |a_k+1| + |a_k+2| of row i."""
    return abs(a[i, k]) + abs(a[i, k + 1]) + abs(a[i, k + 2])


@jit_in_place
def _begin_residual(tree, A, b, u, left_b, size):
    """b - A u, and of each body: sizes of v and w, of the terms of its forces and moments."""
    for i in tree.order:
        for k in range(3):
            left_b[i, k] = b[i, k] - A[i, k, k] * u[i, k]
            left_b[i, 3 + k] = b[i, 3 + k] - (
                A[i, 3 + k, 3] * u[i, 3] + A[i, 3 + k, 4] * u[i, 4] + A[i, 3 + k, 5] * u[i, 5]
            )
        size[i, 0], size[i, 1] = _sum(u, i, 0), _sum(u, i, 3)
        size[i, 2] = _sum(b, i, 0) + A[i, 0, 0] * size[i, 0]
        size[i, 3] = _sum(b, i, 3) + (A[i, 3, 3] + A[i, 4, 4] + A[i, 5, 5]) * size[i, 1]


@jit_in_place
def _take_residual(tree, G, workspace, c, u, lam):
    """As `take_residual`, and whether all that is left is rounding of its terms.

    Rows that the tree implies and that have no multiplier are left out.
    """
    A, D, mode, sparse = workspace.A, workspace.D, workspace.mode, workspace.sparse
    left_b, left_c, size = sparse.left_b, sparse.left_c, workspace.articulated.z
    row_at, body, moves, loop = tree.articulated.row_at, tree.body, tree.moves, tree.loop[0]
    _begin_residual(tree, A, workspace.b, u, left_b, size)
    rounding = True
    for r in range(mode.shape[0]):
        left_c[r] = 0.0
        if mode[r] == OFF or (r >= loop and row_at[r] < 0 and lam[r] == 0.0):
            continue
        s, force = c[r] + D[r] * lam[r], abs(lam[r])
        terms = abs(c[r]) + D[r] * force
        for side in range(body.shape[1]):
            i = body[r, side]
            if i >= 0 and moves[i]:
                along = turning = 0.0
                for k in range(3):
                    g, t = G[r, side, k], G[r, side, 3 + k]
                    s -= g * u[i, k] + t * u[i, 3 + k]
                    left_b[i, k] -= g * lam[r]
                    left_b[i, 3 + k] -= t * lam[r]
                    along += abs(g)
                    turning += abs(t)
                terms += along * size[i, 0] + turning * size[i, 1]
                size[i, 2] += along * force
                size[i, 3] += turning * force
        left_c[r] = s
        rounding = rounding and abs(s) <= ROUNDING * terms
    for i in tree.order:
        rounding = rounding and _sum(left_b, i, 0) <= ROUNDING * size[i, 2]
        rounding = rounding and _sum(left_b, i, 3) <= ROUNDING * size[i, 3]
    return rounding


@jit
def articulated_solve(tree, G, workspace, c, u, lam):
    """As `sparse_solve`, by the factors of `kkt.articulated`; u and lam are a first guess.

    False where corrections do not shrink though they are no round-off: the factors are no good.
    """
    at, A, mode, sparse = workspace.articulated, workspace.A, workspace.mode, workspace.sparse
    du, more = at.more_u, at.more
    before, known = math.inf, workspace.corrected[0]
    workspace.corrected[0] = 0.0
    for _ in range(MAX_REFINEMENTS):
        if _take_residual(tree, G, workspace, c, u, lam) and math.isfinite(before):
            return True
        articulated_correct(tree, G, workspace, sparse.left_b, sparse.left_c, du, more)
        change, total = 0.0, 0.0
        for i in tree.order:
            for k in range(6):
                u[i, k] += du[i, k]
                change += abs(A[i, k, k]) * du[i, k] * du[i, k]
                total += abs(A[i, k, k]) * u[i, k] * u[i, k]
        for r in range(lam.shape[0]):
            if mode[r] != OFF:
                lam[r] += more[r]
        rate = change / before if math.isfinite(before) else 1.0  # of corrections
        enough = SETTLED * (total if math.isinf(before) else max(total, known))
        settled = not change > enough or not rate * change > CERTAIN * enough
        if settled or not change < 0.5 * before:
            return settled or change <= POOR * max(total, _given(tree, workspace))
        before = change
    return False
