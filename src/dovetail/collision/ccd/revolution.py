"""How far a solid of revolution can go without coming closer to something than allowed.

As `ccd.additive_ccd`: from a time with a direction n and a separation along it, the next time until
which nothing meets. A hull of discs k, of radius R_k about the axis a with centres c_k, is apart
from a hull of discs or corners j along n as long as all of
    n.(q_j - c_k) - R_k |a x n| - S_j |b x n| - g
are positive. Turning about its own axis moves no disc. With x = a x n and y = a' x n
    |x + t y| <= |x| + t x.y / |x| + t^2 |y|^2 / 2 |x|   and   <= |x| + t |y|,
|a''| <= |w| |w x a|, and n.q'' <= |w x n| |w x q|: a parabola below each separation, whose root is
a safe step. The proof needs the direction n to be no more than some unit vector: the separation
along it is a lower bound of the distance, whatever has found it. The error bound is that of
`ccd.additive_ccd`.
"""

import math

from dovetail.collision.ccd.additive_ccd import FREE, LIMIT, NEAR, ROUNDING, SHORTENED, TOUCHING
from dovetail.collision.ccd.arcs import arc, arc3, phase, place, place3, velocity
from dovetail.collision.distance.revolution import (
    Solid,
    edge_solid,
    point_solid,
    triangle_solid,
)
from dovetail.collision.distance.solids import certain_distance
from dovetail.linalg.vec3 import ZERO, add_scaled, cross, dot, neg, norm, scale, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

TRIANGLE, EDGE, POINT, SOLID = range(4)  # what the solid meets


@jit
def _turned(solid, axis):
    return Solid(axis, solid.z0, solid.r0, solid.z1, solid.r1, solid.tube)


@jit
def _direction(kind, solid, other, q, D):
    """A unit vector from the solid to what it meets."""
    if kind == SOLID:
        return certain_distance(solid, other, D)[1]
    if kind == TRIANGLE:
        return triangle_solid(q[0], q[1], q[2], solid, 0.0)[1]
    if kind == EDGE:
        s = edge_solid(q[0], q[1], solid, 0.0)
        return point_solid(add_scaled(q[0], s, sub(q[1], q[0])), solid).normal
    return point_solid(q[0], solid).normal


@jit
def rim_bounds(a, a_dot, n, bend):
    """(|a x n|, bounds of its rate and of its bend) of a unit disc about a."""
    x, y = cross(a, n), cross(a_dot, n)
    size, speed = norm(x), norm(y)
    if size > speed:
        return size, dot(x, y) / size, bend + speed * speed / size
    return size, speed, bend


@jit
def gap_root(gap, closing, bend):
    """Least time after which a gap may be used up."""
    root = closing + math.sqrt(closing * closing + 2.0 * bend * gap)
    return 2.0 * gap / root if root > 0.0 else math.inf


@jit
def advance_solid(
    kind, solid, other, points, radius, D, ds, w_a, w_b, dmin, t_max, min_gap_fraction, iterations,
    most_kept=math.inf,
):  # fmt: skip
    """(time, outcome, evaluations) as `additive_ccd`, for a solid of body a and what b has.

    A triangle, an edge or a point, its corners in `points` (the last repeated) from the centre of
    b, with a `radius`; or the solid `other`, whose discs are about the first two points.
    """
    axis, axis_b = arc(solid.axis, w_a), arc(other.axis, w_b)
    c0, c1 = arc(scale(solid.z0, solid.axis), w_a), arc(scale(solid.z1, solid.axis), w_a)
    b = arc3(points, w_b)
    spin_a, spin_b = norm(w_a), norm(w_b)
    S = (other.r0, other.r1, other.r1) if kind == SOLID else ZERO
    fastest = max(c0[3] + solid.r0 * axis[3], c1[3] + solid.r1 * axis[3])
    fastest_b, size_b = 0.0, 0.0
    for j in range(3):
        fastest_b = max(fastest_b, b[j][3] + S[j] * axis_b[3])
        size_b = max(size_b, norm(points[j]) + S[j])
    speed = (norm(ds) + fastest + fastest_b) / SHORTENED
    size = max(abs(solid.z0) + solid.r0, abs(solid.z1) + solid.r1)
    reach = (1.0 + spin_a) * size + (1.0 + spin_b) * size_b + radius
    error = 4.0 * ROUNDING * (norm(D) + norm(ds) + reach)
    t, keep = 0.0, 0.0
    for k in range(iterations):
        now_a, now_b = phase(t, spin_a), phase(t, spin_b)
        x = add_scaled(D, t, ds)
        here, there = place(axis, now_a, ZERO), place(axis_b, now_b, ZERO)
        q = place3(b, now_b, x)
        n = _direction(kind, _turned(solid, here), _turned(other, there), q, x)
        rim_a = rim_bounds(here, velocity(axis, now_a), n, spin_a * axis[3])
        rim_b = rim_bounds(there, velocity(axis_b, now_b), n, spin_b * axis_b[3])
        tilt_a, tilt_b, drift = norm(cross(w_a, n)), norm(cross(w_b, n)), dot(n, ds)
        gap = math.inf
        for i in range(2):
            c, R = (c0, solid.r0) if i == 0 else (c1, solid.r1)
            high = dot(n, place(c, now_a, ZERO)) + R * rim_a[0]
            for j in range(3):
                gap = min(gap, dot(n, q[j]) - high - S[j] * rim_b[0])
        gap -= dmin + radius
        if k == 0:
            if not gap > 8.0 * error:
                return 0.0, TOUCHING, 1
            if gap * (1.0 - 1.25 * min_gap_fraction) > speed * t_max + 8.0 * error:
                return t_max, FREE, 1
            keep = max(min(min_gap_fraction * gap, most_kept), 4.0 * error)
        elif not gap > 1.25 * keep:
            return t, NEAR, k + 1
        least = math.inf
        for i in range(2):
            c, R = (c0, solid.r0) if i == 0 else (c1, solid.r1)
            high = dot(n, place(c, now_a, ZERO)) + R * rim_a[0]
            rising = dot(n, velocity(c, now_a)) + R * rim_a[1]
            for j in range(3):
                left = dot(n, q[j]) - high - S[j] * rim_b[0] - dmin - radius - keep
                closing = rising - drift - dot(n, velocity(b[j], now_b)) + S[j] * rim_b[1]
                bend = tilt_a * c[3] + R * rim_a[2] + tilt_b * b[j][3] + S[j] * rim_b[2]
                least = min(least, gap_root(left, closing, bend))
        step = (gap - keep) / speed if speed > 0.0 else math.inf
        t += max(step, SHORTENED * least)
        if t >= t_max:
            return t_max, FREE, k + 1
    return t, LIMIT, iterations


@jit
def advance_solid_plane(
    solid, n, D, ds, w_a, w_b, dmin, t_max, min_gap_fraction, iterations, most_kept=math.inf
):  # fmt: skip
    """The same over the plane through D with the unit normal n, which must not turn."""
    axis = arc(solid.axis, w_a)
    c0, c1 = arc(scale(solid.z0, solid.axis), w_a), arc(scale(solid.z1, solid.axis), w_a)
    spin = norm(w_a)
    size = max(abs(solid.z0) + solid.r0, abs(solid.z1) + solid.r1) + solid.tube
    fastest = max(c0[3] + solid.r0 * axis[3], c1[3] + solid.r1 * axis[3])
    turning = norm(w_b) * (norm(D) + norm(ds) + size)
    speed = (norm(ds) + fastest + turning) / SHORTENED
    error = 4.0 * ROUNDING * (norm(D) + norm(ds) + (1.0 + spin) * size)
    t, keep = 0.0, 0.0
    tilt = norm(cross(w_a, n))
    down = neg(n)
    for k in range(iterations):
        now = phase(t, spin)
        x = add_scaled(D, t, ds)
        rim = rim_bounds(place(axis, now, ZERO), velocity(axis, now), down, spin * axis[3])
        low = -dot(n, x) - dmin - solid.tube - turning * t
        gap0 = low + dot(n, place(c0, now, ZERO)) - solid.r0 * rim[0]
        gap1 = low + dot(n, place(c1, now, ZERO)) - solid.r1 * rim[0]
        gap = min(gap0, gap1)
        if k == 0:
            if not gap > 8.0 * error:
                return 0.0, TOUCHING, 1
            if gap * (1.0 - 1.25 * min_gap_fraction) > speed * t_max + 8.0 * error:
                return t_max, FREE, 1
            keep = max(min(min_gap_fraction * gap, most_kept), 4.0 * error)
        elif not gap > 1.25 * keep:
            return t, NEAR, k + 1
        drift = dot(n, ds) + turning
        closing0 = drift - dot(n, velocity(c0, now)) + solid.r0 * rim[1]
        closing1 = drift - dot(n, velocity(c1, now)) + solid.r1 * rim[1]
        least = min(
            gap_root(gap0 - keep, closing0, tilt * c0[3] + solid.r0 * rim[2]),
            gap_root(gap1 - keep, closing1, tilt * c1[3] + solid.r1 * rim[2]),
        )
        step = (gap - keep) / speed if speed > 0.0 else math.inf
        t += max(step, SHORTENED * least)
        if t >= t_max:
            return t_max, FREE, k + 1
    return t, LIMIT, iterations


_solid = Solid((0.0, 0.0, 1.0), -1.0, 1.0, 1.0, 1.0, 0.0)
warm(
    advance_solid, 0, _solid, _solid, (ZERO, ZERO, ZERO), 0.0, ZERO, ZERO, ZERO, ZERO, 0.0, 1.0,
    0.1, 100,
)  # fmt: skip
warm(advance_solid_plane, _solid, ZERO, ZERO, ZERO, ZERO, ZERO, 0.0, 1.0, 0.1, 100)
