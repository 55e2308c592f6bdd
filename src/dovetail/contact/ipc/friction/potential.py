"""Smoothed Coulomb friction of one contact as a potential of the poses of its two bodies.

During a solve the normal n, the normal force lambda and the two contact points are lagged (fixed),
so that friction has a potential (Li et al., Incremental Potential Contact (2020), eqs. 15-18):
    D = mu lambda f0(|u|),   u = e + P (dp_a - dp_b),   P = 1 - n n^T,
    f0(y) = y^2/eps - y^3/(3 eps^2) below eps, y - eps/3 beyond,  f1 = f0' from 0 to 1,
where dp is the displacement of a contact point since the start of the step (of round features
that of the point where they touch, see `set_rolling`) and e the presliding
displacement of the contact at that time: zero gives the lagged friction of IPC, which creeps; with
the field of `friction.presliding_field` the force is that of a spring that slips only at the cone,
and a body whose load lies within its cone stays where it is.

A contact is a row of `LaggedContacts.rows` (`friction.records`). Energies are in units of
h^2 J = kg m^2, as those of inertia.
"""

from typing import NamedTuple

from dovetail.collision.distance.derivatives import add_outer
from dovetail.contact.friction_curve import smooth_coulomb
from dovetail.contact.ipc.friction.records import (
    EPS,
    FORCE,
    LIMIT,
    NORMAL,
    POINT_A,
    POINT_B,
    PRESLIDING,
    SHARE,
    START_A,
    START_B,
)
from dovetail.linalg.so3 import log
from dovetail.linalg.vec3 import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    mat_t_vec,
    matmul,
    matvec,
    norm,
    scale,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit_in_place, jit_within

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]


class PairMotion(NamedTuple):
    """The motion of bodies a and b during the step so far, as tuples of numbers."""

    x_a: Vector  # [m]
    R_a: Matrix
    x_b: Vector
    R_b: Matrix
    x_a0: Vector  # [m] at the start of the step
    x_b0: Vector


@jit_within
def pair_motion(x, R, x_0, a, b):
    """The motion of bodies a and b from x_0 (n, 3) to the poses x (n, 3), R (n, 3, 3)."""
    return PairMotion(
        load3(x, a), load33(R, a), load3(x, b), load33(R, b), load3(x_0, a), load3(x_0, b)
    )


@jit_in_place
def smoothed_length(y, eps):
    """f0(y) [m]: |y| with its tip rounded within eps; f0(0) = 0."""
    if y >= eps:
        return y - eps / 3.0
    return y * y / eps * (1.0 - y / (3.0 * eps))


@jit_in_place
def smoothed_derivatives(y, eps):
    """(f1/y, f1') of f1 = f0', both >= 0 [1/m]."""
    if y >= eps:
        return 1.0 / y, 0.0
    return (2.0 - y / eps) / eps, 2.0 * (1.0 - y / eps) / eps


@jit_in_place
def tangential(n, u):
    """P u."""
    return add_scaled(u, -dot(n, u), n)


@jit_within
def vector_at(rows, i, column):
    """The vector that begins at a column of row i."""
    return (rows[i, column], rows[i, column + 1], rows[i, column + 2])


@jit_in_place
def _put(rows, i, column, v):
    rows[i, column] = v[0]
    rows[i, column + 1] = v[1]
    rows[i, column + 2] = v[2]


@jit_in_place
def set_contact(rows, i, R_a, R_b, R_a0, R_b0, r_a, r_b, n, e, limit, eps):
    """Lag a contact with the offsets r_a, r_b of its points (world axes), normal n."""
    body_a, body_b = mat_t_vec(R_a, r_a), mat_t_vec(R_b, r_b)
    _put(rows, i, POINT_A, body_a)
    _put(rows, i, POINT_B, body_b)
    _put(rows, i, START_A, matvec(R_a0, body_a))
    _put(rows, i, START_B, matvec(R_b0, body_b))
    _put(rows, i, NORMAL, n)
    _put(rows, i, PRESLIDING, tangential(n, e))
    rows[i, LIMIT] = limit
    rows[i, EPS] = eps
    rows[i, SHARE] = 1.0
    _put(rows, i, FORCE, ZERO)


@jit_in_place
def set_rolling(rows, i, R_a, R_b, R_a0, R_b0, r_a, r_b):
    """Displacements of contact i from here on are those of the bodies where they touch *now*.

    A point that is fixed to a rolling body was somewhere else when the step began and moves on a
    cycloid: its chord is shorter than the path it rolls. What slips is
        dp = dx + phi x r,   phi = log(R R_0^T),
    with the offset r of the present contact point, which is zero for pure rolling at any step.
    With R_1 the rotation where the contact is lagged this is dx + (R - R_1) R_1^T r + phi_1 x r:
    the arc of a fixed point from there on, from a start that is not its own.
    """
    phi_a, phi_b = log(matmul(R_a, transpose(R_a0))), log(matmul(R_b, transpose(R_b0)))
    _put(rows, i, START_A, sub(r_a, cross(phi_a, r_a)))
    _put(rows, i, START_B, sub(r_b, cross(phi_b, r_b)))


@jit_within
def tangential_displacement(rows, i, motion):
    """(P (dp_a - dp_b), r_a, r_b): the displacement in this step and the offsets now [m]."""
    r_a = matvec(motion.R_a, vector_at(rows, i, POINT_A))
    r_b = matvec(motion.R_b, vector_at(rows, i, POINT_B))
    apart = relative_displacement(rows, i, r_a, r_b, motion)
    return tangential(vector_at(rows, i, NORMAL), apart), r_a, r_b


@jit_within
def relative_displacement(rows, i, r_a, r_b, motion):
    """dp_a - dp_b [m] with the offsets r_a, r_b of the contact points now."""
    dp_a = add(sub(motion.x_a, motion.x_a0), sub(r_a, vector_at(rows, i, START_A)))
    dp_b = add(sub(motion.x_b, motion.x_b0), sub(r_b, vector_at(rows, i, START_B)))
    return sub(dp_a, dp_b)


@jit_in_place
def friction_energy(contacts, x, R, x_0):
    """Sum of D over the lagged contacts at the poses x, R [kg m^2]."""
    rows, bodies, total = contacts.rows, contacts.bodies, 0.0
    for i in range(contacts.n_contacts[0]):
        motion = pair_motion(x, R, x_0, bodies[i, 0], bodies[i, 1])
        du, _, _ = tangential_displacement(rows, i, motion)
        u = add(du, vector_at(rows, i, PRESLIDING))
        total += rows[i, LIMIT] * smoothed_length(norm(u), rows[i, EPS])
    return total


@jit_in_place
def friction_gradient(rows, i, u):
    """dD/du [kg m]; minus this over h^2 is the friction force on a [N]."""
    return scale(rows[i, LIMIT] * smoothed_derivatives(norm(u), rows[i, EPS])[0], u)


@jit_in_place
def store_force(rows, i, u):
    """Store the friction force on a for reports."""
    _put(rows, i, FORCE, scale(-1.0, friction_gradient(rows, i, u)))


@jit_in_place
def add_contact_derivatives(rows, i, motion, theta, stiffening, out, k):
    """Add the derivatives of contact i to row k of `out` (see `distance.derivatives`).

    With J = [1, -[r_a], -1, [r_b]]: dD = J^T g,  d2D = J^T K J + theta S, where
        K = mu lambda (f1/|u| (1 - t t^T) + f1' t t^T) in the tangent plane, t = u/|u|,
    is positive and S, the curvature of the arcs, +-(sym(g r^T) - (g.r) 1), need not be.
    `stiffening` from 0 to 1 puts f1/|u| for f1', which is more: with 1 the parabola lies above
    mu lambda f0 everywhere (as in Weiszfeld's method), where Newton's would cross the kink.
    """
    du, r_a, r_b = tangential_displacement(rows, i, motion)
    u = add(du, vector_at(rows, i, PRESLIDING))
    n = vector_at(rows, i, NORMAL)
    y, limit = norm(u), rows[i, LIMIT]
    across, along = smoothed_derivatives(y, rows[i, EPS])
    along += stiffening * (across - along)
    g = scale(limit * across, u)
    torque_a, torque_b = cross(r_a, g), cross(g, r_b)
    for j in range(3):
        out[k, j] += g[j]
        out[k, 3 + j] += torque_a[j]
        out[k, 6 + j] += torque_b[j]
    t = scale(1.0 / y, u) if y > 0.0 else any_tangent(n)
    o = cross(n, t)
    add_outer(out, k, limit * along, t, cross(r_a, t), cross(t, r_b))
    add_outer(out, k, limit * across, o, cross(r_a, o), cross(o, r_b))
    if theta != 0.0:
        add_arc(out, k, 33, theta, r_a, g)
        add_arc(out, k, 39, -theta, r_b, g)


@jit_in_place
def add_arc(out, k, at, c, r, g):
    """Add c (sym(g r^T) - (g.r) 1)."""
    trace = dot(g, r)
    out[k, at] += c * (g[0] * r[0] - trace)
    out[k, at + 1] += c * (g[1] * r[1] - trace)
    out[k, at + 2] += c * (g[2] * r[2] - trace)
    out[k, at + 3] += 0.5 * c * (g[0] * r[1] + g[1] * r[0])
    out[k, at + 4] += 0.5 * c * (g[0] * r[2] + g[2] * r[0])
    out[k, at + 5] += 0.5 * c * (g[1] * r[2] + g[2] * r[1])


@jit_in_place
def any_tangent(n):
    """A unit vector at right angles to n."""
    if abs(n[0]) <= abs(n[1]) and abs(n[0]) <= abs(n[2]):
        v = cross(n, (1.0, 0.0, 0.0))
    elif abs(n[1]) <= abs(n[2]):
        v = cross(n, (0.0, 1.0, 0.0))
    else:
        v = cross(n, (0.0, 0.0, 1.0))
    return scale(1.0 / norm(v), v)


@jit_in_place
def coefficient(law, speed):
    """Mu at a slip speed [m/s]: `law` = (mu_s, mu_d, v_s, v_d)."""
    return smooth_coulomb(speed, law[0], law[1], law[2], law[3])


@jit_in_place
def within_cone(u, eps):
    """The return map: u, or the part of length eps that is left of a longer one when it slips."""
    y = norm(u)
    if y <= eps:
        return u
    return scale(eps / y, u)
