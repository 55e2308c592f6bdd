"""Barrier energy of an arc of a ring and a feature, with its derivatives in the twists.

The energy of arc k is w(x_k) E(d_k): d_k the gap at its nearest point, at the angle theta, x_k the
place of that point in the arc and w its weight (`distance.rings`). Where one point is nearest, two
arcs have it and their energies add up to E(d). Where a ring lies on something, each arc bears its
part: a pull towards the middle of the arc makes its nearest point unique. It adds delta at most,
as what bends other solids does (`gaps`).

Over a face the weight has another factor (`_part_of_flat`): the energy that pushes a ring off does
not depend on how many of its arcs touch, else it would not lie flat.

The gradient is w E' dd + E dw, with theta from n.c' + pull R^2 (theta - theta_k) = 0, c the
circle. Of the Hessian w E'' dd dd^T is kept, and -w E' (d2d/dtheta2) dtheta dtheta^T where arcs lie
flat, so that the nearest point moves far: what is left out is of the order of the force over the
distance of the cores.
"""

import math
from typing import NamedTuple

from dovetail.collision.ccd.additive_ccd import MAX_ITERATIONS
from dovetail.collision.ccd.rings import advance_ring
from dovetail.collision.distance.closest_points import POINT_FACE
from dovetail.collision.distance.derivatives import GRADIENT_ONLY, add_gradient, add_outer
from dovetail.collision.distance.revolution import Solid
from dovetail.collision.distance.rings import (
    ARCS,
    EDGE,
    NO_RING,
    NO_SOLID,
    POINT,
    RING,
    SOLID,
    TRIANGLE,
    WIDTH,
    Ring,
    Target,
    arc_nearest,
    bending,
    tangent,
    weight,
)
from dovetail.contact.ipc.records import RING_EDGE, RING_FACE, RING_POINT, RING_SOLID
from dovetail.contact.ipc.solids.gaps import SolidGap
from dovetail.contact.ipc.solids.terms import of_gap
from dovetail.linalg.vec3 import ZERO, add, add_scaled, cross, dot, load3, neg, scale, sub
from dovetail.runtime.jit import apart, jit_in_place, jit_within

Vec3 = tuple[float, float, float]

FLAT = 0.5  # of what the target bends: arcs that bend along with it, but for less


class Twisted(NamedTuple):
    """A gradient in the twists (s, w_a, -s, w_b)."""

    s: Vec3  # [1/m]
    w_a: Vec3
    w_b: Vec3


class RingGap(NamedTuple):
    """The gap of an arc, and how its nearest point moves along the circle."""

    gap: SolidGap
    stiff: float  # [m] second derivative of the gap in the angle, where that makes it stiff
    angle: Twisted  # gradient of the angle
    share: Twisted  # gradient of the share


NOTHING = Twisted(ZERO, ZERO, ZERO)


@jit_within
def body_and_arc(features, i):
    """Feature i of a ring is arc i // n of body i % n, n the number of bodies."""
    n = features.solids.shape[0]
    return i % n, i // n


@jit_in_place
def _ring_at(features, body):
    R, row = features.R, features.solids
    return Ring(
        (R[body, 0, 2], R[body, 1, 2], R[body, 2, 2]),
        (R[body, 0, 0], R[body, 1, 0], R[body, 2, 0]),
        (R[body, 0, 1], R[body, 1, 1], R[body, 2, 1]),
        row[body, 1], row[body, 2], row[body, 5],
    )  # fmt: skip


@jit_in_place
def _target(kind, j, D, features, width):
    """(Target, its radius [m]); an arc reaches `width` [rad] to both sides."""
    r, solid, ring, low, high = features.r_world, NO_SOLID, NO_RING, 0.0, 0.0
    p0, p1, p2, radius = ZERO, ZERO, ZERO, 0.0
    round_ones = features.vertex_radius.shape[0] > 0
    if kind == RING_FACE:
        f, meets = features.faces, TRIANGLE
        p0, p1, p2 = (
            add(load3(r, f[j, 0]), D), add(load3(r, f[j, 1]), D), add(load3(r, f[j, 2]), D)
        )  # fmt: skip
    elif kind == RING_EDGE:
        e, meets = features.edges, EDGE
        p0, p1 = add(load3(r, e[j, 0]), D), add(load3(r, e[j, 1]), D)
        radius = features.vertex_radius[e[j, 0]] if round_ones else 0.0
    elif kind == RING_POINT:
        meets, p0 = POINT, add(load3(r, j), D)
        radius = features.vertex_radius[j] if round_ones else 0.0
    elif kind == RING_SOLID:
        R, row, meets = features.R, features.solids, SOLID
        axis = (R[j, 0, 2], R[j, 1, 2], R[j, 2, 2])
        solid = Solid(axis, row[j, 1], row[j, 2], row[j, 3], row[j, 4], 0.0)
    else:
        body, k = body_and_arc(features, j)
        meets, ring = RING, _ring_at(features, body)
        low, high, radius = (k - width) * WIDTH, (k + width) * WIDTH, ring.tube
    return Target(meets, p0, p1, p2, D, solid, ring, low, high), radius


@jit_in_place
def _nearest(kind, i, j, D, features, delta):
    """(ring, its number of the arc, target, radius, pull, ArcNear)."""
    body, k = body_and_arc(features, i)
    ring = _ring_at(features, body)
    target, radius = _target(kind, j, D, features, 1.0)
    reach = ring.major * WIDTH
    pull = 2.0 * delta / (reach * reach)
    found = arc_nearest(ring, (k - 1) * WIDTH, (k + 1) * WIDTH, pull, target)
    return ring, k, target, radius, pull, found


@apart
@jit_in_place
def ring_squared_distance(kind, i, j, D, features):
    """Squared distance [m^2] of an arc and a feature; -1 where they overlap."""
    ring, _, _, radius, _, found = _nearest(kind, i, j, D, features, 0.0)
    d = found.distance - ring.tube - radius
    return d * d if d > 0.0 else -1.0


@jit_in_place
def _is_of_another_face(kind, j, part, features):
    """Whether the nearest point of a face is on a side or a corner inside its patch."""
    if kind != RING_FACE or part == POINT_FACE:
        return False
    bit = 3 + part if part < 3 else part - 3
    return (features.inner[j] >> bit) & 1 != 0


@apart
@jit_in_place
def ring_gap(kind, i, j, D, features, delta):
    """The `RingGap` of a candidate, its nearest point pulled by delta [m] at most."""
    ring, k, target, radius, pull, found = _nearest(kind, i, j, D, features, delta)
    c, near = found.point, found.near
    n = near.normal
    along, inwards = tangent(ring, found.angle), sub(scale(ring.height, ring.axis), c)
    bent, pulled = dot(n, inwards), pull * ring.major * ring.major
    share, slide = weight((found.angle - k * WIDTH) / WIDTH)
    part, steep = _part_of_flat(bent, pulled) if kind == RING_FACE else (1.0, 0.0)
    share, slide, steep = share * part, slide * part / WIDTH, steep * share
    if kind > RING_SOLID:
        other = body_and_arc(features, j)[1]
        of_other = weight((near.angle - other * WIDTH) / WIDTH)[0]
        share, slide = share * of_other, slide * of_other
    distance = found.distance - ring.tube - radius
    if _is_of_another_face(kind, j, near.part, features):
        distance = math.inf
    at = add_scaled(c, -near.distance, n)
    gap = SolidGap(
        distance, n, cross(c, n), neg(cross(sub(at, D), n)), add_scaled(c, -ring.tube, n),
        add_scaled(at, radius, n), share,
    )  # fmt: skip
    g = bending(target, near, c, along)
    left = bent + dot(along, g) + pulled
    if not found.free or not left > 0.0:
        return RingGap(gap, 0.0, NOTHING, NOTHING)
    stiff = left if left < FLAT * dot(along, g) or target.kind == TRIANGLE else 0.0
    angle = _turning(-1.0 / left, c, D, g, cross(along, n))
    if steep == 0.0:
        return RingGap(gap, stiff, angle, _sum(angle, slide, NOTHING))
    g = bending(target, near, c, inwards)
    slide += steep * (dot(along, g) - dot(along, n))
    return RingGap(
        gap, stiff, angle, _sum(angle, slide, _turning(steep, c, D, g, cross(inwards, n)))
    )


@jit_in_place
def _part_of_flat(bent, pulled):
    """(part of the energy, its derivative) of an arc over a face, along which the gap bends [m].

    Where a ring lies flat all arcs touch, and each has 1 / ARCS of the energy; where the gap bends
    by more than the pull does, one point touches.
    """
    if not bent > 0.0:
        return 1.0 / ARCS, 0.0
    both = bent * bent + pulled * pulled
    rest = 1.0 - 1.0 / ARCS
    return 1.0 - rest * pulled * pulled / both, 2.0 * rest * bent * pulled * pulled / (both * both)


@jit_within
def _turning(f, c, D, g, turned):
    """f times the gradient of n.v, v fixed to the ring's body, g = H v and turned = v x n."""
    w_b = neg(add(cross(sub(c, D), g), turned))
    return Twisted(scale(f, g), scale(f, add(cross(c, g), turned)), scale(f, w_b))


@jit_within
def _sum(a, f, b):
    """f a + b."""
    return Twisted(
        add_scaled(b.s, f, a.s), add_scaled(b.w_a, f, a.w_a), add_scaled(b.w_b, f, a.w_b)
    )


@apart
@jit_in_place
def add_ring_derivatives(kind, i, j, D, features, barrier, theta, out, row):
    """Add the derivatives of the barrier of a candidate to `out`; returns its energy."""
    found = ring_gap(kind, i, j, D, features, barrier.offset)
    gap = found.gap
    value, e1, e2 = of_gap(gap.distance, barrier)
    if value == 0.0 or gap.share == 0.0:
        return 0.0
    add_gradient(out, row, gap.share * e1, gap.s, gap.w_a, gap.w_b)
    add_gradient(out, row, value, found.share.s, found.share.w_a, found.share.w_b)
    if theta != GRADIENT_ONLY:
        add_outer(out, row, gap.share * e2, gap.s, gap.w_a, gap.w_b)
        angle = found.angle
        add_outer(out, row, -gap.share * found.stiff * e1, angle.s, angle.w_a, angle.w_b)
    return gap.share * value


@apart
@jit_in_place
def ring_time_of_impact(
    kind, i, j, D, ds, w_a, w_b, features, dmin, t, min_gap_fraction, most_kept
):  # fmt: skip
    """As `solid_time_of_impact`; of arcs only the half that no other has."""
    body, k = body_and_arc(features, i)
    target, radius = _target(kind, j, ZERO, features, 0.5)
    return advance_ring(
        _ring_at(features, body), (k - 0.5) * WIDTH, (k + 0.5) * WIDTH, target, radius, D, ds, w_a,
        w_b, dmin, t, min_gap_fraction, MAX_ITERATIONS, most_kept,
    )[0]  # fmt: skip
