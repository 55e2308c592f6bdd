"""All candidates of all pairs: squared distances, barrier energy, derivatives, safe time.

Every pair is seen from the centre of its first body; D leads from the centre of the body that
has feature i to the centre of the one that has feature j. Levers are in world axes.
"""

import math

from dovetail.kernels.barrier import MOLLIFIER_SCALE, barrier, mollifier
from dovetail.kernels.barrier_terms import (
    edge_edge_terms,
    point_edge_terms,
    point_plane_terms,
    point_point_terms,
    point_triangle_terms,
)
from dovetail.kernels.ccd_advance import (
    advance_edge_edge,
    advance_point_edge,
    advance_point_point,
    advance_point_triangle,
)
from dovetail.kernels.ccd_plane import advance_point_plane
from dovetail.kernels.distance_closest import (
    edge_edge_squared,
    point_edge_squared,
    point_triangle_squared,
)
from dovetail.kernels.distance_plane import over_plane
from dovetail.kernels.ipc_layout import EDGE_EDGE, POINT_EDGE, POINT_FACE, POINT_PLANE
from dovetail.kernels.jit import jit_in_place
from dovetail.kernels.vec3 import ZERO, add, cross, load3, norm_squared, sub


@jit_in_place
def squared_distance(kind, i, j, D, lever, edges, faces, facing):
    """D^2 [m^2] of one candidate; of a vertex under a plane -1."""
    if kind == POINT_FACE:
        return point_triangle_squared(
            load3(lever, i),
            add(load3(lever, faces[j, 0]), D),
            add(load3(lever, faces[j, 1]), D),
            add(load3(lever, faces[j, 2]), D),
        )
    if kind == EDGE_EDGE:
        return edge_edge_squared(
            load3(lever, edges[i, 0]),
            load3(lever, edges[i, 1]),
            add(load3(lever, edges[j, 0]), D),
            add(load3(lever, edges[j, 1]), D),
        )
    if kind == POINT_EDGE:
        return point_edge_squared(
            load3(lever, i), add(load3(lever, edges[j, 0]), D), add(load3(lever, edges[j, 1]), D)
        )
    if kind == POINT_PLANE:
        height = over_plane(load3(lever, i), D, load3(facing, j))[0]
        return height * height if height > 0.0 else -1.0
    return norm_squared(sub(load3(lever, i), add(load3(lever, j), D)))


@jit_in_place
def mollified(kind, i, j, lever, edges):
    """The weight m of a candidate: below 1 for nearly parallel edges only."""
    if kind != EDGE_EDGE:
        return 1.0
    e = sub(load3(lever, edges[i, 1]), load3(lever, edges[i, 0]))
    f = sub(load3(lever, edges[j, 1]), load3(lever, edges[j, 0]))
    limit = MOLLIFIER_SCALE * norm_squared(e) * norm_squared(f)
    return mollifier(norm_squared(cross(e, f)), limit)[0]


@jit_in_place
def between(pairs, which, p, swap, x):
    """(body of feature i, body of feature j, D) of pair p."""
    a, b = pairs[which, p, swap], pairs[which, p, 1 - swap]
    return a, b, sub(load3(x, b), load3(x, a))


@jit_in_place
def measure(which, n_pairs, pairs, start, pool, x, lever, edges, faces, facing, squared):
    """Squared distances of all candidates; returns the least."""
    least = math.inf
    for p in range(n_pairs):
        D = between(pairs, which, p, 0, x)[2]
        back = (-D[0], -D[1], -D[2])
        for c in range(start[which, p], start[which, p + 1]):
            d = squared_distance(
                pool[which, c, 0], pool[which, c, 2], pool[which, c, 3],
                D if pool[which, c, 1] == 0 else back, lever, edges, faces, facing,
            )  # fmt: skip
            squared[c] = d
            least = min(least, d)
    return least


@jit_in_place
def barrier_energy(
    which, n_near, near, near_pair, pairs, pool, x, lever, edges, faces, facing, dmin, dhat, weight
):
    """W sum of m B(D^2) over the candidates `near`; infinite where one is within dmin."""
    energy = 0.0
    reach = (dmin + dhat) * (dmin + dhat)
    for k in range(n_near):
        c = near[k]
        kind, i, j = pool[which, c, 0], pool[which, c, 2], pool[which, c, 3]
        D = between(pairs, which, near_pair[k], pool[which, c, 1], x)[2]
        d = squared_distance(kind, i, j, D, lever, edges, faces, facing)
        if d < reach:
            m = mollified(kind, i, j, lever, edges)
            energy += weight * m * barrier(d, dmin, dhat)[0]
    return energy


@jit_in_place
def add_barrier_terms(
    which, n_pairs, pairs, start, pool, squared, x, lever, edges, faces, facing,
    dmin, dhat, weight, theta, rows, active,
):  # fmt: skip
    """Derivatives of W sum m B into rows 2 p + swap; returns (energy, number of contacts)."""
    energy, contacts = 0.0, 0
    reach = (dmin + dhat) * (dmin + dhat)
    for p in range(n_pairs):
        active[p] = 0
        for c in range(start[which, p], start[which, p + 1]):
            if not squared[c] < reach:
                continue
            if active[p] == 0:
                active[p] = 1
                for k in range(rows.shape[1]):
                    rows[2 * p, k] = rows[2 * p + 1, k] = 0.0
            contacts += 1
            swap = pool[which, c, 1]
            D = between(pairs, which, p, swap, x)[2]
            energy += _terms(
                pool[which, c, 0], pool[which, c, 2], pool[which, c, 3], D, lever, edges, faces,
                facing, dmin, dhat, weight, theta, rows, 2 * p + swap,
            )  # fmt: skip
    return energy, contacts


@jit_in_place
def _terms(
    kind, i, j, D, lever, edges, faces, facing, dmin, dhat, weight, theta, rows, row
):  # fmt: skip
    if kind == POINT_FACE:
        return point_triangle_terms(
            load3(lever, i),
            add(load3(lever, faces[j, 0]), D),
            add(load3(lever, faces[j, 1]), D),
            add(load3(lever, faces[j, 2]), D),
            ZERO, D, dmin, dhat, weight, theta, rows, row,
        )  # fmt: skip
    if kind == EDGE_EDGE:
        return edge_edge_terms(
            load3(lever, edges[i, 0]),
            load3(lever, edges[i, 1]),
            add(load3(lever, edges[j, 0]), D),
            add(load3(lever, edges[j, 1]), D),
            ZERO, D, dmin, dhat, weight, theta, rows, row,
        )  # fmt: skip
    if kind == POINT_EDGE:
        return point_edge_terms(
            load3(lever, i), add(load3(lever, edges[j, 0]), D), add(load3(lever, edges[j, 1]), D),
            ZERO, D, dmin, dhat, weight, theta, rows, row,
        )  # fmt: skip
    if kind == POINT_PLANE:
        return point_plane_terms(
            load3(lever, i), load3(facing, j), ZERO, D, dmin, dhat, weight, theta, rows, row
        )
    return point_point_terms(
        load3(lever, i), add(load3(lever, j), D), ZERO, D, dmin, dhat, weight, theta, rows, row
    )


@jit_in_place
def find_near(which, n_pairs, pairs, start, squared, path, reach, near, near_pair):
    """Candidates that can come within `reach` [m] while bodies go by `path` [m]; their number."""
    count = 0
    for p in range(n_pairs):
        within = reach + path[pairs[which, p, 0]] + path[pairs[which, p, 1]]
        limit = within * within
        for c in range(start[which, p], start[which, p + 1]):
            if squared[c] < limit:
                near[count] = c
                near_pair[count] = p
                count += 1
    return count


@jit_in_place
def safe_time(
    which, n_near, near, near_pair, pairs, pool, x, twist, lever, edges, faces, facing,
    dmin, t_most, rest, advances,
):  # fmt: skip
    """How much of the twists (n, 6), at most t_most, can be followed without a contact.

    Returns (time, pair that limits it or -1).
    """
    t, by = t_most, -1
    for k in range(n_near):
        c = near[k]
        swap = pool[which, c, 1]
        a, b, D = between(pairs, which, near_pair[k], swap, x)
        ds = (
            twist[b, 0] - twist[a, 0],
            twist[b, 1] - twist[a, 1],
            twist[b, 2] - twist[a, 2],
        )
        w_a = (twist[a, 3], twist[a, 4], twist[a, 5])
        w_b = (twist[b, 3], twist[b, 4], twist[b, 5])
        free = _advance(
            pool[which, c, 0], pool[which, c, 2], pool[which, c, 3], D, ds, w_a, w_b,
            lever, edges, faces, facing, dmin, t, rest, advances,
        )  # fmt: skip
        if free < t:
            t, by = free, near_pair[k]
    return t, by


@jit_in_place
def _advance(
    kind, i, j, D, ds, w_a, w_b, lever, edges, faces, facing, dmin, t, rest, advances
):  # fmt: skip
    if kind == POINT_FACE:
        face = (load3(lever, faces[j, 0]), load3(lever, faces[j, 1]), load3(lever, faces[j, 2]))
        p = (load3(lever, i),)
        return advance_point_triangle(p, face, D, ds, w_a, w_b, dmin, t, rest, advances)[0]
    if kind == EDGE_EDGE:
        e = (load3(lever, edges[i, 0]), load3(lever, edges[i, 1]))
        f = (load3(lever, edges[j, 0]), load3(lever, edges[j, 1]))
        return advance_edge_edge(e, f, D, ds, w_a, w_b, dmin, t, rest, advances)[0]
    if kind == POINT_EDGE:
        f = (load3(lever, edges[j, 0]), load3(lever, edges[j, 1]))
        p = (load3(lever, i),)
        return advance_point_edge(p, f, D, ds, w_a, w_b, dmin, t, rest, advances)[0]
    if kind == POINT_PLANE:
        return advance_point_plane(
            load3(lever, i), load3(facing, j), D, ds, w_a, w_b, dmin, t, rest, advances
        )[0]
    p, q = (load3(lever, i),), (load3(lever, j),)
    return advance_point_point(p, q, D, ds, w_a, w_b, dmin, t, rest, advances)[0]
