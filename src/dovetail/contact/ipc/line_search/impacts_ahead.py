"""Impacts along a search direction: all pairs that would meet, not only the first one.

Newton's direction knows of contacts within dhat only. Along it hundreds of pairs may meet, and a
search step ends at the first of them. Here every pair of bodies that meets gets contacts where it
meets: both bodies are moved to the pair's own first impact, and the candidates that are near there
give closest points and normals. `newton.ahead` keeps the next
direction short of them. The idea is that of Huang et al., arXiv 2512.12151 (all pairs that CCD
finds enter the active set at once); nothing that is guaranteed depends on what is found here.
"""

import math
from typing import NamedTuple

import numpy as np

from dovetail.contact.ipc.candidates.records import (
    FEATURE_I,
    FEATURE_J,
    KIND,
    SWAP,
    BodyPair,
    active_candidates,
    shapes_of,
)
from dovetail.contact.ipc.candidates.relative_motion import relative_path
from dovetail.contact.ipc.candidates.tree_descent import (
    COMBINATIONS,
    combination,
    feature_at,
    next_leaves,
)
from dovetail.contact.ipc.feature_pair import (
    PlacedFeatures,
    features_at,
    place_candidate,
    surface_points,
)
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.line_search.plane_between import stay_apart
from dovetail.contact.ipc.line_search.step_size import (
    MIN_GAP_FRACTION,
    Twists,
)
from dovetail.contact.ipc.line_search.step_size import _free_beyond as free_beyond
from dovetail.contact.ipc.line_search.step_size import _impact as impact_time
from dovetail.contact.ipc.records import POINT_PLANE, VERTICES, Poses
from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import (
    dot,
    load3,
    load33,
    mat_t_vec,
    matmul,
    norm,
    scale,
    store33,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit_in_place, jit_within
from dovetail.runtime.records import FloatArray, Int32Array, Int64Array

MOST = 8  # contacts of one pair
MAX_TESTED = 1000  # candidates of one pair whose times of impact are found
WITHIN = 1.5  # times the distance left at the impact, and dhat: where other contacts are taken
N_AHEAD, POSE = range(2)  # entries of `counts`
# Columns of `rows`; vectors take three from theirs on.
POINT_A, POINT_B = 0, 3  # [m] from the centres of a and b, body axes
NORMAL = 6  # unit, from b to a
DHAT = 9  # [m] of the pair
AHEAD_COLUMNS = 10


class Impact(NamedTuple):
    """The first impact of two bodies: time, kind, swap and features of its candidate."""

    t: float  # 1 where they do not meet
    kind: int
    swap: int
    i: int
    j: int


class ImpactsAhead(NamedTuple):
    """Contacts to come of up to k rows, n bodies."""

    counts: Int64Array  # (2,)
    bodies: Int32Array  # (k, 2) a < b
    rows: FloatArray  # (k, AHEAD_COLUMNS)
    age: Int64Array  # (k,) iterations since CCD found the pair
    active: Int64Array  # (k,) whether the direction is kept short of it
    jacobian: FloatArray  # (k, 12) derivative of the gap in both twists
    left: FloatArray  # (k, 2) [m] gap less what is to be left, [kg] stiffness
    newton: FloatArray  # (n, 6) Newton's own direction
    poses: Poses  # of the two bodies at their first impact
    r_world: FloatArray  # (n_vertices, 3) [m] vertex offsets there
    placed_at: Int64Array  # (n_vertices,)


def impacts_ahead(n: int, n_vertices: int, rows: int) -> ImpactsAhead:
    """Arrays for so many bodies, vertices and contacts."""
    return ImpactsAhead(
        np.zeros(2, np.int64), np.zeros((rows, 2), np.int32), np.zeros((rows, AHEAD_COLUMNS)),
        np.zeros(rows, np.int64), np.zeros(rows, np.int64), np.zeros((rows, 12)),
        np.zeros((rows, 2)), np.zeros((n, 6)),
        Poses(np.zeros((n, 3)), np.zeros((n, 3, 3))), np.zeros((n_vertices, 3)),
        np.zeros(n_vertices, np.int64),
    )  # fmt: skip


@jit_in_place
def find_impacts_ahead(bodies, lists, workspace, dmin, reach):
    """Contacts of all pairs that meet along workspace.twist: (how many do, the first time).

    Needs the distances of the iterate within `reach` [m], and all pairs of bodies that can meet.
    What is found depends on the poses alone, not on what is listed. -1 where there is memory for
    fewer. Contacts that earlier iterations found of a pair that meets
    again are replaced.
    """
    ahead, iterate, twist = workspace.ahead, workspace.iterate, workspace.twist
    candidates, state = active_candidates(lists), lists.state
    features, shapes = features_at(bodies, lists, workspace, iterate.R), shapes_of(bodies)
    motion, radius = Twists(iterate.x, twist, dmin, MIN_GAP_FRACTION), shapes.core_radius
    pairs, is_half_space, x = candidates.pairs, shapes.is_half_space, iterate.x
    island_state, squared = workspace.islands.state, workspace.squared
    hits, earliest = 0, 1.0
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        if island_state[a] == SETTLED and island_state[b] == SETTLED:
            continue
        D, sizes = sub(load3(x, b), load3(x, a)), radius[a] + radius[b]
        path = relative_path(D, twist, a, b, radius[a], radius[b])
        near = free_beyond(D, path, sizes, motion, 1.0)
        if state.nearest[p] > near:
            continue
        pair = BodyPair(a, b, D)
        if is_half_space[a] != 0 or is_half_space[b] != 0:
            swap = 0 if is_half_space[b] != 0 else 1
            impact = _over_plane(shapes.features.first, features, motion, pair, swap, near)
        else:
            nearest = _nearest(candidates, p, squared, reach)
            if stay_apart(shapes.features.first, features, motion, candidates, pair, nearest):
                continue
            known = _impact_of(candidates, p, nearest, features, motion)
            impact = _down_trees(shapes, features, motion, lists.descent, pair, path, sizes, known)
        if impact.t < 1.0:
            hits, earliest = hits + 1, min(earliest, impact.t)
            _forget_pair(ahead, a, b)
            _add_contacts(
                ahead, shapes, features, motion, lists.descent, a, b, impact,
                lists.barriers.dhat[p],
            )  # fmt: skip
    if ahead.counts[N_AHEAD] + MOST > ahead.rows.shape[0]:  # some may be missing
        counters = lists.counters[0]
        counters.pairs_needed = max(counters.pairs_needed, 2 * (ahead.counts[N_AHEAD] + MOST))
        return -1, 0.0
    return hits, earliest


@jit_in_place
def _nearest(candidates, p, squared, reach):
    """The nearest candidate of a pair within reach [m], where lists are complete, or -1."""
    nearest, least = -1, reach * reach
    for c in range(candidates.start[p], candidates.start[p + 1]):
        if squared[c] < least:
            nearest, least = c, squared[c]
    return nearest


@jit_in_place
def _over_plane(first, features, motion, pair, swap, near):
    """The first impact of a body and a half-space, which is the second body without `swap`."""
    a, b = np.int64(pair.a), np.int64(pair.b)
    body, ground = (a, b) if swap == 0 else (b, a)
    kind, t, vertex = np.int64(POINT_PLANE), 1.0, np.int64(0)
    for v in range(first[body, VERTICES], first[body + 1, VERTICES]):
        free = impact_time(kind, np.int64(v), ground, body, ground, features, motion, near, t)
        if free < t:
            t, vertex = free, np.int64(v)
    return Impact(t, kind, np.int64(swap), vertex, ground)


@jit_in_place
def _impact_of(candidates, p, c, features, motion):
    """The impact of candidate c: the first one of its pair is not later."""
    pairs, rows = candidates.pairs, candidates.rows
    if c < 0:
        return Impact(1.0, np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    kind, swap = np.int64(rows[c, KIND]), np.int64(rows[c, SWAP])
    i, j = np.int64(rows[c, FEATURE_I]), np.int64(rows[c, FEATURE_J])
    a, b = np.int64(pairs[p, swap]), np.int64(pairs[p, 1 - swap])
    t = impact_time(kind, i, j, a, b, features, motion, -1.0, 1.0)
    return Impact(t, kind, swap, i, j)


@jit_in_place
def _down_trees(shapes, features, motion, descent, pair, path, sizes, known):
    """The first impact of a pair by a walk down its trees, no later than the one known."""
    a, b, D, trees = np.int64(pair.a), np.int64(pair.b), pair.D, shapes.trees
    A, B = load33(features.R, a), load33(features.R, b)
    Q, offset = matmul(transpose(A), B), mat_t_vec(A, D)
    t, first_kind, first_swap, tested = known.t, known.kind, known.swap, 0
    first_i, first_j = known.i, known.j
    near = free_beyond(D, path, sizes, motion, t)
    for number in range(COMBINATIONS):
        kind, swap, of_a, of_b = combination(number)
        root_a, root_b = trees.root[a, of_a], trees.root[b, of_b]
        if root_a < 0 or root_b < 0:
            continue
        descent.stack[0, 0] = descent.stack[0, 1] = 0
        depth = 1
        while depth > 0 and tested < MAX_TESTED:
            depth, leaves = next_leaves(trees, root_a, root_b, Q, offset, near, descent, depth)
            tested += leaves
            for k in range(leaves):
                i = np.int64(feature_at(shapes.features, a, of_a, descent.leaves[k, 0]))
                j = np.int64(feature_at(shapes.features, b, of_b, descent.leaves[k, 1]))
                if swap == 0:
                    free = impact_time(kind, i, j, a, b, features, motion, near, t)
                else:
                    i, j = j, i
                    free = impact_time(kind, i, j, b, a, features, motion, near, t)
                if free < t:
                    t, first_i, first_j = free, i, j
                    first_kind, first_swap = np.int64(kind), np.int64(swap)
                    near = free_beyond(D, path, sizes, motion, t)
    return Impact(t, first_kind, first_swap, first_i, first_j)


@jit_in_place
def _forget_pair(ahead, a, b):
    """Drop what earlier iterations found of a pair."""
    kept, bodies = 0, ahead.bodies
    for c in range(ahead.counts[N_AHEAD]):
        if bodies[c, 0] != a or bodies[c, 1] != b or ahead.age[c] == 0:
            keep_row(ahead, c, kept)
            kept += 1
    ahead.counts[N_AHEAD] = kept


@jit_in_place
def keep_row(ahead, c, to):
    """Move row c to a place before it."""
    if c == to:
        return
    ahead.bodies[to, 0], ahead.bodies[to, 1] = ahead.bodies[c, 0], ahead.bodies[c, 1]
    ahead.age[to], ahead.active[to] = ahead.age[c], ahead.active[c]
    for k in range(AHEAD_COLUMNS):
        ahead.rows[to, k] = ahead.rows[c, k]


@jit_in_place
def _add_contacts(ahead, shapes, features, motion, descent, a, b, impact, dhat):
    """Contacts of the pair at its first impact: that one and those near it."""
    poses, twist, t = ahead.poses, motion.twist, impact.t
    for i in (a, b):
        for k in range(3):
            poses.x[i, k] = motion.x[i, k] + t * twist[i, k]
        w = (t * twist[i, 3], t * twist[i, 4], t * twist[i, 5])
        store33(poses.R, i, matmul(exp(w), load33(features.R, i)))
    ahead.counts[POSE] += 1
    there = PlacedFeatures(
        ahead.counts[POSE], poses.R, features.vertices, features.vertex_body, features.edges,
        features.faces, features.vertex_radius, ahead.r_world, ahead.placed_at,
        features.plane_normal, features.solids, features.patch, features.inner,
    )  # fmt: skip
    first = ahead.counts[N_AHEAD]
    distance = _add_contact(
        ahead, there, a, b, impact.kind, impact.swap, impact.i, impact.j, dhat, math.inf, first
    )
    within, most = WITHIN * distance + dhat, first + MOST
    if shapes.is_half_space[a] != 0 or shapes.is_half_space[b] != 0:
        body = a if impact.swap == 0 else b
        vertices = shapes.features.first
        for v in range(vertices[body, VERTICES], vertices[body + 1, VERTICES]):
            if v != impact.i and ahead.counts[N_AHEAD] < most:
                _add_contact(
                    ahead, there, a, b, impact.kind, impact.swap, np.int64(v), impact.j, dhat,
                    within, first,
                )  # fmt: skip
        return
    trees = shapes.trees
    A, B = load33(poses.R, a), load33(poses.R, b)
    D = sub(load3(poses.x, b), load3(poses.x, a))
    Q, offset = matmul(transpose(A), B), mat_t_vec(A, D)
    for number in range(COMBINATIONS):
        kind, swap, of_a, of_b = combination(number)
        root_a, root_b = trees.root[a, of_a], trees.root[b, of_b]
        if root_a < 0 or root_b < 0:
            continue
        descent.stack[0, 0] = descent.stack[0, 1] = 0
        depth = 1
        while depth > 0 and ahead.counts[N_AHEAD] < most:
            depth, leaves = next_leaves(trees, root_a, root_b, Q, offset, within, descent, depth)
            for k in range(leaves):
                i = np.int64(feature_at(shapes.features, a, of_a, descent.leaves[k, 0]))
                j = np.int64(feature_at(shapes.features, b, of_b, descent.leaves[k, 1]))
                if swap == 1:
                    i, j = j, i
                known = kind == impact.kind and i == impact.i and j == impact.j
                if not (known and swap == impact.swap) and ahead.counts[N_AHEAD] < most:
                    _add_contact(
                        ahead, there, a, b, np.int64(kind), np.int64(swap), i, j, dhat, within,
                        first,
                    )  # fmt: skip


@jit_in_place
def _add_contact(ahead, there, a, b, kind, swap, i, j, dhat, within, first):
    """Add a contact of features no farther apart than `within` [m]; returns their distance."""
    rows, poses, n = ahead.rows, ahead.poses, ahead.counts[N_AHEAD]
    place_candidate(kind, i, j, there)
    D = sub(load3(poses.x, b), load3(poses.x, a))
    offset = D if swap == 0 else (-D[0], -D[1], -D[2])
    p, q, apart = surface_points(kind, i, j, offset, there)
    distance = norm(apart)
    if not 0.0 < distance <= within or n >= rows.shape[0]:
        return distance
    away, r_a, r_b = scale(1.0 / distance, apart), p, sub(q, offset)
    if swap != 0:
        away, r_a, r_b = scale(-1.0, away), r_b, r_a
    if n > first:  # not where they would leave each other again
        known = (rows[first, NORMAL], rows[first, NORMAL + 1], rows[first, NORMAL + 2])
        if not dot(away, known) > 0.0:
            return distance
    store3_at(rows, n, POINT_A, mat_t_vec(load33(poses.R, a), r_a))
    store3_at(rows, n, POINT_B, mat_t_vec(load33(poses.R, b), r_b))
    store3_at(rows, n, NORMAL, away)
    rows[n, DHAT] = dhat
    ahead.bodies[n, 0], ahead.bodies[n, 1] = a, b
    ahead.age[n], ahead.active[n] = 0, 0
    ahead.counts[N_AHEAD] = n + 1
    return distance


@jit_within
def store3_at(rows, i, column, v):
    """A vector into three columns."""
    rows[i, column], rows[i, column + 1], rows[i, column + 2] = v[0], v[1], v[2]
