"""The gap that the barrier between a solid of revolution and a feature acts on, and its gradient.

a is the body of the solid, b the other one; points are seen from the centre of a, D leads from
there to the centre of b. The gap is at least the distance and more than it by delta at most
(`revolution.rounded_reach`): a plane has one lowest point, an edge one nearest one. The barrier
acts on the gap less delta and begins at dhat - delta (`terms.of_gap`): it is zero for distances
beyond dhat and infinite before anything touches. delta is a small part of the gap and of the depth
within dhat that the pair has at the start of the step. It depends on where the bodies
are relative to each other and on the axis of the solid, not on how far it has turned about it.
"""

import math
from typing import NamedTuple

from dovetail.collision.distance.closest_points import POINT_FACE as OVER_FACE
from dovetail.collision.distance.closest_points import point_triangle, triangle_point
from dovetail.collision.distance.revolution import (
    Nearest,
    edge_solid,
    point_solid,
    rounded_reach,
    triangle_solid,
)
from dovetail.linalg.vec3 import (
    ZERO,
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
from dovetail.runtime.jit import jit_in_place, jit_within

Vec3 = tuple[float, float, float]


class SolidGap(NamedTuple):
    """The gap, its gradient in the twists (s_a, w_a, -s_a, w_b), and where it is."""

    distance: float  # [m]
    s: Vec3
    w_a: Vec3  # [m]
    w_b: Vec3  # [m]
    p: Vec3  # [m] on the solid
    q: Vec3  # [m] on the other
    share: float  # of the energy: 1 but of rings over faces (`ring_faces`)


class PlaneGap(NamedTuple):
    """A solid over a plane."""

    gap: SolidGap
    u: float  # cosine between its axis and the normal
    k: Vec3  # axis x normal
    o1: float  # [m] derivatives of the support
    o2: float  # [m]


class EdgeGap(NamedTuple):
    """A solid and an edge or a vertex."""

    gap: SolidGap
    near: Nearest
    at: Vec3  # [m] the nearest point of the edge, from the centre of the solid
    inside: bool  # whether it may move along the edge
    along: Vec3  # unit vector of the edge
    tau: float  # [m] way along the edge from next to the centre of the solid
    pull: float  # [1/m]


@jit_in_place
def plane_gap(solid, n, origin, D, delta):
    """Over the plane through `origin` with the unit normal n towards the solid, fixed to b."""
    a = solid.axis
    u, k = dot(a, n), cross(a, n)
    o, o1, o2 = rounded_reach(solid, u, norm_squared(k), delta)
    height = -dot(n, origin) - o
    p = add_scaled(scale(u * o1 - o, n), -o1, a)
    q = add_scaled(p, -height, n)
    gap = SolidGap(height, n, scale(-o1, k), add(cross(D, n), scale(o1, k)), p, q, 1.0)
    return PlaneGap(gap, u, k, o1, o2)


@jit_in_place
def owns(x, p, q, v, w, turn, n):
    """Whether x is on the triangle's side of its edge p q, vertices v and w.

    The two triangles at an edge compute the same number, so that one of them owns each point.
    """
    if v > w:
        p, q, turn = q, p, -turn
    side = turn * dot(cross(sub(q, p), sub(x, p)), n)
    return side > 0.0 or (side == 0.0 and turn > 0.0)


@jit_within
def _without_gap(over):
    gap = over.gap
    gap = SolidGap(math.inf, gap.s, gap.w_a, gap.w_b, gap.p, gap.q, 1.0)
    return PlaneGap(gap, over.u, over.k, over.o1, over.o2)


@jit_in_place
def face_gap(solid, plane, corners, numbers, inner, D, delta):
    """(PlaneGap, whether its point is over the face): else the gap of that point and the face.

    `plane` are the corners of the face that the plane of the patch is taken from, `numbers` the
    vertices at the `corners`, `inner` is that of `CoplanarPatches`. Over another face of the patch
    the gap is infinite. So it is where the plane cuts the solid beside the face, whose lowest point
    lies far below the face: edges and vertices are nearer. The point moves with axis and normal:
    dp = s_a - (o - u o') dn - o' da - o'' (a - u n) du.
    """
    n = cross(sub(plane[1], plane[0]), sub(plane[2], plane[0]))
    n = scale(1.0 / norm(n), n)
    if dot(n, plane[0]) > 0.0:
        n = neg(n)
    over = plane_gap(solid, n, plane[0], D, delta)
    p = over.gap.p
    t0, t1, t2 = corners
    turn = 1.0 if dot(cross(sub(t1, t0), sub(t2, t0)), n) > 0.0 else -1.0
    if (
        owns(p, t0, t1, numbers[0], numbers[1], turn, n)
        and owns(p, t1, t2, numbers[1], numbers[2], turn, n)
        and owns(p, t2, t0, numbers[2], numbers[0], turn, n)
    ):
        if over.gap.distance > 0.0 or not triangle_solid(t0, t1, t2, solid, 0.0)[0] > 0.0:
            return over, True
        return _without_gap(over), False
    case, s, t = point_triangle(p, t0, t1, t2)
    bit = 3 + case if case < 3 else case - 3
    if case == OVER_FACE or (inner >> bit) & 1:
        return _without_gap(over), False
    q = triangle_point(t0, t1, t2, s, t)
    apart = sub(p, q)
    distance = norm(apart)
    c = scale(1.0 / distance, apart) if distance > 0.0 else n
    alpha = -dot(n, p) - over.o1 * over.u  # p = -alpha n - o' a
    gamma = over.o2 * (dot(solid.axis, c) - over.u * dot(n, c))
    w_a = add_scaled(scale(-over.o1, cross(solid.axis, c)), -gamma, over.k)
    w_b = add_scaled(scale(-alpha, cross(n, c)), gamma, over.k)
    w_b = sub(w_b, cross(sub(q, D), c))
    gap = SolidGap(distance, c, w_a, w_b, p, q, 1.0)
    return PlaneGap(gap, over.u, over.k, over.o1, over.o2), False


@jit_within
def _pulled(solid, delta):
    """[1/m] 2 delta over the square of the solid's size."""
    size = max(abs(solid.z0), abs(solid.z1)) + max(solid.r0, solid.r1)
    return 2.0 * delta / (size * size)


@jit_in_place
def edge_gap(solid, p0, p1, is_edge, radius, D, delta):
    """An edge of b, or a vertex at p0, with a radius [m]."""
    pull, at, inside, along, tau = 0.0, p0, False, ZERO, 0.0
    if is_edge:
        pull = _pulled(solid, delta)
        s = edge_solid(p0, p1, solid, pull)
        e = sub(p1, p0)
        at = add_scaled(p0, s, e)
        along = scale(1.0 / norm(e), e)
        tau = dot(along, at)
        inside = 0.0 < s < 1.0
    near = point_solid(at, solid)
    n = neg(near.normal)  # from b to a
    on_solid = add_scaled(at, -near.distance, near.normal)
    push, pulled = pull * tau, 0.5 * pull * tau * tau
    force = add_scaled(n, -push, along)
    w_b = add_scaled(neg(cross(sub(at, D), n)), push, cross(along, D))
    gap = SolidGap(
        near.distance - radius + pulled, force, cross(on_solid, n), w_b, on_solid,
        add_scaled(at, -radius, near.normal), 1.0,
    )  # fmt: skip
    return EdgeGap(gap, near, at, inside, along, tau, pull)
