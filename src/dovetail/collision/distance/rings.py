"""Distances from an arc of a ring: a circle with a tube around it.

The nearest point of an arc to a point, an edge, a triangle, a cylinder, a cone or an arc of another
ring is found along the arc alone: the distance of a point of the circle from each of them has a
closed form. An arc of some 45 degrees can have two nearest points, next to an edge across it: the
slope of the distance is looked at in a few places, and each fall that turns into a rise is refined.

A ring is made of ARCS arcs that overlap by half: arc k reaches from the middle of arc k - 1 to that
of arc k + 1. With the `weight` of the place of the nearest point, 1 in the middle and 0 at both
ends, the weights of the two arcs that have the same nearest point add up to 1.
"""

import math
from typing import NamedTuple

from dovetail.collision.distance.closest_points import POINT_EDGE_INSIDE as ON_EDGE
from dovetail.collision.distance.closest_points import (
    POINT_FACE,
    point_edge,
    point_triangle,
    triangle_point,
)
from dovetail.collision.distance.revolution import (
    DISC,
    LATERAL,
    RIM,
    Solid,
    perpendicular,
    point_solid,
)
from dovetail.linalg.vec3 import ZERO, add_scaled, cross, dot, norm, scale, sub
from dovetail.runtime.jit import jit

Vec3 = tuple[float, float, float]

TRIANGLE, EDGE, POINT, SOLID, RING = range(5)  # what an arc meets
ARCS = 16
WIDTH = 2.0 * math.pi / ARCS  # [rad] half of an arc
SAMPLES = 8
MAX_HALVINGS = 100
SMALL = 1e-15


class Ring(NamedTuple):
    """A circle with a tube at its pose, seen from the centre of its body."""

    axis: Vec3  # unit
    x: Vec3  # unit, where angles begin
    y: Vec3  # unit, a quarter of a turn on
    height: float  # [m] of its plane along the axis
    major: float  # [m]
    tube: float  # [m]


class Target(NamedTuple):
    """What an arc meets: the fields of its kind."""

    kind: int
    p0: Vec3  # [m] corners of a point, an edge, a triangle, from the centre of the ring's body
    p1: Vec3
    p2: Vec3
    centre: Vec3  # [m] of the body of a solid or a ring
    solid: Solid
    ring: Ring
    low: float  # [rad] from where to where the arc of the other ring reaches
    high: float


class Near(NamedTuple):
    """The nearest point of a target to a point."""

    distance: float  # [m]
    normal: Vec3  # from the target
    part: int  # of a triangle, an edge or a solid: where it is
    angle: float  # [rad] on the other ring


class ArcNear(NamedTuple):
    """The nearest point of an arc to a target."""

    distance: float  # [m] of the circle, with what the pull adds
    angle: float  # [rad]
    free: bool  # whether it may move along the circle
    point: Vec3  # [m] on the circle
    near: Near


NO_RING = Ring(ZERO, ZERO, ZERO, 0.0, 0.0, 0.0)
NO_SOLID = Solid(ZERO, 0.0, 0.0, 0.0, 0.0, 0.0)


@jit
def on_circle(ring, angle):
    """The point of the circle at an angle [m]."""
    p = add_scaled(scale(ring.height, ring.axis), ring.major * math.cos(angle), ring.x)
    return add_scaled(p, ring.major * math.sin(angle), ring.y)


@jit
def tangent(ring, angle):
    """The derivative of `on_circle` [m]."""
    t = scale(-ring.major * math.sin(angle), ring.x)
    return add_scaled(t, ring.major * math.cos(angle), ring.y)


@jit
def nearest_angle(ring, p, low, high):
    """[rad] of the point of an arc that is nearest to p."""
    angle, middle = math.atan2(dot(p, ring.y), dot(p, ring.x)), 0.5 * (low + high)
    off = angle - middle
    off -= 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5)
    return min(max(middle + off, low), high)


@jit
def weight(x):
    """(w, w') of the place x in -1 .. 1 of an arc: w(x) + w(1 - x) = 1."""
    s = abs(x)
    if s >= 1.0:
        return 0.0, 0.0
    slope = -6.0 * s * (1.0 - s)
    return 1.0 - s * s * (3.0 - 2.0 * s), slope if x > 0.0 else -slope


@jit
def _from(q, p, part, angle):
    d = sub(p, q)
    distance = norm(d)
    n = scale(1.0 / distance, d) if distance > 0.0 else (0.0, 0.0, 1.0)
    return Near(distance, n, part, angle)


@jit
def nearest(target, p):
    """The nearest point of a target to p."""
    if target.kind == TRIANGLE:
        part, s, t = point_triangle(p, target.p0, target.p1, target.p2)
        return _from(triangle_point(target.p0, target.p1, target.p2, s, t), p, part, 0.0)
    if target.kind == EDGE:
        part, s, _ = point_edge(p, target.p0, target.p1)
        return _from(add_scaled(target.p0, s, sub(target.p1, target.p0)), p, part, 0.0)
    if target.kind == POINT:
        return _from(target.p0, p, 0, 0.0)
    seen = sub(p, target.centre)
    if target.kind == SOLID:
        near = point_solid(seen, target.solid)
        return Near(near.distance, near.normal, near.part, 0.0)
    angle = nearest_angle(target.ring, seen, target.low, target.high)
    return _from(on_circle(target.ring, angle), seen, 0, angle)


@jit
def bending(target, near, p, v):
    """H v [m], H [1/m] the second derivative of the distance from the target at p."""
    n, d = near.normal, near.distance
    across = add_scaled(v, -dot(n, v), n)
    if target.kind == POINT:
        return scale(1.0 / d, across)
    if target.kind == EDGE or target.kind == TRIANGLE:
        e, free = sub(target.p1, target.p0), near.part == ON_EDGE
        if target.kind == TRIANGLE:
            if near.part == POINT_FACE:
                return ZERO
            free = near.part >= 3
            if near.part == 4:
                e = sub(target.p2, target.p1)
            elif near.part == 5:
                e = sub(target.p0, target.p2)
        if free:
            e = scale(1.0 / norm(e), e)
            across = add_scaled(across, -dot(e, across), e)
        return scale(1.0 / d, across)
    seen = sub(p, target.centre)
    a = target.solid.axis if target.kind == SOLID else target.ring.axis
    outward = add_scaled(seen, -dot(a, seen), a)
    rho = norm(outward)
    if target.kind == RING and (near.angle == target.low or near.angle == target.high):
        return scale(1.0 / d, across)
    t = scale(1.0 / rho, cross(a, outward)) if rho > 0.0 else perpendicular(a)
    around = dot(n, outward) / (rho * rho) if rho > 0.0 else 0.0
    bent = scale(around * dot(t, v), t)
    if target.kind == RING or near.part == RIM:
        m = cross(t, n)
        return add_scaled(bent, dot(m, v) / d, m)
    if near.part == LATERAL:
        return bent
    return ZERO if near.part == DISC else bent


@jit
def _slope(ring, angle, middle, pull, target):
    """Of the distance along the circle [m], and the distance."""
    near, off = nearest(target, on_circle(ring, angle)), ring.major * (angle - middle)
    slope = dot(near.normal, tangent(ring, angle)) + pull * ring.major * off
    return slope, near.distance + 0.5 * pull * off * off


@jit
def _refined(ring, low, at_low, high, at_high, middle, pull, target):
    """(angle, distance) where the slope is zero."""
    angle, side, distance = low, 0, 0.0
    for k in range(MAX_HALVINGS):
        # the secant, with the Illinois rule, and a halving every third time
        angle = (low * at_high - high * at_low) / (at_high - at_low)
        if k % 3 == 2 or not low < angle < high:
            angle = 0.5 * (low + high)
        slope, distance = _slope(ring, angle, middle, pull, target)
        if abs(slope) <= SMALL * ring.major or high - low <= SMALL:
            break
        if slope < 0.0:
            low, at_low = angle, slope
            if side == -1:
                at_high *= 0.5
            side = -1
        else:
            high, at_high = angle, slope
            if side == 1:
                at_low *= 0.5
            side = 1
    return angle, distance


@jit
def arc_nearest(ring, low, high, pull, target):
    """The `ArcNear` of the arc from `low` to `high` [rad] and a target.

    `pull` [1/m] adds pull tau^2 / 2 to the distance, tau [m] the arc length from the middle: with
    it arcs along a surface have one nearest point, too.
    """
    middle, each = 0.5 * (low + high), (high - low) / SAMPLES
    before, best = _slope(ring, low, middle, pull, target)
    angle = low
    if before < 0.0:
        best = math.inf
    for k in range(SAMPLES):
        begin, end = low + k * each, low + (k + 1) * each if k < SAMPLES - 1 else high
        slope, distance = _slope(ring, end, middle, pull, target)
        if before < 0.0 and slope >= 0.0:
            at, distance = _refined(ring, begin, before, end, slope, middle, pull, target)
            if distance < best:
                best, angle = distance, at
        elif k == SAMPLES - 1 and slope < 0.0 and distance < best:
            best, angle = distance, high
        before = slope
    p = on_circle(ring, angle)
    return ArcNear(best, angle, low < angle < high, p, nearest(target, p))
