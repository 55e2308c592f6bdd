"""Do two boxes stay apart while each turns and moves with its body? For the verifier only.

Body a turns at w_a about the origin, body b at w_b about D + s v, all in world axes and time s. The
two are seen from a frame that turns too, at c: in it the points p of a and q = D + r of b move as
    p' = alpha x p,                     alpha = w_a - c,
    q' = v - c x D + beta x r,          beta = w_b - c,
    p'' = alpha x (alpha x p) + (alpha x c) x p,      q'' likewise with beta, r,
          and with the acceleration of b's origin, c x (c x D) - 2 c x v.
c is chosen so that what is left to turn is little: two bodies that turn together hardly move.

Along a direction n that is fixed in that frame, tau away from the instant at which all is known,
    |n.p''| <= (|alpha x n| + k tau) (|alpha x p| + k tau |p|) + k |p|,     k = |c x w_a|,
since alpha as seen from the frame, and seen from the body, turns by less than k tau; n.q'' is
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


@jit
def shared_turning(w_a, w_b, radius_a, radius_b):
    """The turning c of the frame: none, that of a or that of b, whichever leaves least to move."""
    least, c = norm(w_a) * radius_a + norm(w_b) * radius_b, ZERO
    apart = norm(sub(w_b, w_a))
    if apart * radius_b < least:
        least, c = apart * radius_b, w_a
    if apart * radius_a < least:
        c = w_b
    return c


@jit
def bend_of_body(tilt, sweep, reach, drift, tau):
    """Bound on |n.p''| [m] of points with |alpha x p| <= sweep, |p| <= reach; tilt = |alpha x n|.

    `drift` = |c x w| [1].
    """
    return (tilt + drift * tau) * (sweep + drift * tau * reach) + drift * reach


@jit
def bend_of_origin(tilt, c, D, v, tau):
    """Bound on the acceleration [m] of b's origin along n; tilt = |c x n|."""
    return tilt * (2.0 * norm(v) + norm(cross(c, D)) + norm(cross(c, v)) * tau)


@jit
def most_moved(D, v, w_a, w_b, c, radius_a, radius_b):
    """Bound [m] on how far any points of the two move relative to each other for s from 0 to 1."""
    spin = norm(sub(w_a, c)) * radius_a + norm(sub(w_b, c)) * radius_b
    return spin + norm(sub(v, cross(c, D))) + 0.5 * norm(cross(c, v))


@jit
def _turned_axes(w):
    """Rows w x e_i: how fast the axes of a body turn."""
    return ((0.0, w[2], -w[1]), (-w[2], 0.0, w[0]), (w[1], -w[0], 0.0))


@jit
def seen_at(Q_a, Q_b, shift, v, w_a, w_b, c):
    """The bodies at one instant, in the axes of a, as `boxes_stay_apart` needs them.

    Rotation, place and velocity of b; alpha, beta and c in the axes of a, then of b; the rates of
    the entries of the rotation by the turning of a, and of b; |alpha|, |beta|, |c|, |c x w_a|,
    |c x w_b|; 2 |v| + |c x D| and |c x v|.
    """
    M = matmul(transpose(Q_a), Q_b)
    D, turn_a, turn_b = mat_t_vec(Q_a, shift), sub(w_a, c), sub(w_b, c)
    alpha, beta, turning = mat_t_vec(Q_a, turn_a), mat_t_vec(Q_a, turn_b), mat_t_vec(Q_a, c)
    velocity = mat_t_vec(Q_a, sub(v, cross(c, shift)))
    in_b = mat_t_vec(Q_b, turn_a), mat_t_vec(Q_b, turn_b), mat_t_vec(Q_b, c)
    rates = matmul(_turned_axes(alpha), M), matmul(_turned_axes(beta), M)
    spins = norm(turn_a), norm(turn_b), norm(c), norm(cross(c, w_a)), norm(cross(c, w_b))
    origin = 2.0 * norm(v) + norm(cross(c, shift)), norm(cross(c, v))
    return (M, D, velocity), (alpha, beta, turning), in_b, rates, spins, origin


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
def _beyond(p, h):
    """Distance of point p from the box of half sides h around the origin."""
    x, y, z = max(0.0, abs(p[0]) - h[0]), max(0.0, abs(p[1]) - h[1]), max(0.0, abs(p[2]) - h[2])
    return math.sqrt(x * x + y * y + z * z)


@jit
def _weighed(row, h):
    return abs(row[0]) * h[0] + abs(row[1]) * h[1] + abs(row[2]) * h[2]


@jit
def _across(w, i):
    """|w x e_i|."""
    y, z = w[(i + 1) % 3], w[(i + 2) % 3]
    return math.sqrt(y * y + z * z)


@jit
def _tilts(turnings, i):
    """|alpha x e_i|, |beta x e_i|, |c x e_i|."""
    alpha, beta, c = turnings
    return _across(alpha, i), _across(beta, i), _across(c, i)


@jit
def _bend(tilts, sweep_a, reach_a, sweep_b, reach_b, spins, origin, half):
    """Bound on the acceleration [m] of the points of both boxes along a direction."""
    return (
        bend_of_body(tilts[0], sweep_a, reach_a, spins[3], half)
        + bend_of_body(tilts[1], sweep_b, reach_b, spins[4], half)
        + tilts[2] * (origin[0] + origin[1] * half)
    )


@jit
def boxes_stay_apart(boxes_a, a, boxes_b, b, seen, half, least):
    """Whether boxes a and b stay more than `least` [m] apart for `half` a piece to both sides.

    Returns (they do, size of a, size of b, displacement): half diagonals, and how far one can go
    relative to the other, all [m].
    """
    (M, D, velocity), in_a, in_b, (by_a, by_b), spins, origin = seen
    c_a, h_a = _box(boxes_a, a)
    c_b, h_b = _box(boxes_b, b)
    r = matvec(M, c_b)
    apart = sub(add(r, D), c_a)
    apart_in_b = mat_t_vec(M, apart)
    size_a, size_b = norm(h_a), norm(h_b)
    turn_a, turn_b = cross(in_a[0], c_a), cross(in_a[1], r)
    rate = add(velocity, sub(turn_b, turn_a))
    sweep_a, reach_a = norm(turn_a) + spins[0] * size_a, norm(c_a) + size_a
    sweep_b, reach_b = norm(turn_b) + spins[1] * size_b, norm(c_b) + size_b
    bend = _bend(
        (spins[0], spins[1], spins[2]), sweep_a, reach_a, sweep_b, reach_b, spins, origin, half
    )
    displacement = half * (norm(rate) + spins[0] * size_a + spins[1] * size_b + 0.5 * half * bend)
    if max(_beyond(apart, h_a) - size_b, _beyond(apart_in_b, h_b) - size_a) > displacement + least:
        return True, size_a, size_b, displacement
    gains = _turned_axes(in_a[0])
    for i in range(3):
        gap = abs(apart[i]) - h_a[i] - _weighed(M[i], h_b) - least
        if gap > 0.0:
            gap -= half * (abs(rate[i]) + _weighed(gains[i], h_a) + _weighed(by_b[i], h_b))
            bend = _bend(_tilts(in_a, i), sweep_a, reach_a, sweep_b, reach_b, spins, origin, half)
            if gap > 0.5 * half * half * bend:
                return True, size_a, size_b, displacement
    gains, M, by_a = _turned_axes(in_b[1]), transpose(M), transpose(by_a)
    for i in range(3):
        gap = abs(apart_in_b[i]) - h_b[i] - _weighed(M[i], h_a) - least
        if gap > 0.0:
            gap -= half * (abs(dot(M[i], rate)) + _weighed(gains[i], h_b) + _weighed(by_a[i], h_a))
            bend = _bend(_tilts(in_b, i), sweep_a, reach_a, sweep_b, reach_b, spins, origin, half)
            if gap > 0.5 * half * half * bend:
                return True, size_a, size_b, displacement
    return False, size_a, size_b, displacement
