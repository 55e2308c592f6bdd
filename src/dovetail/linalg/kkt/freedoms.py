"""The freedoms of joints for `kkt.articulated`: u_i = X u_p + P c + T q, see there."""

from dovetail.linalg.kkt.rows import OFF, SOFT, world_row
from dovetail.linalg.vec3 import load33, store33
from dovetail.runtime.jit import jit_in_place

DEPENDENT = 1e-9  # pivot of a joint's rows below which they are not all its own


@jit_in_place
def _joint_basis(i, tree, G, mode, at):
    """T and P of body i by elimination of its rows, with the largest entry of each as its pivot;
    False where they depend on each other.
    """
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
                B[m, 6 + c] = 1.0 if c == m else 0.0
            m += 1
    columns = (1 << 6) - 1  # that are free, as bits
    pivots = 0  # column of each row, three bits each
    for row in range(m):
        best, column = DEPENDENT, -1
        for c in range(6):
            if columns >> c & 1 and abs(B[row, c]) > best:
                best, column = abs(B[row, c]), c
        if column < 0:
            return False
        columns &= ~(1 << column)
        pivots |= column << (3 * row)
        scale = 1.0 / B[row, column]
        for c in range(12):
            B[row, c] *= scale
        for j in range(m):
            f = B[j, column]
            if j != row and f != 0.0:
                for c in range(12):
                    B[j, c] -= f * B[row, c]
    for c in range(6):
        for k in range(6):
            T[i, k, c] = 0.0
            P[i, c, k] = 0.0
    k = 0
    for c in range(6):
        if columns >> c & 1:
            T[i, k, c] = 1.0
            for j in range(m):
                T[i, k, pivots >> (3 * j) & 7] = -B[j, c]
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
        total += g[c] * at.T[i, k, c]
    return total


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
