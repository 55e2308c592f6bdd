r"""Contacts away from the pose that they were found at: rotations bend gaps by many dhat.

Two features that are nearest at a pose go on as the bodies do, with the points that touch there:
    g(u) = n(u) . (p_a(u) - p_b(u)),
n that of the plane which the face or half-space is in, at right angles to both edges, or along the
shortest way to the end of a feature. g has a sign, also where bodies overlap. Forces act where n
meets both features, which is beside the points of before where bodies slide. Normals that small
displacements turn far, of ends of features and of nearly parallel edges, stay as they are where
that would turn them by more than STEADY. Along constant twists g is d + J u t + c t^2 and higher,
c = g(u) - d - J u. Where c > 0 the path would dip below its end, so only c < 0 counts: then the gap
is least at one of the ends.
"""

from typing import NamedTuple

from dovetail.collision.distance.closest_points import (
    EDGES_CROSSED,
    POINT_EDGE_INSIDE,
    edge_edge,
    point_edge,
    point_triangle,
)
from dovetail.collision.distance.closest_points import POINT_FACE as INSIDE
from dovetail.collision.distance.derivatives import WA_WA, WB_WB, ClosestPoints, add_hessian
from dovetail.contact.ipc.feature_pair import edge_of, face_of, radii
from dovetail.contact.ipc.first_iterate.records import (
    ARM_A,
    ARM_B,
    AXIS,
    EDGE_A,
    EDGE_B,
    FROM_EDGE_A,
    FROM_EDGE_B,
    POINTS,
    RIGID,
    WITH_A,
    WITH_B,
    WITH_EDGES,
)
from dovetail.contact.ipc.friction.potential import add_arc, any_tangent
from dovetail.contact.ipc.records import EDGE_EDGE, POINT_EDGE, POINT_FACE, POINT_PLANE
from dovetail.linalg.vec3 import (
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
    norm_squared,
    scale,
    sub,
)
from dovetail.runtime.jit import jit_in_place

Vector = tuple[float, float, float]

ALONG = 0.2  # sine of the angle between two edges: below their normal turns far
LEAST_ACROSS = 1e-6  # below it is that of an end
STEADY = 0.95  # cosine of the turn of a normal
MOST = 2.0  # times the angle squared times the arms: more is no second order any longer


class PlacedContact(NamedTuple):
    """A contact at other poses than its own."""

    gap: float  # [m]
    normal: Vector  # from b to a
    r_a: Vector  # [m] from the centres of the bodies to the cores of the features
    r_b: Vector
    first: Vector  # how the points may shift: with the first of `free` parameters,
    second: Vector  # and the second
    free: int  # -1 where the normal stays


@jit_in_place
def _vector(rows, r, at):
    return (rows[r, at], rows[r, at + 1], rows[r, at + 2])


@jit_in_place
def _put(rows, r, at, v):
    rows[r, at], rows[r, at + 1], rows[r, at + 2] = v[0], v[1], v[2]


@jit_in_place
def set_bend(bent, r, kind, swap, i, j, D, features, inner, r_a, r_b, normal, R_a, R_b):
    """How contact r of bodies with the rotations R_a, R_b goes on.

    D leads from the body of feature i to that of j; `inner` are the sides of triangles that are
    inside of a coplanar patch.
    """
    arms, turns, radius = bent.arms, bent.turns, bent.radius
    radius[r, 0] = radius[r, 1] = 0.0
    bent.steady[r] = 0
    if kind > POINT_PLANE:
        turns[r] = RIGID
        return
    if features.vertex_radius.shape[0] > 0:
        of_i, of_j = radii(kind, i, j, features)
        radius[r, swap], radius[r, 1 - swap] = of_i, of_j
    _put(arms, r, ARM_A, mat_t_vec(R_a, add_scaled(r_a, radius[r, 0], normal)))
    _put(arms, r, ARM_B, mat_t_vec(R_b, add_scaled(r_b, -radius[r, 1], normal)))
    R_i, R_j = (R_a, R_b) if swap == 0 else (R_b, R_a)
    edge_i, edge_j = (EDGE_A, EDGE_B) if swap == 0 else (EDGE_B, EDGE_A)
    with_j = WITH_B if swap == 0 else WITH_A
    from_i, from_j = (FROM_EDGE_A, FROM_EDGE_B) if swap == 0 else (FROM_EDGE_B, FROM_EDGE_A)
    turns[r] = POINTS
    if kind == POINT_PLANE:
        turns[r], bent.steady[r] = with_j, 1
    elif kind == POINT_FACE:
        t0, t1, t2 = face_of(features, j)
        case, _, _ = point_triangle(load3(features.r_world, i), add(t0, D), add(t1, D), add(t2, D))
        bit = 3 + case if case < 3 else case - 3
        if case == INSIDE or (inner[j] >> bit) & 1:
            turns[r], bent.steady[r] = with_j, 1
        elif case >= 3:
            e = sub(t1, t0) if case == 3 else (sub(t2, t1) if case == 4 else sub(t0, t2))
            turns[r] = from_j
            _put(arms, r, edge_j, mat_t_vec(R_j, e))
    elif kind == POINT_EDGE:
        b0, b1 = edge_of(features, j)
        p = load3(features.r_world, i)
        if point_edge(p, add(b0, D), add(b1, D))[0] == POINT_EDGE_INSIDE:
            turns[r] = from_j
            _put(arms, r, edge_j, mat_t_vec(R_j, sub(b1, b0)))
    elif kind == EDGE_EDGE:
        a0, a1 = edge_of(features, i)
        b0, b1 = edge_of(features, j)
        e, f = sub(a1, a0), sub(b1, b0)
        case = edge_edge(a0, a1, add(b0, D), add(b1, D))[0]
        across = dot(cross(e, f), normal)
        if case == EDGES_CROSSED and abs(across) > LEAST_ACROSS * norm(e) * norm(f):
            turns[r] = WITH_EDGES
            f = f if (across > 0.0) == (swap == 0) else neg(f)
            bent.steady[r] = 1 if norm(cross(e, f)) >= ALONG * norm(e) * norm(f) else 0
        elif case == 4 or case == 5:
            turns[r] = from_i
        elif case >= 6:
            turns[r] = from_j
        _put(arms, r, edge_i, mat_t_vec(R_i, e))
        _put(arms, r, edge_j, mat_t_vec(R_j, f))
    if turns[r] == WITH_A:
        _put(arms, r, AXIS, mat_t_vec(R_a, normal))
    elif turns[r] == WITH_B:
        _put(arms, r, AXIS, mat_t_vec(R_b, normal))


@jit_in_place
def placed_contact(bent, r, a, b, poses, before):
    """Contact r of bodies a and b at the poses, unless it is RIGID; its normal was `before`."""
    arms, turns, radius, x, R = bent.arms, bent.turns[r], bent.radius, poses.x, poses.R
    R_a, R_b = load33(R, a), load33(R, b)
    r_a, r_b = matvec(R_a, _vector(arms, r, ARM_A)), matvec(R_b, _vector(arms, r, ARM_B))
    apart = add(sub(load3(x, a), load3(x, b)), sub(r_a, r_b))
    n, first, second, free, size = before, before, before, 0, 1.0
    if turns == WITH_A or turns == WITH_B:
        n = matvec(R_a if turns == WITH_A else R_b, _vector(arms, r, AXIS))
        first, free = any_tangent(n), 2
        second = cross(n, first)
    elif turns == WITH_EDGES:
        first = matvec(R_a, _vector(arms, r, EDGE_A))
        second = matvec(R_b, _vector(arms, r, EDGE_B))
        n, free = cross(first, second), 2
        size = norm(n)
        n = scale(1.0 / size, n)
    elif turns == POINTS:
        n = scale(1.0 / norm(apart), apart)
    else:
        first = matvec(R_a, _vector(arms, r, EDGE_A))
        if turns == FROM_EDGE_B:
            first = matvec(R_b, _vector(arms, r, EDGE_B))
        n, free = add_scaled(apart, -dot(apart, first) / norm_squared(first), first), 1
        n = scale(1.0 / norm(n), n)
    if bent.steady[r] == 0 and not dot(n, before) > STEADY:
        n, free = before, -1
    along = dot(n, apart)
    aside = add_scaled(apart, -along, n)
    if turns == WITH_EDGES and free > 0:
        r_a = add_scaled(r_a, -dot(cross(aside, second), n) / size, first)
        r_b = add_scaled(r_b, -dot(cross(aside, first), n) / size, second)
    elif turns == WITH_A or (turns == FROM_EDGE_A and free > 0):
        r_a = sub(r_a, aside)
    elif turns == WITH_B or (turns == FROM_EDGE_B and free > 0):
        r_b = add(r_b, aside)
    return PlacedContact(along - radius[r, 0] - radius[r, 1], n, r_a, r_b, first, second, free)


@jit_in_place
def add_bend(bent, r, at, force, least, out, k):
    """Add the second derivative of - force g to row k of `out` (see `distance.derivatives`)."""
    turns, d = bent.turns[r], at.gap + bent.radius[r, 0] + bent.radius[r, 1]
    if at.free < 0:
        pull = scale(-force, at.normal)
        add_arc(out, k, WA_WA, 1.0, at.r_a, pull)
        add_arc(out, k, WB_WB, -1.0, at.r_b, pull)
        return
    d = max(d, least)
    with_a = turns == WITH_A or turns == WITH_EDGES or turns == FROM_EDGE_A
    second = neg(at.second) if turns == WITH_EDGES else at.second
    points = ClosestPoints(
        scale(d, at.normal), at.r_a, at.r_b, at.free, at.first, with_a, second, turns == WITH_A
    )
    add_hessian(out, k, points, -0.5 * force / d, 0.25 * force / (d * d * d))
