"""Do two boxes stay apart while each moves with its body? For the verifier only.

Body a rotates at w_a about the origin, body b at w_b about D + s v, all in world axes and time s.
The two are seen from a frame that rotates at c: in it the points p of a and q = D + r of b move as
    p' = alpha x p,                     alpha = w_a - c,
    q' = v - c x D + beta x r,          beta = w_b - c,
    p'' = alpha x (alpha x p) + (alpha x c) x p,      q'' likewise with beta, r,
          and with the acceleration of b's origin, c x (c x D) - 2 c x v.
c is chosen so that little rotation is left: two bodies that rotate together hardly move.

Along a direction n that is fixed in that frame, tau away from the instant at which all is known,
    |n.p''| <= (|alpha x n| + k tau) (|alpha x p| + k tau |p|) + k |p|,     k = |c x w_a|,
since alpha as seen from the frame, and seen from the body, rotates by less than k tau; n.q'' is
bounded likewise, and the origin's part by |c x n| (2 |v| + |c x D| + |c x v| tau). Directions are
the axes of the two boxes (Gottschalk et al., OBBTree, SIGGRAPH 1996, without the crossed edges).
"""

import math

from dovetail.linalg.vec3 import (
    ZERO,
    add,
    cross,
    dot,
    mat_t_vec,
    matmul,
    matvec,
    norm,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit
from dovetail.verifier.records import AngularVelocities, Kinematics


@jit
def frame_rotation(w_a, w_b, radius_a, radius_b):
    """The rotation c of the frame: none, that of a or that of b, whichever leaves least motion."""
    least, c = norm(w_a) * radius_a + norm(w_b) * radius_b, ZERO
    apart = norm(sub(w_b, w_a))
    if apart * radius_b < least:
        least, c = apart * radius_b, w_a
    if apart * radius_a < least:
        c = w_b
    return c


@jit
def acceleration_of_body(tilt, sweep, reach, drift, tau):
    """Bound on |n.p''| [m] of points with |alpha x p| <= sweep, |p| <= reach; tilt = |alpha x n|.

    `drift` = |c x w| [1].
    """
    return (tilt + drift * tau) * (sweep + drift * tau * reach) + drift * reach


@jit
def acceleration_of_origin(tilt, c, D, v, tau):
    """Bound on the acceleration [m] of b's origin along n; tilt = |c x n|."""
    return tilt * (2.0 * norm(v) + norm(cross(c, D)) + norm(cross(c, v)) * tau)


@jit
def displacement_bound(D, v, w_a, w_b, c, radius_a, radius_b):
    """Bound [m] on how far any points of the two move relative to each other for s from 0 to 1."""
    spin = norm(sub(w_a, c)) * radius_a + norm(sub(w_b, c)) * radius_b
    return spin + norm(sub(v, cross(c, D))) + 0.5 * norm(cross(c, v))


@jit
def _axis_rates(w):
    """Rows w x e_i: the rates of the axes of a body."""
    return ((0.0, w[2], -w[1]), (-w[2], 0.0, w[0]), (w[1], -w[0], 0.0))


@jit
def kinematics(Q_a, Q_b, shift, v, w_a, w_b, c):
    """The bodies at one instant, Q_a and Q_b their rotations and b at `shift` from a."""
    M = matmul(transpose(Q_a), Q_b)
    D, alpha, beta = mat_t_vec(Q_a, shift), sub(w_a, c), sub(w_b, c)
    in_a = AngularVelocities(mat_t_vec(Q_a, alpha), mat_t_vec(Q_a, beta), mat_t_vec(Q_a, c))
    in_b = AngularVelocities(mat_t_vec(Q_b, alpha), mat_t_vec(Q_b, beta), mat_t_vec(Q_b, c))
    return Kinematics(
        M,
        D,
        mat_t_vec(Q_a, sub(v, cross(c, shift))),
        in_a,
        in_b,
        matmul(_axis_rates(in_a.alpha), M),
        matmul(_axis_rates(in_a.beta), M),
        (norm(alpha), norm(beta), norm(c)),
        norm(cross(c, w_a)),
        norm(cross(c, w_b)),
        2.0 * norm(v) + norm(cross(c, shift)),
        norm(cross(c, v)),
    )


@jit
def _box(boxes, n):
    """Middle and half sides of box n."""
    c = (
        0.5 * (boxes[n, 0] + boxes[n, 3]),
        0.5 * (boxes[n, 1] + boxes[n, 4]),
        0.5 * (boxes[n, 2] + boxes[n, 5]),
    )
    return c, (boxes[n, 3] - c[0], boxes[n, 4] - c[1], boxes[n, 5] - c[2])


@jit
def _distance_from_box(p, h):
    """Distance of point p from the box of half sides h around the origin."""
    x, y, z = max(0.0, abs(p[0]) - h[0]), max(0.0, abs(p[1]) - h[1]), max(0.0, abs(p[2]) - h[2])
    return math.sqrt(x * x + y * y + z * z)


@jit
def _reach_along(row, h):
    """How far a box of half sides h reaches along a direction."""
    return abs(row[0]) * h[0] + abs(row[1]) * h[1] + abs(row[2]) * h[2]


@jit
def _across(w, i):
    """|w x e_i|."""
    y, z = w[(i + 1) % 3], w[(i + 2) % 3]
    return math.sqrt(y * y + z * z)


@jit
def _tilts(velocities, i):
    """|alpha x e_i|, |beta x e_i|, |c x e_i|."""
    return _across(velocities.alpha, i), _across(velocities.beta, i), _across(velocities.c, i)


@jit
def _acceleration(tilts, sweep_a, reach_a, sweep_b, reach_b, now, half):
    """Bound on the acceleration [m] of the points of both boxes along a direction."""
    return (
        acceleration_of_body(tilts[0], sweep_a, reach_a, now.drift_a, half)
        + acceleration_of_body(tilts[1], sweep_b, reach_b, now.drift_b, half)
        + tilts[2] * (now.origin + now.origin_rate * half)
    )


@jit
def boxes_stay_apart(boxes_a, a, boxes_b, b, now, half, least):
    """Whether boxes a and b stay more than `least` [m] apart for `half` a piece to both sides.

    `now` are the `kinematics` in the middle. Returns (they do, size of a, size of b, displacement):
    half diagonals, and how far one can move relative to the other, all [m].
    """
    M, in_a, in_b, speeds = now.M, now.in_a, now.in_b, now.speeds
    c_a, h_a = _box(boxes_a, a)
    c_b, h_b = _box(boxes_b, b)
    r = matvec(M, c_b)
    apart = sub(add(r, now.D), c_a)
    apart_in_b = mat_t_vec(M, apart)
    size_a, size_b = norm(h_a), norm(h_b)
    u_a, u_b = cross(in_a.alpha, c_a), cross(in_a.beta, r)
    rate = add(now.velocity, sub(u_b, u_a))
    sweep_a, reach_a = norm(u_a) + speeds[0] * size_a, norm(c_a) + size_a
    sweep_b, reach_b = norm(u_b) + speeds[1] * size_b, norm(c_b) + size_b
    bound = _acceleration(speeds, sweep_a, reach_a, sweep_b, reach_b, now, half)
    displacement = half * (
        norm(rate) + speeds[0] * size_a + speeds[1] * size_b + 0.5 * half * bound
    )
    distance = max(
        _distance_from_box(apart, h_a) - size_b, _distance_from_box(apart_in_b, h_b) - size_a
    )
    if distance > displacement + least:
        return True, size_a, size_b, displacement
    own, by_b = _axis_rates(in_a.alpha), now.rate_by_b
    for i in range(3):
        gap = abs(apart[i]) - h_a[i] - _reach_along(M[i], h_b) - least
        if gap > 0.0:
            gap -= half * (abs(rate[i]) + _reach_along(own[i], h_a) + _reach_along(by_b[i], h_b))
            bound = _acceleration(_tilts(in_a, i), sweep_a, reach_a, sweep_b, reach_b, now, half)
            if gap > 0.5 * half * half * bound:
                return True, size_a, size_b, displacement
    own, M, by_a = _axis_rates(in_b.beta), transpose(M), transpose(now.rate_by_a)
    for i in range(3):
        gap = abs(apart_in_b[i]) - h_b[i] - _reach_along(M[i], h_a) - least
        if gap > 0.0:
            along = abs(dot(M[i], rate))
            gap -= half * (along + _reach_along(own[i], h_b) + _reach_along(by_a[i], h_a))
            bound = _acceleration(_tilts(in_b, i), sweep_a, reach_a, sweep_b, reach_b, now, half)
            if gap > 0.5 * half * half * bound:
                return True, size_a, size_b, displacement
    return False, size_a, size_b, displacement
