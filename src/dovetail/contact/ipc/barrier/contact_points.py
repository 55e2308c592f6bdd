"""Where two candidates touch: closest points, normal and normal force."""

import math

from dovetail.collision.distance.closest_points import (
    edge_edge,
    point_edge,
    point_triangle,
    triangle_point,
)
from dovetail.collision.distance.point_plane import over_plane
from dovetail.contact.ipc.barrier.contacts import mollified
from dovetail.contact.ipc.barrier.function import MOLLIFIER_SCALE, barrier, mollifier
from dovetail.contact.ipc.records import EDGE_EDGE, POINT_EDGE, POINT_FACE, POINT_PLANE
from dovetail.linalg.vec3 import add, add_scaled, cross, dot, load3, norm_squared, scale, sub
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def closest_points(kind, i, j, D, lever, edges, faces, facing):
    """The two closest points [m], from the centre of the body of feature i, world axes."""
    if kind == EDGE_EDGE:
        a0, a1 = load3(lever, edges[i, 0]), load3(lever, edges[i, 1])
        b0, b1 = add(load3(lever, edges[j, 0]), D), add(load3(lever, edges[j, 1]), D)
        _, s, t = edge_edge(a0, a1, b0, b1)
        return add_scaled(a0, s, sub(a1, a0)), add_scaled(b0, t, sub(b1, b0))
    p = load3(lever, i)
    if kind == POINT_FACE:
        t0 = add(load3(lever, faces[j, 0]), D)
        t1 = add(load3(lever, faces[j, 1]), D)
        t2 = add(load3(lever, faces[j, 2]), D)
        _, s, t = point_triangle(p, t0, t1, t2)
        return p, triangle_point(t0, t1, t2, s, t)
    if kind == POINT_EDGE:
        b0, b1 = add(load3(lever, edges[j, 0]), D), add(load3(lever, edges[j, 1]), D)
        _, t, _ = point_edge(p, b0, b1)
        return p, add_scaled(b0, t, sub(b1, b0))
    if kind == POINT_PLANE:
        return p, over_plane(p, D, load3(facing, j))[1]
    return p, add(load3(lever, j), D)


@jit_in_place
def couple_of_parallels(i, j, lever, edges, pushed):
    """[kg m^2] torque on the body of edge i that the mollifier m(c) makes, minus it on the other.

    -B dm/dw with `pushed` = W B and dc/dw = -2 (e.f) e x f for c = |e x f|^2, e turning by w.
    """
    e = sub(load3(lever, edges[i, 1]), load3(lever, edges[i, 0]))
    f = sub(load3(lever, edges[j, 1]), load3(lever, edges[j, 0]))
    k = cross(e, f)
    limit = MOLLIFIER_SCALE * norm_squared(e) * norm_squared(f)
    return scale(2.0 * pushed * mollifier(norm_squared(k), limit)[1] * dot(e, f), k)


@jit_in_place
def touching(kind, swap, i, j, D, lever, edges, faces, facing, dmin, dhat, weight):
    """(r_a, r_b, normal from b to a, distance [m], h^2 normal force [kg m]) of a candidate.

    D leads from the centre of the pair's first body a to that of b; the force is that of the
    barrier W m B(D^2), the push -2 W m B' D along the normal.
    """
    way = D if swap == 0 else (-D[0], -D[1], -D[2])
    p, q = closest_points(kind, i, j, way, lever, edges, faces, facing)
    m = mollified(kind, i, j, lever, edges)
    apart = sub(p, q)
    squared = norm_squared(apart)
    distance = math.sqrt(squared)
    slope = barrier(squared, dmin, dhat)[1]
    force = -2.0 * weight * m * slope * distance
    n = scale(1.0 / distance, apart)
    q = sub(q, way)
    if swap == 0:
        return p, q, n, distance, force
    return q, p, (-n[0], -n[1], -n[2]), distance, force
