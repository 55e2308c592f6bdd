"""The friction cone: projections onto a disc or regular polygon, and onto the cone over it."""

import math
from typing import NamedTuple

from dovetail.runtime.jit import jit


class ConeProjection(NamedTuple):
    """The nearest point (n, a, b) of the cone, and the symmetric derivative of the projection."""

    n: float
    a: float
    b: float
    nn: float
    na: float
    nb: float
    aa: float
    ab: float
    bb: float


INSIDE = 0.5  # of the squared radius: within any polygon with four or more corners
APEX = ConeProjection(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class PolygonSide(NamedTuple):
    """A point rotated into the sector between the corners at angles 0 and w, and its side.

    The rotation is (cosine, sine); the side runs from (radius, 0) along (ex, ey); `along` is the
    place on it from 0 to 1, and -1 inside the polygon.
    """

    x: float
    y: float
    cosine: float
    sine: float
    ex: float
    ey: float
    along: float


@jit
def project_onto_disc(a, b, radius):
    """The point of the disc nearest to (a, b)."""
    size = math.hypot(a, b)
    if size <= radius:
        return a, b
    return a * radius / size, b * radius / size


@jit
def _nearest_side(a, b, radius, corners):
    """The side of the polygon in the sector of (a, b)."""
    wedge = 2.0 * math.pi / corners
    angle = wedge * math.floor(math.atan2(b, a) / wedge)
    c, s = math.cos(angle), math.sin(angle)
    x, y = c * a + s * b, c * b - s * a
    ex, ey = radius * (math.cos(wedge) - 1.0), radius * math.sin(wedge)
    along = -1.0
    if (x - radius) * ey - y * ex > 0.0:
        along = ((x - radius) * ex + y * ey) / (ex * ex + ey * ey)
        along = min(1.0, max(0.0, along))
    return PolygonSide(x, y, c, s, ex, ey, along)


@jit
def project_onto_polygon(a, b, radius, corners):
    """The point nearest to (a, b) of the regular polygon with a corner at (radius, 0)."""
    if not radius > 0.0:
        return 0.0, 0.0
    if a * a + b * b <= INSIDE * radius * radius:
        return a, b
    if abs(b) <= math.pi / corners * (abs(a) - radius):  # a corner along the slip is nearest
        return math.copysign(radius, a), 0.0
    x, y, c, s, ex, ey, along = _nearest_side(a, b, radius, corners)
    if along >= 0.0:
        x, y = radius + along * ex, along * ey
    return c * x - s * y, s * x + c * y


@jit
def project_friction(a, b, radius, facets):
    """The friction nearest to (a, b): in the disc, or the polygon with `facets` corners."""
    if facets == 0:
        return project_onto_disc(a, b, radius)
    return project_onto_polygon(a, b, radius, facets)


@jit
def project_onto_cone(n, a, b, mu, facets):
    """The point nearest to (n, a, b) of the cone of impulses: n >= 0, (a, b) in mu n P.

    P is the unit disc, or the polygon with `facets` corners.
    """
    if not mu > 0.0:
        if n > 0.0:
            return ConeProjection(n, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return APEX
    size = math.hypot(a, b)
    if facets == 0:
        t1, t2 = 1.0, 0.0
        if size > 0.0:
            t1, t2 = a / size, b / size
        if size <= mu * n:
            return ConeProjection(n, a, b, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
        en = 1.0 / math.sqrt(1.0 + mu * mu)
        et = mu * en
        along = en * n + et * size
        if along <= 0.0:
            return APEX
        side = along * et / size
        return ConeProjection(
            along * en, along * et * t1, along * et * t2, en * en, en * et * t1, en * et * t2,
            et * et * t1 * t1 + side * t2 * t2, (et * et - side) * t1 * t2,
            et * et * t2 * t2 + side * t1 * t1,
        )  # fmt: skip
    half = math.pi / facets
    if mu * size <= -n:  # outside even of the round cone, and beyond its apex
        return APEX
    en = 1.0 / math.sqrt(1.0 + mu * mu)
    et = math.copysign(mu * en, a)
    up = en * n + et * a
    if up > 0.0 and abs(b) <= half * abs(a - up * et) and abs(a) > abs(up * et):
        # sliding along a
        return ConeProjection(up * en, up * et, 0.0, en * en, en * et, 0.0, et * et, 0.0, 0.0)
    if size <= mu * n * math.cos(half):
        return ConeProjection(n, a, b, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    angle = 2.0 * half * math.floor(math.atan2(b, a) / (2.0 * half)) + half
    m1, m2 = math.cos(angle), math.sin(angle)  # the middle of the side; l1, l2 along it
    out, along = m1 * a + m2 * b, m1 * b - m2 * a
    high, wide = mu * math.cos(half), mu * math.sin(half)  # of the side where n = 1
    if out <= high * n:
        return ConeProjection(n, a, b, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    norm = 1.0 / math.sqrt(1.0 + high * high)
    up = norm * (n + high * out)  # along the side's plane, where along = 0
    if up > 0.0 and abs(along) <= wide * norm * up:
        en, em = norm, norm * high
        return ConeProjection(
            up * en, up * em * m1 - along * m2, up * em * m2 + along * m1, en * en,
            en * em * m1, en * em * m2, em * em * m1 * m1 + m2 * m2, (em * em - 1.0) * m1 * m2,
            em * em * m2 * m2 + m1 * m1,
        )  # fmt: skip
    if along < 0.0:
        wide = -wide
    d1, d2 = high * m1 - wide * m2, high * m2 + wide * m1
    norm = 1.0 / math.sqrt(1.0 + mu * mu)
    en, e1, e2 = norm, norm * d1, norm * d2
    up = en * n + e1 * a + e2 * b
    if up <= 0.0:
        return APEX
    return ConeProjection(
        up * en, up * e1, up * e2, en * en, en * e1, en * e2, e1 * e1, e1 * e2, e2 * e2,
    )  # fmt: skip


@jit
def slip_bound(a, b, facets):
    """The largest of -(a, b) . p over p in the unit disc or polygon: the slip [m/s]."""
    if facets == 0:
        return math.hypot(a, b)
    if abs(b) <= math.pi / facets * abs(a):
        return abs(a)
    best, wedge = 0.0, 2.0 * math.pi / facets
    corner = wedge * math.floor(math.atan2(-b, -a) / wedge)
    for k in range(2):
        t = corner + k * wedge
        best = max(best, -(a * math.cos(t) + b * math.sin(t)))
    return best
