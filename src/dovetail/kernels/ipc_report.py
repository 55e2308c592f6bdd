"""The contacts of a pose, one by one: where, along which normal, how hard."""

import math

from dovetail.kernels.barrier import barrier
from dovetail.kernels.distance_closest import edge_edge, point_edge, point_triangle, triangle_point
from dovetail.kernels.distance_plane import over_plane
from dovetail.kernels.ipc_contacts import between, mollified
from dovetail.kernels.ipc_layout import (
    EDGE_EDGE,
    N_PAIRS,
    POINT_EDGE,
    POINT_FACE,
    POINT_PLANE,
    WHICH,
)
from dovetail.kernels.ipc_newton import stand
from dovetail.kernels.jit import jit, jit_in_place
from dovetail.kernels.vec3 import add, add_scaled, load3, norm, scale, sub


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


@jit
def report(bodies, lists, room, x, R, dmin, dhat, weight):
    """Contacts within dmin + dhat at the pose, one row of room.seen each.

    Body a of a row has feature i; the force on it is -W m dB/dD n [kg m], n from b to a, and the
    point lies half way. Returns (whether there was room, count, W sum m B, least distance [m]).
    """
    path = room.path
    for i in range(path.shape[0]):
        path[i] = 0.0
    fits, least = stand(bodies, lists, room, x, R, path, dmin + dhat, dhat)
    if not fits:
        return False, 0, 0.0, math.inf
    numbers = lists.numbers
    reach = (dmin + dhat) * (dmin + dhat)
    count, energy = _list_contacts(
        numbers[WHICH], numbers[N_PAIRS], lists.pairs, lists.start, lists.pool, room.squared, x,
        room.lever, bodies.edges, bodies.faces, room.facing, dmin, dhat, weight, room.seen,
    )  # fmt: skip
    return True, count, energy, math.sqrt(least) if 0.0 < least < reach else math.inf


@jit_in_place
def _list_contacts(
    which, n_pairs, pairs, start, pool, squared, x, lever, edges, faces, facing, dmin, dhat,
    weight, seen,
):  # fmt: skip
    """Fill `seen`; returns (count, energy)."""
    count, energy = 0, 0.0
    reach = (dmin + dhat) * (dmin + dhat)
    for p in range(n_pairs):
        for c in range(start[which, p], start[which, p + 1]):
            if not squared[c] < reach:
                continue
            kind, i, j = pool[which, c, 0], pool[which, c, 2], pool[which, c, 3]
            a, b, D = between(pairs, which, p, pool[which, c, 1], x)
            on_a, on_b = closest_points(kind, i, j, D, lever, edges, faces, facing)
            d = sub(on_a, on_b)
            gap = norm(d)
            value, slope, _ = barrier(squared[c], dmin, dhat)
            m = weight * mollified(kind, i, j, lever, edges)
            energy += m * value
            point = add(load3(x, a), scale(0.5, add(on_a, on_b)))
            seen[count, 0], seen[count, 1], seen[count, 11] = a, b, gap
            for k in range(3):
                seen[count, 2 + k] = point[k]
                seen[count, 5 + k] = d[k] / gap
                seen[count, 8 + k] = -2.0 * m * slope * d[k]
            count += 1
    return count, energy
