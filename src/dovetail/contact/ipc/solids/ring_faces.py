"""A ring that rolls on a flat face: the barrier of the circle in place of that of its polyhedron.

Features of a ring are those of its polyhedron, but over half-spaces. A polyhedron rolls over its
facets and loses speed. Over a flat patch with the unit normal n towards the ring only one point of
the circle can touch first, the lowest, p = z a - R (n - u a) / s with u = a.n, s = |a x n|. A part
    c = T(s) prod_k S(eta_k)
of the barrier is that of this point, the rest that of the polyhedron's vertices:
    E = c K B(g) + (1 - c) sum_v K B(d_v),      g = d + (1 - c) L.
T goes from 0 for a ring that lies flat, which has no lowest point, to 1 from STANDING on; S from 0
where p is over side k of the patch to 1 where it is a margin from it. d is the
height of the ring over the plane, at least -L where its polyhedron touches the plane from above: L
is how far the ring lies outside of its polyhedron; negative for rings that have no part of the
circle anywhere (`start_rings`). So g > 0 wherever c = 0 and the polyhedron is free, E is continuous
with its first derivatives, and a ring rises by L at most where it rolls onto a patch. Edges,
vertices and all CCD stay those of the polyhedron, which lies within the hull of the ring: where p
is over the patch and g > 0 for c = 1, no vertex is below p.
"""

import math
from typing import NamedTuple

from dovetail.collision.ccd.additive_ccd import MAX_ITERATIONS
from dovetail.collision.ccd.revolution import TRIANGLE, advance_solid
from dovetail.collision.distance.closest_points import point_triangle, triangle_point
from dovetail.collision.distance.derivatives import GRADIENT_ONLY, add_gradient, add_outer
from dovetail.collision.distance.revolution import Solid
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.records import ONLY_OVER_PLANES
from dovetail.contact.ipc.solids.gaps import PlaneGap, SolidGap, owns, plane_gap
from dovetail.contact.ipc.solids.terms import add_plane_terms, of_gap
from dovetail.linalg.vec3 import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    mat_t_vec,
    matvec,
    neg,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit_in_place, jit_within

Vec3 = tuple[float, float, float]

LYING, STANDING = 0.05, 0.2  # sines of the angle between axis and normal
MARGIN = 0.1  # of the outer radius of the ring, at least
GENTLE = 10.0  # times L, at least: the way over which a ring rises by L
THIN = 1e-9  # of its radius: half the thickness of the disc that CCD takes


class OverPatch(NamedTuple):
    """A ring over the patch of a face; part 0 where it is not that which rolls."""

    part: float  # c
    ring: Solid
    n: Vec3  # unit normal of the plane, towards the ring
    origin: Vec3  # [m] a point of the plane, from the centre of the ring's body
    p: Vec3  # [m] lowest point of the circle
    u: float
    s: float
    height: float  # [m] of the ring over the plane: d
    lift: float  # [m] (1 - c) L
    margin: float  # [m]


class PartGradient(NamedTuple):
    """Gradient of the part in the twists (s, w_a, -s, w_b)."""

    s: Vec3  # [1/m]
    w_a: Vec3
    w_b: Vec3


NO_RING = Solid(ZERO, 0.0, 0.0, 0.0, 0.0, 0.0)
NOT_OVER = OverPatch(0.0, NO_RING, ZERO, ZERO, ZERO, 0.0, 0.0, 0.0, 0.0, 0.0)
NO_CHANGE = PartGradient(ZERO, ZERO, ZERO)


@jit_within
def _rise(x):
    """(S, S') of a step from 0 at x = 0 to 1 at x = 1 with two derivatives."""
    if x <= 0.0:
        return 0.0, 0.0
    if x >= 1.0:
        return 1.0, 0.0
    y = x * (1.0 - x)
    return x * x * x * (10.0 - x * (15.0 - 6.0 * x)), 30.0 * y * y


def margin_of(outer: float, outside: float) -> float:
    """[m] from the sides of a patch, for a ring with this outer radius and L [m]."""
    return max(MARGIN * outer, GENTLE * outside)


_margin = jit_within(margin_of)


@jit_in_place
def over_patch(body, f, D, features):
    """The ring of a body over the patch of face f of the body at D."""
    first, rim, row = features.rim_first, features.rim, features.solids
    begin, end = first[features.patch[f]], first[features.patch[f] + 1]
    if begin == end:
        return NOT_OVER
    R, b = features.R, features.vertex_body[features.faces[f, 0]]
    a = (R[body, 0, 2], R[body, 1, 2], R[body, 2, 2])
    Q = load33(R, b)
    n, offset = matvec(Q, load3(rim, begin)), rim[begin, 3]
    z, major, tube = row[body, 1], row[body, 2], row[body, 5]
    if dot(n, sub(scale(z, a), D)) < offset:
        n, offset = neg(n), -offset
    origin = add_scaled(D, offset, n)
    u, s = dot(a, n), norm(cross(a, n))
    if not s > LYING or row[body, 6] < 0.0:
        return NOT_OVER
    p = add_scaled(scale(z, a), -major / s, add_scaled(n, -u, a))
    height = dot(n, sub(p, origin)) - tube
    if height < -tube:  # on the other side of the patch, beyond a side of it
        return NOT_OVER
    ring = Solid(a, z, major, z, major, tube)
    part = _rise((s - LYING) / (STANDING - LYING))[0]
    outside = row[body, 6]
    margin = _margin(major + tube, outside)
    seen, per = mat_t_vec(Q, sub(p, D)), 1.0 / margin
    for k in range(begin + 1, end):
        part *= _rise((dot(load3(rim, k), seen) - rim[k, 3]) * per)[0]
        if part == 0.0:
            return NOT_OVER
    return OverPatch(part, ring, n, origin, p, u, s, height, (1.0 - part) * outside, margin)


@jit_in_place
def part_gradient(over, f, D, features):
    """The gradient of the part.

    With q = (n - u a) / s and g = e - (e.q) q,
        e.dq = ((g - (g.a) a).dn - ((g.a) n + u g).da) / s,   dn = w_b x n, da = w_a x a.
    """
    if over.part == 0.0 or over.part == 1.0:
        return NO_CHANGE
    rim, first = features.rim, features.rim_first
    g = features.patch[f]
    Q = load33(features.R, features.vertex_body[features.faces[f, 0]])
    a, n, u, s, ring = over.ring.axis, over.n, over.u, over.s, over.ring
    rise, slope = _rise((s - LYING) / (STANDING - LYING))
    c = -over.part * slope / rise * u / (s * (STANDING - LYING))
    of_s, w_a, w_b = ZERO, scale(c, cross(a, n)), scale(c, cross(n, a))
    from_b, per = sub(over.p, D), 1.0 / over.margin
    seen = mat_t_vec(Q, from_b)
    q = scale(1.0 / s, add_scaled(n, -u, a))
    for k in range(first[g] + 1, first[g + 1]):
        rise, slope = _rise((dot(load3(rim, k), seen) - rim[k, 3]) * per)
        if slope == 0.0:
            continue
        c = over.part * slope / rise * per
        e = matvec(Q, load3(rim, k))
        h = add_scaled(e, -dot(e, q), q)
        by, arm = dot(h, a), ring.r0 / s
        of_s = add_scaled(of_s, c, e)
        w_a = add_scaled(w_a, c * ring.z0, cross(a, e))
        w_a = add_scaled(w_a, c * arm, cross(a, add_scaled(scale(by, n), u, h)))
        w_b = add_scaled(w_b, -c * arm, cross(n, add_scaled(h, -by, a)))
        w_b = add_scaled(w_b, c, cross(e, from_b))
    return PartGradient(of_s, w_a, w_b)


@jit_within
def vertex_share(v, f, D, features):
    """The share 1 - c of the barrier of vertex v and face f: below 1 for vertices of rings."""
    if features.rim.shape[0] == 0:
        return 1.0
    return _share_of_vertex(v, f, D, features)


@jit_in_place
def _share_of_vertex(v, f, D, features):
    body = features.vertex_body[v]
    if features.solids[body, 0] != ONLY_OVER_PLANES:
        return 1.0
    return 1.0 - over_patch(body, f, D, features).part


@jit_in_place
def vertex_share_gradient(v, f, D, features):
    """That of the share."""
    change = part_gradient(over_patch(features.vertex_body[v], f, D, features), f, D, features)
    return PartGradient(neg(change.s), neg(change.w_a), neg(change.w_b))


@jit_in_place
def ring_share(body, f, D, features):
    """The part c of a ring and the face f, 0 where another face of the patch has it."""
    over = over_patch(body, f, D, features)
    return over.part if over.part > 0.0 and _is_over(over, f, D, features) else 0.0


@jit_in_place
def _is_over(over, f, D, features):
    """Whether the lowest point is over this face of the patch."""
    faces, offsets = features.faces, features.r_world
    i, j, k = faces[f, 0], faces[f, 1], faces[f, 2]
    t0, t1, t2 = (
        add(load3(offsets, i), D), add(load3(offsets, j), D), add(load3(offsets, k), D)
    )  # fmt: skip
    n, p = over.n, over.p
    turn = 1.0 if dot(cross(sub(t1, t0), sub(t2, t0)), n) > 0.0 else -1.0
    return (
        owns(p, t0, t1, i, j, turn, n)
        and owns(p, t1, t2, j, k, turn, n)
        and owns(p, t2, t0, k, i, turn, n)
    )


@jit_in_place
def ring_face_squared_distance(body, f, D, features):
    """g^2 [m^2]; infinite where this face has no part, -1 below the plane."""
    over = over_patch(body, f, D, features)
    if over.part == 0.0 or not _is_over(over, f, D, features):
        return math.inf
    gap = over.height + over.lift
    return gap * gap if gap > 0.0 else -1.0


@jit_in_place
def ring_face_bound(body, f, D, features):
    """Square of a lower bound of g [m^2] that changes by no more than points of the ring move."""
    first, g = features.rim_first, features.patch[f]
    if first[g] == first[g + 1]:
        return math.inf
    faces, offsets, row = features.faces, features.r_world, features.solids
    t0, t1, t2 = (
        add(load3(offsets, faces[f, 0]), D), add(load3(offsets, faces[f, 1]), D),
        add(load3(offsets, faces[f, 2]), D),
    )  # fmt: skip
    R, z = features.R, row[body, 1]
    centre = (z * R[body, 0, 2], z * R[body, 1, 2], z * R[body, 2, 2])
    _, s, t = point_triangle(centre, t0, t1, t2)
    distance = norm(sub(centre, triangle_point(t0, t1, t2, s, t))) - row[body, 2] - row[body, 5]
    return distance * distance if distance > 0.0 else 0.0


@jit_in_place
def _plane_gap(over, D, delta):
    """The `PlaneGap` with the gap g + delta [m]: a ring that does not lie needs no bend."""
    flat = plane_gap(over.ring, over.n, over.origin, D, THIN * over.ring.r0)
    gap, g = flat.gap, flat.gap.distance + over.lift + delta
    gap = SolidGap(g, gap.s, gap.w_a, gap.w_b, gap.p, gap.q, over.part)
    return PlaneGap(gap, flat.u, flat.k, flat.o1, flat.o2)


@jit_in_place
def ring_face_gap(body, f, D, features, delta):
    """The `SolidGap` of a ring and a face; infinite where this face has no part."""
    over = over_patch(body, f, D, features)
    if over.part == 0.0 or not _is_over(over, f, D, features):
        return SolidGap(math.inf, (0.0, 0.0, 1.0), ZERO, ZERO, ZERO, ZERO, 0.0)
    return _plane_gap(over, D, delta).gap


@jit_in_place
def add_ring_face_terms(body, f, D, features, barrier, theta, out, row):
    """Add the derivatives of c K B(g) to row `row` of `out`; returns the energy.

    With d2c = 0 the Hessian is c E'' dg dg^T + c E' d2d + E' (dc dg^T + dg dc^T), g with its lift.
    """
    over = over_patch(body, f, D, features)
    if over.part == 0.0 or not _is_over(over, f, D, features):
        return 0.0
    flat = _plane_gap(over, D, barrier.offset)
    kappa = over.part * barrier.stiffness
    of_part = Barrier(barrier.dhat, barrier.dmin, kappa, barrier.offset)
    value = add_plane_terms(flat, over.ring, D, True, of_part, theta, out, row)
    if value == 0.0 or over.part == 1.0:
        return value
    energy, e1, e2 = of_gap(flat.gap.distance, barrier)
    change = part_gradient(over, f, D, features)
    outside = over.lift / (1.0 - over.part)
    steep = energy - over.part * e1 * outside
    add_gradient(out, row, steep, change.s, change.w_a, change.w_b)
    if theta != GRADIENT_ONLY:
        _add_part_terms(out, row, flat.gap, change, outside, over.part * e2, theta * e1)
    return value


@jit_in_place
def _add_part_terms(out, row, gap, change, outside, c2, mixed):
    """Add c2 (dg dg^T - dd dd^T) + mixed (dc dg^T + dg dc^T) to the Hessian."""
    s = add_scaled(gap.s, -outside, change.s)
    w_a = add_scaled(gap.w_a, -outside, change.w_a)
    w_b = add_scaled(gap.w_b, -outside, change.w_b)
    add_outer(out, row, -c2, gap.s, gap.w_a, gap.w_b)
    add_outer(out, row, c2, s, w_a, w_b)
    if mixed == 0.0:
        return
    size = norm(change.s) + norm(change.w_a) + norm(change.w_b)
    per = (norm(s) + norm(w_a) + norm(w_b)) / size
    for sign in (1.0, -1.0):  # x y^T + y x^T = ((x + y) (x + y)^T - (x - y) (x - y)^T) / 2
        add_outer(
            out, row, 0.5 * sign * mixed / per, add_scaled(s, sign * per, change.s),
            add_scaled(w_a, sign * per, change.w_a), add_scaled(w_b, sign * per, change.w_b),
        )  # fmt: skip


@jit_in_place
def ring_face_time(body, f, D, ds, w_a, w_b, features, dmin, t, min_gap_fraction, most_kept):
    """As `time_of_impact`, where all of the barrier is that of the circle.

    It only shortens steps that lead beyond the barrier: nothing rests on it. Elsewhere t.
    """
    over = over_patch(body, f, D, features)
    if over.part < 1.0 or not over.height > dmin or not _is_over(over, f, D, features):
        return t
    faces, offsets, ring = features.faces, features.r_world, over.ring
    points = load3(offsets, faces[f, 0]), load3(offsets, faces[f, 1]), load3(offsets, faces[f, 2])
    thin = THIN * ring.r0
    disc = Solid(ring.axis, ring.z0 - thin, ring.r0, ring.z0 + thin, ring.r0, 0.0)
    return advance_solid(
        TRIANGLE, disc, disc, points, ring.tube, D, ds, w_a, w_b, dmin, t, min_gap_fraction,
        MAX_ITERATIONS, most_kept,
    )[0]  # fmt: skip
