"""Does a body enter a half-space on the path between two frames? The verifier's own answer.

A body over a plane is the hull of points and discs, thickened by a ball (`Discs`). Seen from the
frame of the plane, with its normal n fixed, the height of a centre r is followed to third order
(`moving_points`, with the rotation of the plane as that of the frame). A disc of radius R about an
axis a reaches R |P n| below its centre, P taking out the part along the axis. Its points may turn
about that axis as one likes: with the rotation sigma = w.a taken back, they are at E(tau) u,
    E = exp(-tau C) exp(tau W) exp(-tau sigma A),   n.E u = u.(n + tau n1 + tau^2 n2 / 2 + ...),
    n1 = n x b,   b = w - c - sigma a,
    n2 = C C n + W W n + sigma^2 A A n - 2 W C n + 2 sigma A C n - 2 sigma A W n,
so that a disc that rolls or spins about its own axis costs nothing. For |tau| <= h the height of
the lowest rim point is above the lesser end value of h_0 + h_1 tau - R |P (n + tau n1)|, which is
concave, less the second-order parts that lower it and the third-order remainders.

Pieces of time are halved until every one is clear, or touches within rounding, or a point is found
below the plane.
"""

import math

import numpy as np

from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import (
    IDENTITY,
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    mat_t_vec,
    matmul,
    matvec,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm
from dovetail.verifier.moving_points import (
    along_direction,
    least_of_quadratic,
    taylor_of_origin,
    taylor_of_point,
)
from dovetail.verifier.path_clearance import ROUNDING, SHORTEST_PIECE
from dovetail.verifier.records import CLEAR, MEET, TOUCH, UNDECIDED, Discs

STACK = 64  # one entry for each of 44 halvings


@jit
def _across(a, axis):
    """|a - (a.axis) axis|."""
    return norm(sub(a, scale(dot(a, axis), axis)))


@jit
def _rim_curvature(n, w, c, axis, sigma):
    """The vector n2 of the second derivative of n.E u."""
    cn, wn, an = cross(c, n), cross(w, n), cross(axis, n)
    total = add(cross(c, cn), cross(w, wn))
    total = add_scaled(total, sigma * sigma, cross(axis, an))
    total = add_scaled(total, -2.0, cross(w, cn))
    total = add_scaled(total, 2.0 * sigma, cross(axis, cn))
    return add_scaled(total, -2.0 * sigma, cross(axis, wn))


@jit
def disc_heights(p, v, w, r, axis, radius, n, w_h, half):
    """Height of a disc now and its least over `half` a piece to both sides: (now, least).

    `p` [m] from the plane to the origin of the body, `r` from there to the disc's centre, both and
    the unit vector `axis` in world axes; `w`, `w_h` [rad] rotations of the body and the plane.
    """
    seen = along_direction(n, w, w_h)
    o, b = taylor_of_origin(seen, p, v, half), taylor_of_point(seen, r, half)
    f0, f1, f2, third = o[0] + b[0], o[1] + b[1], o[2] + b[2], o[3] + b[3]
    cubed = half * half * half / 6.0
    if not radius > 0.0:
        return f0, least_of_quadratic(f0, f1, f2, half) - cubed * third
    sigma = dot(w, axis)
    n1 = cross(n, sub(sub(w, w_h), scale(sigma, axis)))
    n2 = _rim_curvature(n, w, w_h, axis, sigma)
    before = f0 - half * f1 - radius * _across(add_scaled(n, -half, n1), axis)
    after = f0 + half * f1 - radius * _across(add_scaled(n, half, n1), axis)
    squared = 0.5 * half * half
    least = min(before, after) + squared * (min(0.0, f2) - radius * _across(n2, axis))
    speed, tip = norm(w) + abs(sigma), norm(sub(w, scale(sigma, axis)))
    turning = tip * speed * speed
    if w_h != ZERO:
        turning = (speed + norm(w_h)) ** 3
    return f0 - radius * _across(n, axis), least - cubed * (third + radius * turning)


@jit
def path_over_plane(discs, D, v, R, w, normal, w_h, extent, clearance, budget):
    """Whether a disc meets the plane while s goes from 0 to 1: (code, s, disc, tests).

    To meet is to come lower than `clearance` [m]. `D` from the plane's origin to the body's and
    `normal` of the plane at s = 0; `extent` [m] the radius of the body.
    """
    slack = ROUNDING * (norm(D) + norm(v) + extent)
    needed = clearance + discs.ball
    pieces = np.empty((STACK, 2))
    tests = 0
    doubt, doubt_s, doubt_disc = CLEAR, 1.0, -1
    for i in range(discs.centre.shape[0]):
        centre, own_axis, radius = load3(discs.centre, i), load3(discs.axis, i), discs.radius[i]
        pieces[0, 0], pieces[0, 1] = 0.0, 1.0
        top = 1
        while top > 0:
            top -= 1
            begin, end = pieces[top, 0], pieces[top, 1]
            s, half = 0.5 * (begin + end), 0.5 * (end - begin)
            if tests >= budget:
                return UNDECIDED, s, i, tests
            tests += 1
            Q = matmul(exp(scale(s, w)), R)
            n = matvec(exp(scale(s, w_h)), normal)
            now, least = disc_heights(
                add_scaled(D, s, v), v, w, matvec(Q, centre), matvec(Q, own_axis), radius, n, w_h,
                half,
            )  # fmt: skip
            if least > needed + slack:
                continue
            if least > needed - 2.0 * slack and now <= needed + 2.0 * slack:
                if doubt == CLEAR:
                    doubt, doubt_s, doubt_disc = TOUCH, s, i
                continue
            if now < needed - slack:
                return MEET, s, i, tests
            if end - begin <= SHORTEST_PIECE:
                if doubt != UNDECIDED:
                    doubt, doubt_s, doubt_disc = UNDECIDED, s, i
                continue
            pieces[top, 0], pieces[top, 1] = s, end
            pieces[top + 1, 0], pieces[top + 1, 1] = begin, s
            top += 2
    return doubt, doubt_s, doubt_disc, tests


@jit
def lowest_over_plane(discs, x, R, normal):
    """Height [m] of the lowest point at x from the plane, rotated by R, and which disc it is of."""
    least, which = math.inf, -1
    for i in range(discs.centre.shape[0]):
        height = dot(normal, add(x, matvec(R, load3(discs.centre, i)))) - discs.ball
        height -= discs.radius[i] * _across(mat_t_vec(R, normal), load3(discs.axis, i))
        if height < least:
            least, which = height, i
    return least, which


_rows = read_only(np.empty((0, 3)))
_discs = Discs(_rows, _rows, read_only(np.empty(0)), 0.0)
warm(path_over_plane, _discs, ZERO, ZERO, IDENTITY, ZERO, ZERO, ZERO, 0.0, 0.0, 0)
warm(lowest_over_plane, _discs, ZERO, IDENTITY, ZERO)
