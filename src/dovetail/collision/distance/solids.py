"""The direction in which two solids of revolution are farthest apart.

The separation of two convex sets along a unit vector n, n.D less how far each reaches, is concave
where it is positive; its largest value is their distance. With the supports of
`revolution.rounded_reach`, which have no kinks, Newton's method on the sphere finds it: the
gradient is the part w_t across n of the vector w between the two points that reach farthest, the
Hessian -(K_a + K_b + F), K the radii of curvature there and F the separation.
"""

import math
from typing import NamedTuple

from dovetail.collision.distance.revolution import Solid, perpendicular, rounded_reach
from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    cross,
    dot,
    neg,
    norm,
    norm_squared,
    scale,
    sub,
)
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

Vec3 = tuple[float, float, float]

LESS_BENT = 0.2  # from one to the next
MAX_LEVELS, MAX_SHORTER = 40, 8
MAX_STEPS = 40
MAX_HALVINGS = 30
ACCURACY = 1e-13  # of the sizes


class Separation(NamedTuple):
    """Along n, from solid a to solid b."""

    distance: float  # [m]
    n: Vec3
    p: Vec3  # [m] of a, from its centre
    q: Vec3  # [m] of b, from the centre of b
    a1: float  # [m] derivatives of the supports in -a.n and b.n
    a2: float
    b1: float
    b2: float
    k_a: float  # [m] the radius of curvature that all directions have in common
    k_b: float


@jit
def separation(a, b, D, n, delta):
    """Of solids a and b along n, D from the centre of a to that of b."""
    u_a, u_b = -dot(a.axis, n), dot(b.axis, n)
    o_a, a1, a2 = rounded_reach(a, u_a, norm_squared(cross(a.axis, n)), delta)
    o_b, b1, b2 = rounded_reach(b, u_b, norm_squared(cross(b.axis, n)), delta)
    k_a, k_b = o_a - u_a * a1, o_b - u_b * b1
    p = add_scaled(scale(k_a, n), -a1, a.axis)
    q = add_scaled(scale(-k_b, n), -b1, b.axis)
    return Separation(dot(n, D) - o_a - o_b, n, p, q, a1, a2, b1, b2, k_a, k_b)


@jit
def curvature(a, b, found, t1, t2):
    """(m11, m12, m22) of K_a + K_b + F in the directions t1, t2 across n."""
    common = found.k_a + found.k_b + found.distance
    x1, x2 = dot(a.axis, t1), dot(a.axis, t2)
    y1, y2 = dot(b.axis, t1), dot(b.axis, t2)
    return (
        common + found.a2 * x1 * x1 + found.b2 * y1 * y1,
        found.a2 * x1 * x2 + found.b2 * y1 * y2,
        common + found.a2 * x2 * x2 + found.b2 * y2 * y2,
    )


@jit
def _climb(a, b, D, n, delta):
    """Newton's method from n, with solids bent by delta [m]."""
    size = norm(D)
    found = separation(a, b, D, n, delta)
    for _ in range(MAX_STEPS):
        n = found.n
        w = sub(add(D, found.q), found.p)
        w = add_scaled(w, -dot(n, w), n)
        if not norm(w) > ACCURACY * size:
            break
        t1 = perpendicular(n)
        t2 = cross(n, t1)
        m11, m12, m22 = curvature(a, b, found, t1, t2)
        g1, g2 = dot(w, t1), dot(w, t2)
        det = m11 * m22 - m12 * m12
        if not det > 0.0:
            break
        d1, d2 = (m22 * g1 - m12 * g2) / det, (m11 * g2 - m12 * g1) / det
        longest = math.sqrt(d1 * d1 + d2 * d2)
        t = min(1.0, 0.5 / longest)
        better = False
        for _ in range(MAX_HALVINGS):
            m = add_scaled(add_scaled(n, t * d1, t1), t * d2, t2)
            trial = separation(a, b, D, scale(1.0 / norm(m), m), delta)
            if trial.distance > found.distance:
                found, better = trial, True
                break
            t *= 0.5
        if not better:
            break
    return found


@jit
def _scaled(solid, f):
    return Solid(solid.axis, f * solid.z0, f * solid.r0, f * solid.z1, f * solid.r1, solid.tube)


@jit
def _middle(solid):
    """(height, radius) [m] of the largest ball within the solid that is centred on its axis.

    On the axis the distance from the side is linear in the height, as those from the discs are: the
    least of the three is largest half way, or where the side is as far as one of the discs.
    """
    dr, dz = solid.r1 - solid.r0, solid.z1 - solid.z0
    length = math.sqrt(dr * dr + dz * dz)
    height, radius = 0.0, -math.inf
    for k in range(3):
        y = 0.5 * dz  # over the lower disc
        if k == 1:
            y = solid.r0 * dz / (length - dr)
        elif k == 2:
            y = dz - solid.r1 * dz / (length + dr)
        inside = min((solid.r0 * dz + y * dr) / length, min(y, dz - y))
        if inside > radius:
            height, radius = solid.z0 + y, inside
    return height, radius


@jit
def _lowered(solid, height):
    """The solid seen from a point of its axis."""
    return Solid(
        solid.axis, solid.z0 - height, solid.r0, solid.z1 - height, solid.r1, solid.tube
    )  # fmt: skip


@jit
def widest(a, b, D, delta):
    """The Separation along the direction in which it is largest.

    Solids bent by delta are convex but for the constant delta, so the separation less 2 delta has
    one maximum where it is positive. From solids on that are made smaller by a part eta and bent by
    eta of their inner radius, which keeps them within what they are, to the ones asked for. They
    shrink towards the middles of their largest balls: the centre of mass can be on the surface or
    outside.
    """
    (z_a, inner_a), (z_b, inner_b) = _middle(a), _middle(b)
    inner = min(inner_a, inner_b)
    apart = add_scaled(add_scaled(D, z_b, b.axis), -z_a, a.axis)
    if not norm(apart) > 0.0:
        return separation(a, b, D, a.axis, delta)
    inner_one, inner_other = _lowered(a, z_a), _lowered(b, z_b)
    eta, last = 0.9, 0.5 * delta / inner
    n = scale(1.0 / norm(apart), apart)
    for _ in range(MAX_SHORTER):  # flat ones are wide even at a tenth of their size
        one, other = _scaled(inner_one, 1.0 - eta), _scaled(inner_other, 1.0 - eta)
        if separation(one, other, apart, n, eta * inner).distance > 2.0 * eta * inner:
            break
        eta = 1.0 - LESS_BENT * (1.0 - eta)
    for _ in range(MAX_LEVELS):
        one, other = _scaled(inner_one, 1.0 - eta), _scaled(inner_other, 1.0 - eta)
        n = _climb(one, other, apart, n, eta * inner).n
        if not eta > last:
            break
        less = max(last, LESS_BENT * eta)
        for _ in range(MAX_SHORTER):
            one, other = _scaled(inner_one, 1.0 - less), _scaled(inner_other, 1.0 - less)
            trial = separation(one, other, apart, n, less * inner)
            if trial.distance > 2.0 * less * inner:
                break
            less = math.sqrt(less * eta)
        eta = less
    return _climb(a, b, D, n, delta)


@jit
def reach_along(solid, n):
    """[m] how far the solid itself reaches along n."""
    u = dot(solid.axis, n)
    s = norm(cross(solid.axis, n))
    return max(solid.r0 * s + solid.z0 * u, solid.r1 * s + solid.z1 * u) + solid.tube


@jit
def certain_distance(a, b, D):
    """(lower bound of the distance of two solids [m], direction): exact but for 1e-9 of the sizes.

    It is the separation of the solids themselves along the direction found.
    """
    delta = 1e-9 * (a.r0 + a.r1 + b.r0 + b.r1)
    n = widest(a, b, D, delta).n
    return dot(n, D) - reach_along(a, n) - reach_along(b, neg(n)), n


_solid, _along = Solid((0.0, 0.0, 1.0), 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
warm(reach_along, _solid, _along)
warm(certain_distance, _solid, _solid, _along)
