r"""Second derivatives of the rows of `constraints.rows`, in world twists of their two bodies.

With x <- x + s, R <- exp([w]) R and, for a row e . R_a^T (...) of bodies (a, b), u = R_a e,
    u . q,  q = R_b g fixed in b:   H_aa = H_bb = sym(u q^T) - (u.q) 1,  H_ab = (u.q) 1 - q u^T,
    u . d,  d = x_b + r - x_a, r = R_b p:
            H_aa = sym(u d^T) - (u.d) 1,  H_bb = sym(u r^T) - (u.r) 1,  H_ab = (u.r) 1 - r u^T
            among the rotations, and [u] between the rotation of a and s_b - s_a;
    atan2(s, c):  (c H_s - s H_c)/r^2 and the products of first derivatives, r^2 = s^2 + c^2.
A row's unknowns are (s_a, w_a, s_b, w_b), twelve in all; of the symmetric H the block (b, a) is
left out.
"""

from dovetail.linalg.vec3 import add, cross, dot, load3, matvec, sub
from dovetail.model.joints.equations import ANGLE, DOT, GAP, HELIX
from dovetail.multibody.constraints.rows import part, pose_of
from dovetail.runtime.jit import jit_in_place, jit_within


@jit_within
def _add_own_rotation(H, at, amount, u, q):
    """Amount (sym(u q^T) - (u.q) 1) into the block of one rotation, which begins at `at`."""
    both = dot(u, q)
    for i in range(3):
        for j in range(3):
            H[at + i, at + j] += amount * 0.5 * (u[i] * q[j] + u[j] * q[i])
        H[at + i, at + i] -= amount * both


@jit_within
def _add_both_rotations(H, amount, u, q):
    """Amount ((u.q) 1 - q u^T) between the rotations of a and of b."""
    both = dot(u, q)
    for i in range(3):
        for j in range(3):
            value = amount * ((both if i == j else 0.0) - q[i] * u[j])
            H[3 + i, 9 + j] += value


@jit_within
def _add_angle(H, amount, u, q):
    """Of u . q."""
    _add_own_rotation(H, 3, amount, u, q)
    _add_own_rotation(H, 9, amount, u, q)
    _add_both_rotations(H, amount, u, q)


@jit_within
def _add_distance(H, amount, u, d, r):
    """Of u . d."""
    _add_own_rotation(H, 3, amount, u, d)
    _add_own_rotation(H, 9, amount, u, r)
    _add_both_rotations(H, amount, u, r)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        moved = amount * u[i]  # w . (u x s): row j has -u_i at k
        H[3 + j, 6 + k] -= moved
        H[3 + k, 6 + j] += moved
        H[3 + j, k] += moved
        H[k, 3 + j] += moved
        H[3 + k, j] -= moved
        H[j, 3 + k] -= moved


@jit_within
def _add_arc_tangent(H, amount, X, Y, q):
    """Of atan2(Y . q, X . q)."""
    s, c = dot(Y, q), dot(X, q)
    square = s * s + c * c
    _add_angle(H, amount * c / square, Y, q)
    _add_angle(H, -amount * s / square, X, q)
    same, mixed = 2.0 * s * c / (square * square), (s * s - c * c) / (square * square)
    of_s, of_c = cross(Y, q), cross(X, q)  # derivatives by w_a; those by w_b are their negatives
    for i in range(3):
        si, ci = of_s[i], of_c[i]
        for j in range(3):
            sj, cj = of_s[j], of_c[j]
            value = amount * (same * (ci * cj - si * sj) + mixed * (si * cj + ci * sj))
            H[3 + i, 3 + j] += value
            H[3 + i, 9 + j] -= value
            H[9 + i, 9 + j] += value


@jit_in_place
def add_curvature(rows, x, R, r, amount, H):
    """Add `amount` times the second derivative of row r at the poses to H (12, 12).

    The lower left quarter of H stays as it is.
    """
    kind = rows.kind[r]
    xa, Ra = pose_of(x, R, rows.body[r, 0])
    xb, Rb = pose_of(x, R, rows.body[r, 1])
    u, q = matvec(Ra, load3(rows.e, r)), matvec(Rb, load3(rows.g, r))
    if kind == GAP or kind == HELIX:
        _add_distance(H, amount, u, sub(add(xb, q), xa), q)
    elif kind == DOT:
        _add_angle(H, amount, u, q)
    if kind == ANGLE or kind == HELIX:
        X, Y = matvec(Ra, part(rows.plane, r, 0)), matvec(Ra, part(rows.plane, r, 1))
        factor = amount if kind == ANGLE else -amount * rows.lead[r]
        _add_arc_tangent(H, factor, X, Y, matvec(Rb, part(rows.plane, r, 2)))
