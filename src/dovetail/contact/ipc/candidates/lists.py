"""Candidates of all pairs, complete within a reach, kept while bodies move less than a slack.

A list made for a reach holds all candidates within reach - moved, where `moved` bounds how much
closer two points of the bodies can have come since (`candidates.relative_motion`). The exact
distance decides
what enters a list and is kept with it: a candidate that was farther away than the bodies have come
closer by is not measured again. The slack is as large as it can be with a list of some length, so
that lists last; long paths are not listed but followed down the trees (`line_search.step_size`).
"""

import math

from dovetail.collision.distance.point_plane import over_plane
from dovetail.contact.ipc.candidates.body_pairs import boxes_hold, sweep
from dovetail.contact.ipc.candidates.candidate import (
    place_candidate,
    place_vertex,
    squared_distance,
)
from dovetail.contact.ipc.candidates.coplanar import put_together
from dovetail.contact.ipc.candidates.relative_motion import ROUNDING, approach
from dovetail.contact.ipc.candidates.tree_descent import COMBINATIONS, combination, leaves, named
from dovetail.contact.ipc.records import (
    CORNERS,
    EDGE_EDGE,
    N_PAIRS,
    POINT_FACE,
    POINT_PLANE,
    POSE,
    REFRESHES,
    SWEEPS,
    WANTS_POOL,
    WHICH,
)
from dovetail.linalg.vec3 import (
    ZERO,
    load3,
    load33,
    mat_t_vec,
    matmul,
    neg,
    norm,
    store3,
    store33,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit, jit_in_place

SLACK = 2.0  # of dhat, at least
GENEROUS = 0.05  # of the smaller radius, at most
LONGEST = 192  # candidates of a pair: beyond, the slack is made smaller down to the least


@jit
def pairs_ready(bodies, lists, x, R, path, reach):
    """Find all pairs of bodies that can come within reach along their paths [m]; False: no room."""
    hold = lists.numbers[SWEEPS] > 0 and boxes_hold(
        x, R, bodies.radius, lists.swept_x, lists.swept_turn, lists.swept_margin, path, reach
    )
    return hold or sweep(bodies, lists, x, R, path, reach)


@jit
def ready(bodies, lists, room, x, R, path, reach, dhat):
    """Make lists complete within reach at the poses, of pairs that meet along the paths [m].

    Levers are those of the pose numbers[POSE]. Returns whether there was room.
    """
    if not pairs_ready(bodies, lists, x, R, path, reach):
        return False
    numbers = lists.numbers
    if _hold(
        numbers[WHICH], numbers[N_PAIRS], lists.pairs, x, R, bodies.radius, reach,
        lists.made_reach, lists.made_x, lists.made_turn, lists.moved,
    ):  # fmt: skip
        return True
    return _refresh(bodies, lists, room, x, R, reach, SLACK * dhat)


@jit_in_place
def _hold(which, n_pairs, pairs, x, R, radius, reach, made_reach, made_x, made_turn, moved):
    """Set how much closer every pair has come; whether all lists are complete within reach."""
    hold = True
    for p in range(n_pairs):
        a, b = pairs[which, p, 0], pairs[which, p, 1]
        moved[p] = math.inf
        if made_reach[which, p] >= reach:
            D = sub(load3(x, b), load3(x, a))
            left = made_reach[which, p] - reach
            moved[p] = approach(
                D, load33(R, a), load33(R, b), radius[a], radius[b], made_x, made_turn, which, p,
                0.5 * left,
            )  # fmt: skip
        hold = hold and made_reach[which, p] - moved[p] >= reach
    return hold


@jit
def _refresh(bodies, lists, room, x, R, reach, least):
    """Copy the lists that are still complete and make the others anew."""
    numbers, pairs, start, pool = lists.numbers, lists.pairs, lists.start, lists.pool
    made_reach, made_x, made_turn = lists.made_reach, lists.made_x, lists.made_turn
    apart, slack, moved = lists.apart, lists.slack, lists.moved
    radius = bodies.radius
    old, new = numbers[WHICH], 1 - numbers[WHICH]
    n_pairs, room_there = numbers[N_PAIRS], pool.shape[1]
    top = 0
    for p in range(n_pairs):
        a, b = pairs[old, p, 0], pairs[old, p, 1]
        pairs[new, p, 0], pairs[new, p, 1] = a, b
        start[new, p] = top
        if made_reach[old, p] - moved[p] >= reach:
            top = _copy(lists.start, pool, apart, made_reach, made_x, made_turn, slack, p, old, top)
        else:
            D = sub(load3(x, b), load3(x, a))
            store3(made_x[new], p, D)
            store33(made_turn[new, p], 0, load33(R, a))
            store33(made_turn[new, p], 1, load33(R, b))
            size = max(radius[a], radius[b])
            if radius[a] > 0.0 and radius[b] > 0.0:
                size = min(radius[a], radius[b])
            wanted = GENEROUS * size
            if slack[old, p] > 0.0:
                short = 3 * (start[old, p + 1] - start[old, p]) < LONGEST
                wanted = min(wanted, (2.0 if short else 1.0) * slack[old, p])
            wanted = max(wanted, least)
            begin = top
            most = LONGEST if wanted > least else room_there
            top = _list_pair(bodies, lists, room, a, b, D, R, reach + wanted, new, begin, most)
            while top - begin > LONGEST and wanted > least:
                wanted = max(0.4 * wanted, least)
                most = LONGEST if wanted > least else room_there
                top = _list_pair(bodies, lists, room, a, b, D, R, reach + wanted, new, begin, most)
            made_reach[new, p], slack[new, p] = reach + wanted, wanted
            lists.in_vain[p] = 0
            moved[p] = ROUNDING * (norm(D) + radius[a] + radius[b])
        if top > room_there:
            numbers[WANTS_POOL] = 2 * top
            return False
    start[new, n_pairs] = top
    numbers[WHICH] = new
    numbers[REFRESHES] += 1
    return True


@jit
def _copy(start, pool, apart, made_reach, made_x, made_turn, slack, p, old, top):
    """Carry list p over; returns where it ends, which may be beyond the pool."""
    new = 1 - old
    made_reach[new, p], slack[new, p] = made_reach[old, p], slack[old, p]
    store3(made_x[new], p, load3(made_x[old], p))
    for k in range(2):
        store33(made_turn[new, p], k, load33(made_turn[old, p], k))
    begin, length = start[old, p], start[old, p + 1] - start[old, p]
    for c in range(min(length, pool.shape[1] - top)):
        apart[new, top + c] = apart[old, begin + c]
        for k in range(4):
            pool[new, top + c, k] = pool[old, begin + c, k]
    return top + length


@jit
def _list_pair(bodies, lists, room, a, b, D, R, reach, new, top, most):
    """All candidates of bodies a and b within reach; returns where they end in the pool.

    Gives up as soon as there are more than `most`.
    """
    if bodies.plane[a] != 0 or bodies.plane[b] != 0:
        return _list_over_plane(
            bodies.plane, bodies.first, bodies.vertices, bodies.vertex_body, bodies.radius,
            a, b, D, R, reach, lists.pool, lists.apart, new, top, lists.numbers[POSE],
            room.placed, room.lever, room.facing,
        )  # fmt: skip
    return _list_between(
        bodies.tree_root, bodies.tree_boxes, bodies.tree_right, bodies.first, bodies.vertices,
        bodies.vertex_body, bodies.edges, bodies.faces, bodies.wires, bodies.points,
        bodies.side, bodies.patch, bodies.divided,
        ROUNDING * (bodies.radius[a] + bodies.radius[b] + norm(D)),
        a, b, D, R, reach, lists.stack, lists.leaf, lists.pool, lists.apart, new, top, top + most,
        lists.numbers[POSE], room.placed, room.lever, room.facing,
    )  # fmt: skip


@jit_in_place
def _write(pool, apart, which, at, kind, swap, i, j, distance):
    if at < pool.shape[1]:
        pool[which, at, 0] = kind
        pool[which, at, 1] = swap
        pool[which, at, 2] = i
        pool[which, at, 3] = j
        apart[which, at] = distance


@jit_in_place
def _list_over_plane(
    plane, first, vertices, vertex_body, radius, a, b, D, R, reach, pool, apart, which, top, stamp,
    placed, lever, facing,
):  # fmt: skip
    swap = 0 if plane[b] != 0 else 1
    body, ground = (a, b) if swap == 0 else (b, a)
    origin = D if swap == 0 else neg(D)
    if over_plane(ZERO, origin, load3(facing, ground))[0] > reach + radius[body] * 1.000001:
        return top
    for v in range(first[body, CORNERS], first[body + 1, CORNERS]):
        place_vertex(v, stamp, placed, vertex_body, vertices, R, lever)
        height = over_plane(load3(lever, v), origin, load3(facing, ground))[0]
        if height <= reach * 1.0000001:
            _write(pool, apart, which, top, POINT_PLANE, swap, v, ground, height)
            top += 1
    return top


@jit_in_place
def _list_between(
    roots, boxes, right, first, vertices, vertex_body, edges, faces, wires, points,
    side, patch, divided, error,
    a, b, D, R, reach, stack, leaf, pool, apart, which, top, most, stamp, placed, lever, facing,
):  # fmt: skip
    R_a, R_b, back = load33(R, a), load33(R, b), neg(D)
    Q, t = matmul(transpose(R_a), R_b), mat_t_vec(R_a, D)
    margin = reach * 1.0000001 + error
    limit = reach * reach * 1.000001
    for turn in range(COMBINATIONS):
        kind, swap, of_a, of_b = combination(turn)
        root_a, root_b = roots[a, of_a], roots[b, of_b]
        if root_a < 0 or root_b < 0:
            continue
        stack[0, 0] = stack[0, 1] = 0
        depth, begin = 1, top
        while depth > 0 and top <= most:
            depth, count = leaves(boxes, right, root_a, root_b, Q, t, margin, stack, depth, leaf)
            for k in range(count):
                i = named(of_a, leaf[k, 0], first[a, of_a], wires, points)
                j = named(of_b, leaf[k, 1], first[b, of_b], wires, points)
                if swap == 1:
                    i, j = j, i
                place_candidate(
                    kind, i, j, stamp, placed, vertex_body, vertices, R, edges, faces, lever
                )
                d = squared_distance(
                    kind, i, j, D if swap == 0 else back, lever, edges, faces, facing
                )
                if d <= limit:
                    _write(pool, apart, which, top, kind, swap, i, j, math.sqrt(d))
                    top += 1
        parts = 0
        if kind == POINT_FACE:
            parts = divided[b if swap == 0 else a] & 1
        elif kind == EDGE_EDGE:
            parts = (divided[a] | divided[b]) & 2
        if parts != 0 and top <= pool.shape[1]:
            put_together(pool, apart, which, begin, top, side, patch)
    return top
