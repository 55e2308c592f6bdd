"""Points on a search path: circular arcs about the body's centre plus a line, at constant twist.

With u = w x r and v = w x u, a corner at offset r is at r + a u + b v after the time t, where
a = t sin(t|w|) / (t|w|) and b = t^2 (1 - cos(t|w|)) / (t|w|)^2, and its velocity about the centre
is cos(t|w|) u + a v. A corner is kept as (r, u, v, |u|), so that a pose costs one sine and one
cosine for the whole body and two multiply-adds per coordinate of a corner.
"""

import math

from dovetail.linalg.vec3 import add, add_scaled, cross, norm, scale
from dovetail.runtime.jit import jit


@jit
def arc(r, w):
    """The corner (r, u, v, |u|)."""
    u = cross(w, r)
    return (r, u, cross(w, u), norm(u))


@jit
def phase(t, speed):
    """(cos, a, b) of a body that rotates at `speed` = |w| at the time t."""
    half = 0.5 * t * speed
    if half == 0.0:
        return (1.0, t, 0.5 * t * t)
    s, c = math.sin(half), math.cos(half)
    f = t * s / half  # a = f c, b = f^2 / 2, by the formulas for twice an angle
    return (1.0 - 2.0 * s * s, f * c, 0.5 * f * f)


@jit
def place(corner, now, centre):
    """Where the corner is."""
    r, u, v, _ = corner
    return add(centre, add_scaled(add_scaled(r, now[1], u), now[2], v))


@jit
def velocity(corner, now):
    """Its velocity about the centre."""
    return add_scaled(scale(now[0], corner[1]), now[1], corner[2])


@jit
def arc1(points, w):
    return (arc(points[0], w),)


@jit
def arc2(points, w):
    return (arc(points[0], w), arc(points[1], w))


@jit
def arc3(points, w):
    return (arc(points[0], w), arc(points[1], w), arc(points[2], w))


@jit
def place1(corners, now, x):
    return (place(corners[0], now, x),)


@jit
def place2(corners, now, x):
    return (place(corners[0], now, x), place(corners[1], now, x))


@jit
def place3(corners, now, x):
    return (place(corners[0], now, x), place(corners[1], now, x), place(corners[2], now, x))


@jit
def fastest(corners):
    """Largest |w x r|, which no point of the simplex exceeds."""
    largest = 0.0
    for i in range(len(corners)):
        largest = max(largest, corners[i][3])
    return largest


@jit
def farthest(corners):
    """Largest |r|."""
    largest = 0.0
    for i in range(len(corners)):
        largest = max(largest, norm(corners[i][0]))
    return largest


ARC = {1: arc1, 2: arc2, 3: arc3}
PLACE = {1: place1, 2: place2, 3: place3}
