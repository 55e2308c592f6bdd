"""How far an arc of a ring can go without coming closer to something than allowed.

As `ccd.revolution`. A ring is not convex: it is cut into arcs, each within the triangle of its two
ends and the point where its tangents meet, which is higher than the arc by R delta^2 / 4 at most.
From a time on, each such triangle, and the convex target, stay on their sides of two planes across
a direction n for the time of a root (`ccd.revolution`). Arcs are halved until the triangle is low
against what is left of the gap; the least of their times is the step. An arc of another ring is cut
likewise, both at once. The proof needs no nearest point: n may be any unit vector.

Rotating about its own axis moves no ring. So arcs do not follow it: they go with the frame of the
axis a whose angular velocity is W = w - s a, s = w.a, which has none about a. All of them together
are the ring all the same. Since |W| = |w x a| and W' = -s w x a, a corner r has
    |r''| <= (|s| + |w x a|) |w x a| |r|.

Pieces are not cut below FINEST of the gap, the minimum separation included: a pair that comes as
near as that to the separation counts as having reached it.

Pieces are numbered: at level l there are a^l of them, a = 2 or, of two rings, 4; a number in base a
says which half was taken at each level. So no stack is needed.
"""

import math
from typing import NamedTuple

from dovetail.collision.ccd.additive_ccd import FREE, LIMIT, NEAR, ROUNDING, SHORTENED, TOUCHING
from dovetail.collision.ccd.arcs import arc, arc3, phase, place, place3
from dovetail.collision.ccd.revolution import gap_root, rim_bounds
from dovetail.collision.distance.revolution import Solid
from dovetail.collision.distance.rings import (
    NO_RING,
    NO_SOLID,
    POINT,
    RING,
    SOLID,
    Ring,
    Target,
    arc_nearest,
    nearest,
    nearest_angle,
    on_circle,
)
from dovetail.linalg.vec3 import ZERO, add, add_scaled, cross, dot, neg, norm, scale, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

Vec3 = tuple[float, float, float]

FINEST = 1e-4
LOW = 0.25  # of what is left of the gap: a triangle this low is not cut
MAX_LEVEL = 24
MAX_PIECES = 100_000  # of one time


class Moving(NamedTuple):
    """Where the corners of the target are, and how both bodies move."""

    q: tuple[Vec3, Vec3, Vec3]  # [m]
    S: Vec3  # [m] radii of the discs about them
    ds: Vec3  # [m]
    w_a: Vec3  # [rad]
    w_b: Vec3  # [rad]
    speed: float  # [m] that nothing exceeds


@jit
def _around_arc(ring, low, high):
    """The corners of the triangle around an arc [m]."""
    half, middle = 0.5 * (high - low), 0.5 * (low + high)
    tip = Ring(ring.axis, ring.x, ring.y, ring.height, ring.major / math.cos(half), 0.0)
    return on_circle(ring, low), on_circle(ring, high), on_circle(tip, middle)


@jit
def _halves(number, level, arity, low, high, low_b, high_b):
    """The arcs of a piece."""
    for l in range(level - 1, -1, -1):
        digit = number // arity**l % arity
        middle = 0.5 * (low + high)
        if digit % 2 == 0:
            high = middle
        else:
            low = middle
        if arity == 4:
            middle = 0.5 * (low_b + high_b)
            if digit < 2:
                high_b = middle
            else:
                low_b = middle
    return low, high, low_b, high_b


@jit
def _direction(ring, low, high, target):
    """A unit vector from an arc to the target."""
    near = nearest(target, on_circle(ring, 0.5 * (low + high)))
    q = add_scaled(on_circle(ring, 0.5 * (low + high)), -near.distance, near.normal)
    return neg(nearest(target, on_circle(ring, nearest_angle(ring, q, low, high))).normal)


@jit
def _piece_time(ring, W_a, bend_a, low, high, target, W_b, bend_b, moving, n, needed, keep):
    """(separation beyond `needed` [m], time for which it is more than `keep`)."""
    a, q, x = _around_arc(ring, low, high), moving.q, target.centre
    S, w_b = moving.S, moving.w_b
    if target.kind == RING:
        b = _around_arc(target.ring, target.low, target.high)
        q, w_b = (add(x, b[0]), add(x, b[1]), add(x, b[2])), W_b
    axis = target.solid.axis
    of_b = rim_bounds(axis, cross(w_b, axis), n, norm(w_b) * norm(cross(w_b, axis)))
    tilt_b, drift = norm(cross(w_b, n)), dot(n, moving.ds)
    gap, least = math.inf, math.inf
    for i in range(3):
        high_a, rising, bend = dot(n, a[i]), dot(n, cross(W_a, a[i])), bend_a * norm(a[i])
        for j in range(3):
            r = sub(q[j], x)
            there = cross(w_b, r)
            left = dot(n, q[j]) - high_a - S[j] * of_b[0] - needed
            gap = min(gap, left)
            if not left > keep:
                least = 0.0
                continue
            closing = rising - drift - dot(n, there) + S[j] * of_b[1]
            bent = bend_b * norm(r) if target.kind == RING else tilt_b * norm(there)
            least = min(least, gap_root(left - keep, closing, bend + bent + S[j] * of_b[2]))
    return gap, least


@jit
def _height(ring, low, high, target):
    """[m] how much farther the triangles reach than the arcs."""
    angle = high - low
    height = 0.25 * ring.major * angle * angle
    if target.kind == RING:
        angle = target.high - target.low
        height += 0.25 * target.ring.major * angle * angle
    return height


@jit
def _safe_step(ring, low, high, target, moving, needed, keep, finest, left):
    """(how long all pieces are free, at most `left`, whether one is as near as 1.25 keep)."""
    arity, number, level = 4 if target.kind == RING else 2, 0, 0
    step, pieces, speed = left, 0, moving.speed
    W_a, bend_a = _without_spin(ring.axis, moving.w_a)
    W_b, bend_b = _without_spin(target.ring.axis, moving.w_b)
    while True:
        pieces += 1
        if pieces > MAX_PIECES:
            return 0.0, True
        from_a, to_a, from_b, to_b = _halves(
            number, level, arity, low, high, target.low, target.high
        )
        piece = Target(
            target.kind, target.p0, target.p1, target.p2, target.centre, target.solid, target.ring,
            from_b, to_b,
        )  # fmt: skip
        n = _direction(ring, from_a, to_a, piece)
        gap, time = _piece_time(
            ring, W_a, bend_a, from_a, to_a, piece, W_b, bend_b, moving, n, needed, keep
        )
        if gap > keep:
            time = max(SHORTENED * time, (gap - keep) / speed if speed > 0.0 else math.inf)
        is_low = _height(ring, from_a, to_a, piece) < LOW * max(gap - keep, finest)
        if time < step and not is_low and level < MAX_LEVEL:
            level += 1
            number *= arity
            continue
        if time < step:
            if not gap > 1.25 * keep:
                return 0.0, True
            step = time
        number += 1
        while level > 0 and number % arity == 0:
            number //= arity
            level -= 1
        if level == 0:
            return step, False


@jit
def _without_spin(axis, w):
    """(the angular velocity W of the frame of an axis, the bound of |r''| / |r|)."""
    s, across = dot(w, axis), norm(cross(w, axis))
    return add_scaled(w, -s, axis), (abs(s) + across) * across


@jit
def _ring_after(ring, w, now, t):
    """The ring with its frame after the time t."""
    angle = t * dot(w, ring.axis)
    c, s = math.cos(angle), math.sin(angle)
    x = place(arc(ring.x, w), now, ZERO)
    y = place(arc(ring.y, w), now, ZERO)
    return Ring(
        place(arc(ring.axis, w), now, ZERO), add_scaled(scale(c, x), -s, y),
        add_scaled(scale(s, x), c, y), ring.height, ring.major, ring.tube,
    )  # fmt: skip


@jit
def advance_ring(
    ring, low, high, target, radius, D, ds, w_a, w_b, dmin, t_max, min_gap_fraction, iterations,
    most_kept=math.inf,
):  # fmt: skip
    """(time, outcome, evaluations) as `additive_ccd`, for the arc from `low` to `high` [rad].

    The corners of the `target` are seen from the centre of b; it has a `radius` [m].
    """
    solid, other = target.solid, target.ring
    S, points = ZERO, (target.p0, target.p1, target.p2)
    if target.kind == SOLID:
        top = scale(solid.z1, solid.axis)
        S, points = (solid.r0, solid.r1, solid.r1), (scale(solid.z0, solid.axis), top, top)
    elif target.kind == POINT:
        points = (target.p0, target.p0, target.p0)
    elif target.kind != 0:  # an edge
        points = (target.p0, target.p1, target.p1)
    b = arc3(points, w_b)
    axis_s = arc(solid.axis, w_b)
    spin_a, spin_b = norm(w_a), norm(w_b)
    size = abs(ring.height) + 1.1 * ring.major
    size_b = abs(other.height) + 1.1 * other.major
    for j in range(3):
        size_b = max(size_b, norm(points[j]) + S[j])
    fastest = norm(cross(w_b, other.axis)) if target.kind == RING else spin_b
    speed = norm(ds) + norm(cross(w_a, ring.axis)) * size + fastest * size_b
    error = 4.0 * ROUNDING * (
        norm(D) + norm(ds) + (1.0 + spin_a) * size + (1.0 + spin_b) * size_b + ring.tube + radius
    )  # fmt: skip
    needed = dmin + radius + ring.tube
    t, keep, finest = 0.0, 0.0, 0.0
    for k in range(iterations):
        now_a, now_b = phase(t, spin_a), phase(t, spin_b)
        x = add_scaled(D, t, ds)
        here, there = _ring_after(ring, w_a, now_a, t), _ring_after(other, w_b, now_b, t)
        turned = Solid(
            place(axis_s, now_b, ZERO), solid.z0, solid.r0, solid.z1, solid.r1, solid.tube
        )
        q = place3(b, now_b, x)
        seen = Target(target.kind, q[0], q[1], q[2], x, turned, there, target.low, target.high)
        if k == 0:
            gap = arc_nearest(here, low, high, 0.0, seen).distance - needed
            if not gap > 8.0 * error:
                return 0.0, TOUCHING, 1
            keep = max(min(min_gap_fraction * gap, most_kept), 4.0 * error)
            finest = max(keep, FINEST * (gap + dmin))
        moving = Moving(q, S, ds, w_a, w_b, speed / SHORTENED)
        step, is_near = _safe_step(here, low, high, seen, moving, needed, keep, finest, 1.0 - t)
        if is_near:
            return min(t, t_max), NEAR if t < t_max else FREE, k + 1
        t += step
        if t >= min(t_max, 1.0):
            return t_max, FREE, k + 1
    return t, LIMIT, iterations


_ring = Ring((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.0, 1.0, 0.1)
warm(
    advance_ring, _ring, 0.0, 0.1, Target(0, ZERO, ZERO, ZERO, ZERO, NO_SOLID, NO_RING, 0.0, 0.0),
    0.0, ZERO, ZERO, ZERO, ZERO, 0.0, 1.0, 0.1, 100,
)  # fmt: skip
