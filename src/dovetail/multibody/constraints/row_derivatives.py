"""How the Jacobian of a row changes with its bodies: the second derivative of each kind of row.

For small motions d (world axes) of the centres and rotations t (body axes) of bodies a and b, with
the rows of `constraints.rows`: d(R e) = R (t x e) and d(R^T u) = R^T du - t x R^T u throughout.
"""

from dovetail.linalg.vec3 import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    mat_t_vec,
    matvec,
    norm,
    scale,
    sub,
)
from dovetail.model.joints.equations import DOT, GAP, HELIX, SPIN, STRETCH
from dovetail.multibody.constraints.rows import part
from dovetail.multibody.loads.wrenches import SHORTEST
from dovetail.runtime.jit import jit


@jit
def _seen_derivative(v, R0, R1, t0, t1):
    """The vector v of frame 1 seen in frame 0, R_0^T R_1 v, and its change."""
    w = mat_t_vec(R0, matvec(R1, v))
    return w, sub(mat_t_vec(R0, matvec(R1, cross(t1, v))), cross(t0, w))


@jit
def _point_derivative(e, p, xa, Ra, xb, Rb, da, ta, db, tb):
    """Changes of (x of b = -x of a, rotation of a, rotation of b) of a GAP."""
    y = mat_t_vec(Ra, sub(add(xb, matvec(Rb, p)), xa))
    moved = add(sub(db, da), matvec(Rb, cross(tb, p)))
    y1 = sub(mat_t_vec(Ra, moved), cross(ta, y))
    _, z1 = _seen_derivative(e, Rb, Ra, tb, ta)
    return matvec(Ra, cross(ta, e)), cross(e, y1), cross(p, z1)


@jit
def _angle_derivative(X, Y, q, Ra, Rb, ta, tb):
    """Changes of the rotation columns of an ANGLE."""
    w, w1 = _seen_derivative(q, Ra, Rb, ta, tb)
    sine, cosine, sine1, cosine1 = dot(Y, w), dot(X, w), dot(Y, w1), dot(X, w1)
    square = sine * sine + cosine * cosine
    Z = sub(scale(cosine / square, Y), scale(sine / square, X))
    Z1 = sub(scale(cosine1 / square, Y), scale(sine1 / square, X))
    Z1 = add_scaled(Z1, -2.0 * (sine * sine1 + cosine * cosine1) / square, Z)
    _, z1 = _seen_derivative(Z, Rb, Ra, tb, ta)
    z1 = add(z1, mat_t_vec(Rb, matvec(Ra, Z1)))
    return add(cross(Z1, w), cross(Z, w1)), cross(q, z1)


@jit
def _stretch_derivative(e, g, xa, Ra, xb, Rb, da, ta, db, tb):
    """Changes of (x of a = -x of b, rotation of a, rotation of b) of a STRETCH, or zero."""
    d = sub(add(xa, matvec(Ra, e)), add(xb, matvec(Rb, g)))
    length = norm(d)
    if length <= SHORTEST:
        return ZERO, ZERO, ZERO
    n = scale(1.0 / length, d)
    d1 = sub(add(da, matvec(Ra, cross(ta, e))), add(db, matvec(Rb, cross(tb, g))))
    n1 = scale(1.0 / length, add_scaled(d1, -dot(n, d1), n))
    at_a = sub(mat_t_vec(Ra, n1), cross(ta, mat_t_vec(Ra, n)))
    at_b = sub(mat_t_vec(Rb, n1), cross(tb, mat_t_vec(Rb, n)))
    return n1, cross(e, at_a), scale(-1.0, cross(g, at_b))


@jit
def row_of(rows, r):
    """What row r is made of: (kind, e, g, X, Y, q, lead)."""
    plane = rows.plane
    X, Y, q = part(plane, r, 0), part(plane, r, 1), part(plane, r, 2)
    return rows.kind[r], load3(rows.e, r), load3(rows.g, r), X, Y, q, rows.lead[r]


@jit
def row_derivative(row, xa, Ra, xb, Rb, da, ta, db, tb):
    """Changes of the Jacobian of a `row_of`: (x of a, rotation of a, x of b, rotation of b)."""
    kind, e, g, X, Y, q, lead = row
    if kind == STRETCH:
        n1, at_a, at_b = _stretch_derivative(e, g, xa, Ra, xb, Rb, da, ta, db, tb)
        return n1, at_a, scale(-1.0, n1), at_b
    if kind == DOT:
        _, w1 = _seen_derivative(g, Ra, Rb, ta, tb)
        _, z1 = _seen_derivative(e, Rb, Ra, tb, ta)
        return ZERO, cross(e, w1), ZERO, cross(g, z1)
    if kind == SPIN:
        _, w1 = _seen_derivative(g, Ra, Rb, ta, tb)
        return ZERO, scale(-1.0, w1), ZERO, ZERO
    u1, at_a, at_b = ZERO, ZERO, ZERO
    if kind == GAP or kind == HELIX:
        u1, at_a, at_b = _point_derivative(e, g, xa, Ra, xb, Rb, da, ta, db, tb)
    if kind != GAP:
        rotation_a, rotation_b = _angle_derivative(X, Y, q, Ra, Rb, ta, tb)
        share = -lead if kind == HELIX else 1.0
        at_a, at_b = add_scaled(at_a, share, rotation_a), add_scaled(at_b, share, rotation_b)
    return scale(-1.0, u1), at_a, u1, at_b
