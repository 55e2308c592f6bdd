"""Smoothed Coulomb friction of one contact as a potential of the poses of its two bodies.

During a solve the normal n, the normal force lambda and the two touching points are held (lagged),
so that friction has a potential (Li et al., Incremental Potential Contact (2020), eqs. 15-18):
    D = mu lambda f0(|u|),   u = e + P (dp_a - dp_b),   P = 1 - n n^T,
    f0(y) = y^2/eps - y^3/(3 eps^2) below eps, y - eps/3 beyond,  f1 = f0' from 0 to 1,
where dp is the way of a touching point since the start of the step. e is what the contact has been
bent so far: zero gives the lagged friction of IPC, which creeps; with the memory of
`friction.presliding` the force is that of a spring that slips only at the cone, and a body held
within its cone stays where it is.

A contact is a row of `rows` (n, FRICTION_ROW), by column:
    0 touching point of a and 3 of b in body axes from the centre, 6 and 9 the same in world axes at
    the start of the step, 12 normal from b to a, 15 e [m], 18 h^2 mu lambda [kg m], 19 eps [m],
    20 what part of the contact it is (1 unless contacts of several laggings are mixed), 21 h^2
    times the friction force on a [kg m] at the end of the step (`friction.presliding_state`).
`bodies` (n, 2) are a and b. Energies are in units of h^2 J = kg m^2, as those of inertia.
"""

import math

from dovetail.collision.distance.derivatives import add_outer
from dovetail.linalg.vec3 import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    mat_t_vec,
    matvec,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit

FRICTION_ROW = 24


@jit
def smoothed_length(y, eps):
    """f0(y) [m]: |y| with its tip rounded within eps; f0(0) = 0."""
    if y >= eps:
        return y - eps / 3.0
    return y * y / eps * (1.0 - y / (3.0 * eps))


@jit
def smoothed_slopes(y, eps):
    """(f1/y, f1') of f1 = f0', both >= 0 [1/m]."""
    if y >= eps:
        return 1.0 / y, 0.0
    return (2.0 - y / eps) / eps, 2.0 * (1.0 - y / eps) / eps


@jit
def tangential(n, u):
    """P u."""
    return add_scaled(u, -dot(n, u), n)


@jit
def _vector(rows, i, at):
    return (rows[i, at], rows[i, at + 1], rows[i, at + 2])


@jit
def _put(rows, i, at, v):
    rows[i, at] = v[0]
    rows[i, at + 1] = v[1]
    rows[i, at + 2] = v[2]


@jit
def set_friction_row(rows, i, R_a, R_b, R_a0, R_b0, r_a, r_b, n, bent, limit, eps):
    """Hold a contact with the present levers r_a, r_b (world axes), normal n, bent by e."""
    body_a, body_b = mat_t_vec(R_a, r_a), mat_t_vec(R_b, r_b)
    _put(rows, i, 0, body_a)
    _put(rows, i, 3, body_b)
    _put(rows, i, 6, matvec(R_a0, body_a))
    _put(rows, i, 9, matvec(R_b0, body_b))
    _put(rows, i, 12, n)
    _put(rows, i, 15, tangential(n, bent))
    rows[i, 18] = limit
    rows[i, 19] = eps
    rows[i, 20] = 1.0
    _put(rows, i, 21, ZERO)


@jit
def slip(rows, i, x_a, R_a, x_b, R_b, x_a0, x_b0):
    """(P (dp_a - dp_b), r_a, r_b): the way in this step [m] and the present levers [m]."""
    r_a, r_b = matvec(R_a, _vector(rows, i, 0)), matvec(R_b, _vector(rows, i, 3))
    way = way_apart(rows, i, r_a, r_b, x_a, x_b, x_a0, x_b0)
    return tangential(_vector(rows, i, 12), way), r_a, r_b


@jit
def way_apart(rows, i, r_a, r_b, x_a, x_b, x_a0, x_b0):
    """dp_a - dp_b [m] with the present levers."""
    way_a = add(sub(x_a, x_a0), sub(r_a, _vector(rows, i, 6)))
    way_b = add(sub(x_b, x_b0), sub(r_b, _vector(rows, i, 9)))
    return sub(way_a, way_b)


@jit
def bent_by(rows, i):
    """e [m]."""
    return _vector(rows, i, 15)


@jit
def friction_energy(rows, bodies, count, x, R, x_0):
    """Sum of D over the first `count` contacts at the poses x, R [kg m^2]."""
    total = 0.0
    for i in range(count):
        a, b = bodies[i, 0], bodies[i, 1]
        way, _, _ = slip(
            rows, i, load3(x, a), load33(R, a), load3(x, b), load33(R, b), load3(x_0, a),
            load3(x_0, b),
        )  # fmt: skip
        u = add(way, bent_by(rows, i))
        total += rows[i, 18] * smoothed_length(norm(u), rows[i, 19])
    return total


@jit
def friction_pull(rows, i, u):
    """dD/du [kg m]; minus this over h^2 is the friction force on a [N]."""
    return scale(rows[i, 18] * smoothed_slopes(norm(u), rows[i, 19])[0], u)


@jit
def keep_force(rows, i, u):
    """Note the friction force on a in columns 21 to 23."""
    _put(rows, i, 21, scale(-1.0, friction_pull(rows, i, u)))


@jit
def add_friction_terms(rows, i, x_a, R_a, x_b, R_b, x_a0, x_b0, theta, stiffened, out, k):
    """Add the derivatives of contact i to row k of `out` (see `distance.derivatives`).

    With J = [1, -[r_a], -1, [r_b]]: dD = J^T g,  d2D = J^T K J + theta S, where
        K = mu lambda (f1/|u| (1 - t t^T) + f1' t t^T) in the tangent plane, t = u/|u|,
    is positive and S, the curvature of the arcs, +-(sym(g r^T) - (g.r) 1), need not be.
    `stiffened` from 0 to 1 puts f1/|u| for f1', which is more: with 1 the parabola lies above
    mu lambda f0 everywhere (as in Weiszfeld's method), where Newton's would cross the kink.
    """
    way, r_a, r_b = slip(rows, i, x_a, R_a, x_b, R_b, x_a0, x_b0)
    u = add(way, bent_by(rows, i))
    n = _vector(rows, i, 12)
    y, limit = norm(u), rows[i, 18]
    across, along = smoothed_slopes(y, rows[i, 19])
    along += stiffened * (across - along)
    g = scale(limit * across, u)
    turn_a, turn_b = cross(r_a, g), cross(g, r_b)
    for j in range(3):
        out[k, j] += g[j]
        out[k, 3 + j] += turn_a[j]
        out[k, 6 + j] += turn_b[j]
    t = scale(1.0 / y, u) if y > 0.0 else any_tangent(n)
    o = cross(n, t)
    add_outer(out, k, limit * along, t, cross(r_a, t), cross(t, r_b))
    add_outer(out, k, limit * across, o, cross(r_a, o), cross(o, r_b))
    if theta != 0.0:
        _add_arc(out, k, 33, theta, r_a, g)
        _add_arc(out, k, 39, -theta, r_b, g)


@jit
def _add_arc(out, k, at, c, r, g):
    """Add c (sym(g r^T) - (g.r) 1)."""
    trace = dot(g, r)
    out[k, at] += c * (g[0] * r[0] - trace)
    out[k, at + 1] += c * (g[1] * r[1] - trace)
    out[k, at + 2] += c * (g[2] * r[2] - trace)
    out[k, at + 3] += 0.5 * c * (g[0] * r[1] + g[1] * r[0])
    out[k, at + 4] += 0.5 * c * (g[0] * r[2] + g[2] * r[0])
    out[k, at + 5] += 0.5 * c * (g[1] * r[2] + g[2] * r[1])


@jit
def any_tangent(n):
    """A unit vector at right angles to n."""
    if abs(n[0]) <= abs(n[1]) and abs(n[0]) <= abs(n[2]):
        v = cross(n, (1.0, 0.0, 0.0))
    elif abs(n[1]) <= abs(n[2]):
        v = cross(n, (0.0, 1.0, 0.0))
    else:
        v = cross(n, (0.0, 0.0, 1.0))
    return scale(1.0 / norm(v), v)


@jit
def coefficient(law, speed):
    """Mu at a slip speed [m/s]: `law` = (mu_s, mu_d, v_s, v_d), mu_s up to v_s, mu_d from v_d on.

    Between them a cubic that starts and ends level.
    """
    mu_s, mu_d, v_s, v_d = law
    if mu_s == mu_d or speed <= v_s:
        return mu_s
    if speed >= v_d:
        return mu_d
    z = (speed - v_s) / (v_d - v_s)
    return mu_s + (mu_d - mu_s) * z * z * (3.0 - 2.0 * z)


@jit
def within_cone(u, eps):
    """The return map: u, or where it is longer than eps, the part that is kept when it slips."""
    y = norm(u)
    if y <= eps:
        return u
    return scale(eps / y, u)


@jit
def slip_speed(way, h):
    """[m/s]."""
    return math.sqrt(dot(way, way)) / h
