"""How far all bodies can follow their twists without a contact: the curved CCD of all pairs.

First the contacts, which most often limit a step, then all that is listed, then, down the trees,
the pairs whose lists do not reach as far as their bodies go until the earliest contact found so
far (`candidates.relative_motion`). The time of one candidate does not depend on the others:
candidates are left
out only where they cannot have used up all but the `rest` of their gap by then (`ccd.advance`). So
the time found is the least over all candidates there are, whatever has been listed when.
"""

import math

from dovetail.collision.ccd.advance import (
    advance_edge_edge,
    advance_point_edge,
    advance_point_point,
    advance_point_triangle,
)
from dovetail.collision.ccd.plane import advance_point_plane
from dovetail.contact.ipc.candidates.candidate import (
    begin_pose,
    place_candidate,
    squared_distance,
)
from dovetail.contact.ipc.candidates.relative_motion import ROUNDING, approach, relative_path
from dovetail.contact.ipc.candidates.tree_descent import COMBINATIONS, combination, leaves, named
from dovetail.contact.ipc.records import (
    CORNERS,
    EDGE_EDGE,
    N_PAIRS,
    POINT_EDGE,
    POINT_FACE,
    POINT_PLANE,
    POSE,
    SETTLED,
    WHICH,
)
from dovetail.linalg.vec3 import (
    load3,
    load33,
    mat_t_vec,
    matmul,
    norm,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit, jit_in_place, jit_within

IN_VAIN = 8  # candidates of a pair that may be looked at beside its contacts
SLOW = 0.1  # of what bodies have come closer by since their list: then it pays to measure it anew
ADVANCES = 200  # distance evaluations of one CCD query at most


@jit
def safe_time(bodies, lists, room, x, R, twist, dmin, reach, rest):
    """How much of the twists (n, 6), at most 1, can be followed from x, R without a contact.

    All pairs of bodies that can meet must be there (`candidates.lists.pairs_ready`). With a
    `reach` [m]
    all must stand at this pose within it (`candidates.distances`): contacts are tried first, and
    what is
    known of distances is made use of; 0 where they do not. `rest` is the part of its gap that is
    left to each. Returns (time, pair that limits it or -1).
    """
    begin_pose(bodies, lists, room, R)
    numbers = lists.numbers
    return _earliest(
        numbers[WHICH], numbers[N_PAIRS], lists.pairs, lists.start, lists.pool, lists.apart,
        lists.made_reach, lists.made_x, lists.made_turn, lists.moved, lists.nearest, lists.closing,
        lists.in_vain, lists.stack, lists.leaf, numbers[POSE], bodies.radius, bodies.plane,
        bodies.tree_root, bodies.tree_boxes, bodies.tree_right, bodies.first, bodies.wires,
        bodies.points, bodies.vertex_body, bodies.vertices, bodies.edges, bodies.faces,
        room.squared, room.placed, room.lever, room.facing, room.still, x, R, twist, dmin, reach,
        rest,
    )  # fmt: skip


@jit_in_place
def _earliest(
    which, n_pairs, pairs, start, pool, apart, made_reach, made_x, made_turn, moved, nearest,
    closing, in_vain, stack, leaf, stamp, radius, plane, roots, boxes, right, first, wires, points,
    vertex_body, vertices, edges, faces, squared, placed, lever, facing, still, x, R, twist, dmin,
    reach, rest,
):  # fmt: skip
    t, by = 1.0, -1
    known = reach > 0.0
    tried = reach * reach if known else -math.inf
    for p in range(n_pairs):  # the contacts
        a, b = pairs[which, p, 0], pairs[which, p, 1]
        closing[p] = -1.0
        if still[a] == SETTLED and still[b] == SETTLED:
            continue
        D = sub(load3(x, b), load3(x, a))
        path = relative_path(D, twist, a, b, radius[a], radius[b])
        if known and nearest[p] > _free_beyond(D, path, radius[a] + radius[b], dmin, 1.0, rest):
            continue
        closing[p] = path
        if not known:
            continue
        near = _free_beyond(D, path, radius[a] + radius[b], dmin, t, rest)
        close = min(tried, near * near)
        for c in range(start[which, p], start[which, p + 1]):
            if squared[c] < close:
                free = _tried(
                    pool[which, c, 0], pool[which, c, 1], pool[which, c, 2],
                    pool[which, c, 3], a, b, x, R, twist,
                    stamp, placed, vertex_body, vertices, lever, edges, faces, facing,
                    -1.0, dmin, t, rest,
                )  # fmt: skip
                if free < t:
                    t, by = free, p
    for p in range(n_pairs):  # what is listed
        if closing[p] < 0.0:
            continue
        a, b = pairs[which, p, 0], pairs[which, p, 1]
        D, sizes = sub(load3(x, b), load3(x, a)), radius[a] + radius[b]
        near = _free_beyond(D, closing[p], sizes, dmin, t, rest)
        if not known:
            moved[p] = math.inf
            if made_reach[which, p] >= 0.0:
                moved[p] = approach(
                    D, load33(R, a), load33(R, b), radius[a], radius[b], made_x, made_turn, which,
                    p, 0.5 * (made_reach[which, p] - near),
                )  # fmt: skip
        elif nearest[p] > near:
            continue
        vain = 0
        for c in range(start[which, p], start[which, p + 1]):
            if known and squared[c] < math.inf:
                if squared[c] < tried or squared[c] > near * near:
                    continue
            elif apart[which, c] - moved[p] > near:
                continue
            free = _tried(
                pool[which, c, 0], pool[which, c, 1], pool[which, c, 2], pool[which, c, 3],
                a, b, x, R, twist, stamp, placed, vertex_body, vertices, lever, edges, faces,
                facing, near, dmin, t, rest,
            )  # fmt: skip
            vain += 1
            if free < t:
                t, by = free, p
                near = _free_beyond(D, closing[p], sizes, dmin, t, rest)
        if vain > IN_VAIN and closing[p] < SLOW * moved[p]:
            in_vain[p] = 1
    for p in range(n_pairs):  # what lists do not reach
        if closing[p] < 0.0:
            continue
        a, b = pairs[which, p, 0], pairs[which, p, 1]
        D = sub(load3(x, b), load3(x, a))
        near = _free_beyond(D, closing[p], radius[a] + radius[b], dmin, t, rest)
        if made_reach[which, p] - moved[p] >= near:
            continue
        free = _beyond_lists(
            a, b, D, stack, leaf, stamp, radius, plane, roots, boxes, right, first, wires, points,
            vertex_body, vertices, edges, faces, placed, lever, facing, x, R, twist, closing[p],
            dmin, rest, t,
        )  # fmt: skip
        if free < t:
            t, by = free, p
    return t, by


@jit_within
def _free_beyond(D, path, sizes, dmin, t, rest):
    """[m] the distance beyond which all candidates of two bodies are free until t.

    `path` [m] is how much closer they can come until 1, `sizes` [m] the sum of their radii.
    """
    error = ROUNDING * (norm(D) + sizes + path)
    return dmin + (t * path + error) / (1.0 - 1.25 * rest) * 1.000001


@jit_in_place
def _beyond_lists(
    a, b, D, stack, leaf, stamp, radius, plane, roots, boxes, right, first, wires, points,
    vertex_body, vertices, edges, faces, placed, lever, facing, x, R, twist, path, dmin, rest, t,
):  # fmt: skip
    """The time of the first contact of bodies a and b, at most t, by a walk down their trees."""
    sizes = radius[a] + radius[b]
    near = _free_beyond(D, path, sizes, dmin, t, rest)
    if plane[a] != 0 or plane[b] != 0:
        swap = 0 if plane[b] != 0 else 1
        body, ground = (a, b) if swap == 0 else (b, a)
        for v in range(first[body, CORNERS], first[body + 1, CORNERS]):
            t = _tried(
                POINT_PLANE, swap, v, ground, a, b, x, R, twist, stamp, placed, vertex_body,
                vertices, lever, edges, faces, facing, near, dmin, t, rest,
            )  # fmt: skip
        return t
    A, B = load33(R, a), load33(R, b)
    Q, way = matmul(transpose(A), B), mat_t_vec(A, D)
    for turn in range(COMBINATIONS):
        kind, swap, of_a, of_b = combination(turn)
        root_a, root_b = roots[a, of_a], roots[b, of_b]
        if root_a < 0 or root_b < 0:
            continue
        stack[0, 0] = stack[0, 1] = 0
        depth = 1
        while depth > 0:
            depth, count = leaves(boxes, right, root_a, root_b, Q, way, near, stack, depth, leaf)
            for k in range(count):
                i = named(of_a, leaf[k, 0], first[a, of_a], wires, points)
                j = named(of_b, leaf[k, 1], first[b, of_b], wires, points)
                if swap == 1:
                    i, j = j, i
                free = _tried(
                    kind, swap, i, j, a, b, x, R, twist, stamp, placed, vertex_body, vertices,
                    lever, edges, faces, facing, near, dmin, t, rest,
                )  # fmt: skip
                if free < t:
                    t = free
                    near = _free_beyond(D, path, sizes, dmin, t, rest)
    return t


@jit_in_place
def _tried(
    kind, swap, i, j, a, b, x, R, twist, stamp, placed, vertex_body, vertices, lever, edges, faces,
    facing, near, dmin, t, rest,
):  # fmt: skip
    """The time until a candidate of bodies a, b is met, at most t: at once t if not within `near`.

    A negative `near` lets all pass.
    """
    if swap == 1:
        a, b = b, a
    place_candidate(kind, i, j, stamp, placed, vertex_body, vertices, R, edges, faces, lever)
    D = sub(load3(x, b), load3(x, a))
    if near >= 0.0 and squared_distance(kind, i, j, D, lever, edges, faces, facing) > near * near:
        return t
    ds = (twist[b, 0] - twist[a, 0], twist[b, 1] - twist[a, 1], twist[b, 2] - twist[a, 2])
    w_a = (twist[a, 3], twist[a, 4], twist[a, 5])
    w_b = (twist[b, 3], twist[b, 4], twist[b, 5])
    return _advance(kind, i, j, D, ds, w_a, w_b, lever, edges, faces, facing, dmin, t, rest)


@jit_in_place
def _advance(
    kind, i, j, D, ds, w_a, w_b, lever, edges, faces, facing, dmin, t, rest
):  # fmt: skip
    if kind == POINT_FACE:
        face = (load3(lever, faces[j, 0]), load3(lever, faces[j, 1]), load3(lever, faces[j, 2]))
        p = (load3(lever, i),)
        return advance_point_triangle(p, face, D, ds, w_a, w_b, dmin, t, rest, ADVANCES)[0]
    if kind == EDGE_EDGE:
        e = (load3(lever, edges[i, 0]), load3(lever, edges[i, 1]))
        f = (load3(lever, edges[j, 0]), load3(lever, edges[j, 1]))
        return advance_edge_edge(e, f, D, ds, w_a, w_b, dmin, t, rest, ADVANCES)[0]
    if kind == POINT_EDGE:
        f = (load3(lever, edges[j, 0]), load3(lever, edges[j, 1]))
        p = (load3(lever, i),)
        return advance_point_edge(p, f, D, ds, w_a, w_b, dmin, t, rest, ADVANCES)[0]
    if kind == POINT_PLANE:
        # its steps depend on how far they may lead
        time = advance_point_plane(
            load3(lever, i), load3(facing, j), D, ds, w_a, w_b, dmin, 1.0, rest, ADVANCES
        )[0]
        return min(t, time)
    p, q = (load3(lever, i),), (load3(lever, j),)
    return advance_point_point(p, q, D, ds, w_a, w_b, dmin, t, rest, ADVANCES)[0]
