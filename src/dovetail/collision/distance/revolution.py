"""Distances from a solid of revolution with straight sides: a cylinder or a cone.

The solid is the hull of two coaxial discs, of radius r0 at height z0 and r1 at z1 along its axis,
seen from its centre. All of it is decided in the half-plane of its profile, by the distance rho
from the axis and the height z. The signed distance of a convex set is convex, so along an edge it
has one minimum, found by the sign of its derivative; the distance from a triangle is that of the
lowest point over its plane where that is over the inside, else that of a side.
"""

import math
from typing import NamedTuple

from dovetail.linalg.vec3 import add, add_scaled, cross, dot, neg, norm, norm_squared, scale, sub
from dovetail.runtime.jit import jit

Vec3 = tuple[float, float, float]

LATERAL, DISC, RIM, INSIDE = range(4)  # what is nearest
MAX_HALVINGS = 100
SMALL = 1e-15


class Solid(NamedTuple):
    """A hull of two discs at its pose, seen from its centre, with a tube around it."""

    axis: Vec3  # unit
    z0: float  # [m]
    r0: float  # [m]
    z1: float  # [m] > z0
    r1: float  # [m]
    tube: float  # [m] of a ring, 0 of others


class Nearest(NamedTuple):
    """What of a solid is nearest to a point."""

    distance: float  # [m], negative inside
    normal: Vec3  # from the solid to the point
    part: int  # LATERAL, DISC, RIM or INSIDE
    radius: float  # [m] of the rim
    rho: float  # [m] of the point from the axis
    outward: Vec3  # unit, from the axis to the point


@jit
def perpendicular(n):
    """A unit vector across the unit vector n."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    axis = (1.0, 0.0, 0.0)
    if y <= x and y <= z:
        axis = (0.0, 1.0, 0.0)
    elif z <= x and z <= y:
        axis = (0.0, 0.0, 1.0)
    u = cross(n, axis)
    return scale(1.0 / norm(u), u)


@jit
def _in_profile(solid, rho, z):
    """(signed distance, its gradient in rho and z, part, radius of the rim)."""
    dr, dz = solid.r1 - solid.r0, solid.z1 - solid.z0
    length = math.sqrt(dr * dr + dz * dz)
    x, y = rho - solid.r0, z - solid.z0
    out = (x * dz - y * dr) / length
    along = (x * dr + y * dz) / (length * length)
    below, above = solid.z0 - z, z - solid.z1
    if out < 0.0 and below < 0.0 and above < 0.0:
        if out >= below and out >= above:
            return out, dz / length, -dr / length, INSIDE, 0.0
        if below >= above:
            return below, 0.0, -1.0, INSIDE, 0.0
        return above, 0.0, 1.0, INSIDE, 0.0
    if out >= 0.0 and 0.0 <= along <= 1.0:
        return out, dz / length, -dr / length, LATERAL, 0.0
    top = along > 1.0
    if out < 0.0:
        top = above >= 0.0
    radius = solid.r1 if top else solid.r0
    height = above if top else below
    sign = 1.0 if top else -1.0
    if rho <= radius and height >= 0.0:
        return height, 0.0, sign, DISC, radius
    beyond = rho - radius
    d = math.sqrt(beyond * beyond + height * height)
    if not d > 0.0:
        return 0.0, dz / length, -dr / length, RIM, radius
    return d, beyond / d, sign * height / d, RIM, radius


@jit
def point_solid(p, solid):
    """The nearest part of the solid to the point p, seen from its centre."""
    z = dot(solid.axis, p)
    across = add_scaled(p, -z, solid.axis)
    rho = norm(across)
    outward = scale(1.0 / rho, across) if rho > SMALL * norm(p) else perpendicular(solid.axis)
    d, n_rho, n_z, part, radius = _in_profile(solid, rho, z)
    return Nearest(
        d, add_scaled(scale(n_rho, outward), n_z, solid.axis), part, radius, rho, outward
    )


@jit
def _slope(p, e, length, solid, pull):
    """Of the distance along an edge e at p, with `pull` [1/m] towards the solid's centre."""
    return dot(e, point_solid(p, solid).normal) + pull * dot(p, e)


@jit
def edge_solid(p, q, solid, pull):
    """s of the point p + s (q - p) that is nearest to the solid, s in [0, 1].

    `pull` [1/m] adds pull tau^2 / 2 to the distance, tau the way along the edge from next to the
    centre: with it edges along the surface have one nearest point, too.
    """
    e = sub(q, p)
    length = norm(e)
    if not length > 0.0:
        return 0.0
    low, at_low = 0.0, _slope(p, e, length, solid, pull)
    if at_low >= 0.0:
        return 0.0
    high, at_high = 1.0, _slope(q, e, length, solid, pull)
    if at_high <= 0.0:
        return 1.0
    s, side = 0.5, 0
    for k in range(MAX_HALVINGS):
        # the secant, with the Illinois rule, and a halving every third time
        s = (low * at_high - high * at_low) / (at_high - at_low)
        if k % 3 == 2 or not low < s < high:
            s = 0.5 * (low + high)
        slope = _slope(add_scaled(p, s, e), e, length, solid, pull)
        if abs(slope) <= SMALL * length or high - low <= SMALL:
            return s
        if slope < 0.0:
            low, at_low = s, slope
            if side == -1:
                at_high *= 0.5
            side = -1
        else:
            high, at_high = s, slope
            if side == 1:
                at_low *= 0.5
            side = 1
    return s


@jit
def reach_below(solid, n):
    """(how far the solid reaches along -n from its centre, the point that does)."""
    u = dot(solid.axis, n)
    m = add_scaled(n, -u, solid.axis)
    s = norm(m)
    across = scale(1.0 / s, m) if s > SMALL else m
    low0, low1 = solid.r0 * s - solid.z0 * u, solid.r1 * s - solid.z1 * u
    if low0 >= low1:
        return low0, add_scaled(scale(solid.z0, solid.axis), -solid.r0, across)
    return low1, add_scaled(scale(solid.z1, solid.axis), -solid.r1, across)


@jit
def over_inside(x, t0, t1, t2, normal):
    """Whether x is over the inside of the triangle with this normal, of any length."""
    return (
        dot(cross(sub(t1, t0), sub(x, t0)), normal) >= 0.0
        and dot(cross(sub(t2, t1), sub(x, t1)), normal) >= 0.0
        and dot(cross(sub(t0, t2), sub(x, t2)), normal) >= 0.0
    )


@jit
def triangle_solid(t0, t1, t2, solid, depth):
    """(distance, unit vector from the solid to the triangle), exact where they are disjoint.

    Over the inside of the triangle down to `depth` [m] below its plane.
    """
    normal = cross(sub(t1, t0), sub(t2, t0))
    size = norm_squared(normal)
    best, towards = math.inf, normal
    if size > 0.0:
        n = scale(1.0 / math.sqrt(size), normal)
        height = -dot(n, t0)
        if height < 0.0:
            n, height = neg(n), -height
        low, x = reach_below(solid, n)
        if height - low > -depth and over_inside(x, t0, t1, t2, normal):
            return height - low, neg(n)
    for k in range(3):
        p, q = (t0, t1) if k == 0 else ((t1, t2) if k == 1 else (t2, t0))
        near = point_solid(add_scaled(p, edge_solid(p, q, solid, 0.0), sub(q, p)), solid)
        if near.distance < best:
            best, towards = near.distance, near.normal
    return best, towards


@jit
def place_solid(axis, row):
    """The solid with this axis of a row (kind, z0, r0, z1, r1, tube)."""
    return Solid(axis, row[1], row[2], row[3], row[4], row[5])


@jit
def nearest_on(solid, p):
    """The point of the solid that is nearest to p."""
    near = point_solid(p, solid)
    return add(p, scale(-near.distance, near.normal)) if near.distance > 0.0 else p


@jit
def rounded_reach(solid, u, sine_squared, delta):
    """(o, o', o'') [m]: how far the solid reaches down, bent by delta [m], with derivatives in u.

    The hull of two discs reaches max_k (r_k s - z_k u) below its centre, u the cosine between its
    axis and the upward normal n and s the sine. A solid that lies or stands has many lowest points
    and a kink there: the point jumps. Bent by delta it has one:
        f_k = r_k sqrt(s^2 + e^2) - max(r) e - z_k u,     e = delta / 2 max(r),
        o   = (f_0 + f_1) / 2 + (sqrt((f_0 - f_1)^2 + delta^2) - delta) / 2,
    which is smooth, convex but for the constant delta, and less by delta at most. The point that
    reaches farthest, -(o - u o') n - o' a, moves from end to end as the solid tilts by
    delta / size.
    """
    largest = max(solid.r0, solid.r1)
    e = 0.5 * delta / largest
    sigma = math.sqrt(sine_squared + e * e)
    width = sine_squared / (sigma + e)  # sigma - e
    slope, bend = -u / sigma, -(1.0 + u * u / (sigma * sigma)) / sigma
    difference = (solid.r0 - solid.r1) * sigma - (solid.z0 - solid.z1) * u
    d1 = (solid.r0 - solid.r1) * slope - (solid.z0 - solid.z1)
    d2 = (solid.r0 - solid.r1) * bend
    mean, m1 = 0.5 * (solid.r0 + solid.r1), -0.5 * (solid.z0 + solid.z1)
    root = math.sqrt(difference * difference + delta * delta)
    part = difference / root
    o = (
        mean * width
        - (largest - mean) * e
        + m1 * u
        + 0.5 * difference * difference / (root + delta)
    )
    first = mean * slope + m1 + 0.5 * part * d1
    second = mean * bend + 0.5 * part * d2
    second += 0.5 * d1 * d1 * (delta / root) * (delta / root) / root
    return o + solid.tube, first, second
