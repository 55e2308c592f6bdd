"""Barrier energy of one contact with its derivatives in the twists of its two bodies.

Points are in the world; x_a, x_b are the centres of the bodies [m]; derivatives are added to row k
of `out` (n, PAIR_ROW) as laid out in `distance.derivatives`. All return the energy
kappa B((D - offset)^2) in units of kappa = barrier.stiffness; points and edges are the cores of
round features whose radii add up to barrier.offset.
"""

from dovetail.collision.distance.closest_points import (
    EDGES_CROSSED,
    PARALLEL,
    POINT_EDGE_INSIDE,
    POINT_FACE,
    edge_edge,
    point_edge,
    point_triangle,
    triangle_point,
)
from dovetail.collision.distance.derivatives import (
    GRADIENT_ONLY,
    ClosestPoints,
    add_cross_terms,
    add_parallel_terms,
    add_positive_parallel,
    add_terms,
)
from dovetail.collision.distance.point_plane import across, over_plane
from dovetail.contact.ipc.barrier.function import MOLLIFIER_SCALE, mollifier, offset_barrier
from dovetail.linalg.vec3 import (
    ZERO,
    add_scaled,
    cross,
    neg,
    norm_squared,
    scale,
    sub,
)
from dovetail.runtime.jit import jit_in_place, jit_within


@jit_in_place
def point_point_terms(p, q, x_a, x_b, barrier, theta, out, k):
    """Point p of a against point q of b."""
    d = sub(p, q)
    value, first, second = offset_barrier(norm_squared(d), barrier)
    if value == 0.0:
        return 0.0
    kappa = barrier.stiffness
    add_terms(
        out, k, ClosestPoints(d, sub(p, x_a), sub(q, x_b), 0, ZERO, False, ZERO, False),
        kappa * first, kappa * second, theta,
    )  # fmt: skip
    return kappa * value


@jit_in_place
def point_edge_terms(p, e0, e1, x_a, x_b, barrier, theta, out, k):
    """Point p of a against edge e0 e1 of b."""
    case, t, _ = point_edge(p, e0, e1)
    e = sub(e1, e0)
    q = add_scaled(e0, t, e)
    d = sub(p, q)
    value, first, second = offset_barrier(norm_squared(d), barrier)
    if value == 0.0:
        return 0.0
    kappa = barrier.stiffness
    free = 1 if case == POINT_EDGE_INSIDE else 0
    add_terms(
        out, k, ClosestPoints(d, sub(p, x_a), sub(q, x_b), free, neg(e), False, ZERO, False),
        kappa * first, kappa * second, theta,
    )  # fmt: skip
    return kappa * value


@jit_within
def point_patch_terms(p, t0, t1, t2, inner, x_a, x_b, barrier, theta, out, k):
    """Point p of a against a coplanar patch of b, t0 t1 t2 its nearest triangle.

    Bits of `inner`: sides 01, 12, 20 and corners 0, 1, 2 of the triangle that are inside the patch.
    There the distance is that from the plane.
    """
    case, s, t = point_triangle(p, t0, t1, t2)
    q = triangle_point(t0, t1, t2, s, t)
    d = sub(p, q)
    value, first, second = offset_barrier(norm_squared(d), barrier)
    if value == 0.0:
        return 0.0
    kappa = barrier.stiffness
    free, c1, c2 = 0, ZERO, ZERO
    if case < 3:
        bit = 3 + case
    else:
        bit = case - 3
    if case == POINT_FACE or (inner >> bit) & 1:
        free, c1, c2 = 2, sub(t0, t1), sub(t0, t2)
    elif case == 3:
        free, c1 = 1, sub(t0, t1)
    elif case == 4:
        free, c1 = 1, sub(t1, t2)
    elif case == 5:
        free, c1 = 1, sub(t2, t0)
    add_terms(
        out, k, ClosestPoints(d, sub(p, x_a), sub(q, x_b), free, c1, False, c2, False),
        kappa * first, kappa * second, theta,
    )  # fmt: skip
    return kappa * value


@jit_in_place
def point_plane_terms(p, n, x_a, x_b, barrier, theta, out, k):
    """Point p of a over the plane of b through x_b with the unit normal n."""
    height, q = over_plane(p, x_b, n)
    value, first, second = offset_barrier(height * height, barrier)
    if value == 0.0:
        return 0.0
    kappa = barrier.stiffness
    u, v = across(n)
    d, r_a, r_b = scale(height, n), sub(p, x_a), sub(q, x_b)
    add_terms(
        out, k, ClosestPoints(d, r_a, r_b, 2, neg(u), False, neg(v), False),
        kappa * first, kappa * second, theta,
    )  # fmt: skip
    return kappa * value


@jit_within
def edge_edge_terms(a0, a1, b0, b1, x_a, x_b, barrier, theta, out, k):
    """Edge a0 a1 of a against edge b0 b1 of b, with the mollifier: kappa m(c) B(D^2)."""
    case, s, t = edge_edge(a0, a1, b0, b1)
    e_a, e_b = sub(a1, a0), sub(b1, b0)
    p, q = add_scaled(a0, s, e_a), add_scaled(b0, t, e_b)
    d = sub(p, q)
    value, first, second = offset_barrier(norm_squared(d), barrier)
    if value == 0.0:
        return 0.0
    kappa = barrier.stiffness
    lengths = norm_squared(e_a) * norm_squared(e_b)
    c = norm_squared(cross(e_a, e_b))
    m, dm, ddm = mollifier(c, MOLLIFIER_SCALE * lengths)
    free, c1, on_a1, c2 = 0, ZERO, False, ZERO
    if case == EDGES_CROSSED and c > PARALLEL * lengths:
        free, c1, on_a1, c2 = 2, e_a, True, neg(e_b)
    elif case == 4 or case == 5:
        free, c1, on_a1 = 1, e_a, True
    elif case >= 6:  # also parallel edges, whose other parameter is free to stay
        free, c1 = 1, neg(e_b)
    r_a, r_b = sub(p, x_a), sub(q, x_b)
    add_terms(
        out, k, ClosestPoints(d, r_a, r_b, free, c1, on_a1, c2, False),
        kappa * m * first, kappa * m * second, theta,
    )  # fmt: skip
    if dm != 0.0:
        pushed = kappa * value
        _add_mollified(out, k, e_a, e_b, d, r_a, r_b, pushed, dm, ddm, kappa * first * dm, theta)
    return kappa * m * value


@jit_within
def _add_mollified(out, k, e_a, e_b, d, r_a, r_b, pushed, dm, ddm, mixed, theta):
    """What m adds: m' B d2c + m'' B dc dc^T + m' B' (dc dD2^T + dD2 dc^T), and m' B dc."""
    gradient = add_parallel_terms(out, k, e_a, e_b, pushed * dm, pushed * ddm, theta)
    if theta == GRADIENT_ONLY:
        return
    add_cross_terms(out, k, theta * mixed, gradient, d, r_a, r_b)
    if theta == 0.0:
        add_positive_parallel(out, k, e_a, e_b, pushed * dm, pushed * ddm)
