"""Impacts along a search direction: all pairs that would meet, not only the first one.

Newton's direction knows of contacts within dhat only. Along it hundreds of pairs may meet, and a
search step ends at the first of them. Here every pair of bodies that meets gets contacts where it
meets: both bodies are moved to the pair's own first impact, and the candidates that use up their
gaps in about that time give closest points and normals there. `newton.ahead` keeps the next
direction short of them. The idea is that of Huang et al., arXiv 2512.12151 (all pairs that CCD
finds enter the active set at once); nothing that is guaranteed depends on what is found here.
"""

from typing import NamedTuple

import numpy as np

from dovetail.contact.ipc.candidates.records import (
    FEATURE_I,
    FEATURE_J,
    KIND,
    SWAP,
    BodyPair,
    active_candidates,
    active_reference,
    shapes_of,
)
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
from dovetail.contact.ipc.line_search.step_size import (
    MIN_GAP_FRACTION,
    Twists,
    free_beyond,
    impact_time,
)
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

MOST = 6  # contacts of one pair
MAX_TESTED = 400  # candidates of one pair whose times of impact are found
SAME_TIME = 0.1  # of the direction: impacts this much later than the first belong to it
N_AHEAD, POSE = range(2)  # entries of `counts`
# Columns of `rows`; vectors take three from theirs on.
POINT_A, POINT_B = 0, 3  # [m] from the centres of a and b, body axes
NORMAL = 6  # unit, from b to a
DHAT = 9  # [m] of the pair
AHEAD_COLUMNS = 10
TIME, FOUND_COLUMNS = 0, 5  # of `found`: time of impact, kind, swap, i, j


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
    found: FloatArray  # (MOST, FOUND_COLUMNS)
    poses: Poses  # of the two bodies at their first impact
    r_world: FloatArray  # (n_vertices, 3) [m] vertex offsets there
    placed_at: Int64Array  # (n_vertices,)


def impacts_ahead(n: int, n_vertices: int, rows: int) -> ImpactsAhead:
    """Arrays for so many bodies, vertices and contacts."""
    return ImpactsAhead(
        np.zeros(2, np.int64), np.zeros((rows, 2), np.int32), np.zeros((rows, AHEAD_COLUMNS)),
        np.zeros(rows, np.int64), np.zeros(rows, np.int64), np.zeros((rows, 12)),
        np.zeros((rows, 2)), np.zeros((n, 6)), np.zeros((MOST, FOUND_COLUMNS)),
        Poses(np.zeros((n, 3)), np.zeros((n, 3, 3))), np.zeros((n_vertices, 3)),
        np.zeros(n_vertices, np.int64),
    )  # fmt: skip


@jit_in_place
def find_impacts_ahead(bodies, lists, workspace, dmin):
    """Contacts of all pairs that meet along workspace.twist; returns how many pairs do.

    Right after `collision_free_step_size` of the same twists with known distances. Contacts that
    earlier iterations found of a pair that meets again are replaced.
    """
    ahead, iterate, twist = workspace.ahead, workspace.iterate, workspace.twist
    candidates, reference, state = active_candidates(lists), active_reference(lists), lists.state
    features, shapes = features_at(bodies, lists, workspace, iterate.R), shapes_of(bodies)
    motion, radius = Twists(iterate.x, twist, dmin, MIN_GAP_FRACTION), shapes.core_radius
    pairs, is_half_space, found = candidates.pairs, shapes.is_half_space, ahead.found
    hits = 0
    for p in range(candidates.n_pairs):
        if state.closing[p] < 0.0:
            continue
        a, b = pairs[p, 0], pairs[p, 1]
        D, sizes, path = (
            sub(load3(iterate.x, b), load3(iterate.x, a)),
            radius[a] + radius[b],
            state.closing[p],
        )
        near = free_beyond(D, path, sizes, motion, 1.0)
        if state.nearest[p] > near:
            continue
        if is_half_space[a] != 0 or is_half_space[b] != 0:
            count = _over_plane(
                shapes.features.first, features, motion, a, b, is_half_space[b] != 0, near, found
            )
        elif reference.reach[p] - state.approach[p] >= near:
            count = _in_list(candidates, p, features, motion, near, found)
        else:
            count = _down_trees(
                shapes, features, motion, lists.descent, BodyPair(a, b, D), path, sizes, found
            )
        if count > 0:
            hits += 1
            _forget_pair(ahead, a, b)
            _add_contacts(ahead, features, motion, a, b, count, lists.barriers.dhat[p])
    return hits


@jit_within
def _insert(found, count, t, kind, swap, i, j):
    """Insert an impact in the order of times; returns the new number."""
    at = min(count, MOST - 1)
    if count == MOST and not t < found[at, TIME]:
        return count
    while at > 0 and found[at - 1, TIME] > t:
        for k in range(FOUND_COLUMNS):
            found[at, k] = found[at - 1, k]
        at -= 1
    found[at, TIME], found[at, 1], found[at, 2], found[at, 3], found[at, 4] = t, kind, swap, i, j
    return min(count + 1, MOST)


@jit_within
def _until(found, count):
    """The time until which impacts belong to the first one."""
    return min(1.0, found[0, TIME] + SAME_TIME) if count > 0 else 1.0


@jit_in_place
def _over_plane(first, features, motion, a, b, b_is_plane, near, found):
    body, ground = (np.int64(a), np.int64(b)) if b_is_plane else (np.int64(b), np.int64(a))
    kind, swap, count = np.int64(POINT_PLANE), 0 if b_is_plane else 1, 0
    for v in range(first[body, VERTICES], first[body + 1, VERTICES]):
        t = impact_time(kind, np.int64(v), ground, body, ground, features, motion, near, 1.0)
        if t < _until(found, count):
            count = _insert(found, count, t, kind, swap, v, ground)
    return count


@jit_in_place
def _in_list(candidates, p, features, motion, near, found):
    pairs, start, rows = candidates.pairs, candidates.start, candidates.rows
    count = 0
    for c in range(start[p], min(start[p + 1], start[p] + MAX_TESTED)):
        swap = rows[c, SWAP]
        a, b = np.int64(pairs[p, swap]), np.int64(pairs[p, 1 - swap])
        kind = np.int64(rows[c, KIND])
        i, j = np.int64(rows[c, FEATURE_I]), np.int64(rows[c, FEATURE_J])
        until = _until(found, count)
        t = impact_time(kind, i, j, a, b, features, motion, near, until)
        if t < until:
            count = _insert(found, count, t, kind, swap, i, j)
    return count


@jit_in_place
def _down_trees(shapes, features, motion, descent, pair, path, sizes, found):
    a, b, D, trees = np.int64(pair.a), np.int64(pair.b), pair.D, shapes.trees
    A, B = load33(features.R, a), load33(features.R, b)
    Q, offset = matmul(transpose(A), B), mat_t_vec(A, D)
    count, tested = 0, 0
    for number in range(COMBINATIONS):
        kind, swap, of_a, of_b = combination(number)
        root_a, root_b = trees.root[a, of_a], trees.root[b, of_b]
        if root_a < 0 or root_b < 0:
            continue
        descent.stack[0, 0] = descent.stack[0, 1] = 0
        depth = 1
        while depth > 0 and tested < MAX_TESTED:
            until = _until(found, count)
            near = free_beyond(D, path, sizes, motion, until)
            depth, leaves = next_leaves(trees, root_a, root_b, Q, offset, near, descent, depth)
            tested += leaves
            for k in range(leaves):
                i = np.int64(feature_at(shapes.features, a, of_a, descent.leaves[k, 0]))
                j = np.int64(feature_at(shapes.features, b, of_b, descent.leaves[k, 1]))
                until = _until(found, count)
                if swap == 0:
                    t = impact_time(kind, i, j, a, b, features, motion, near, until)
                else:
                    i, j = j, i
                    t = impact_time(kind, i, j, b, a, features, motion, near, until)
                if t < until:
                    count = _insert(found, count, t, kind, swap, i, j)
    return count


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
def _add_contacts(ahead, features, motion, a, b, count, dhat):
    """Contacts of the pair at its first impact, from the candidates in `found`."""
    found, poses, rows = ahead.found, ahead.poses, ahead.rows
    first = found[0, TIME]
    for i in (a, b):
        twist = motion.twist
        for k in range(3):
            poses.x[i, k] = motion.x[i, k] + first * twist[i, k]
        w = (first * twist[i, 3], first * twist[i, 4], first * twist[i, 5])
        store33(poses.R, i, matmul(exp(w), load33(features.R, i)))
    ahead.counts[POSE] += 1
    there = PlacedFeatures(
        ahead.counts[POSE], poses.R, features.vertices, features.vertex_body, features.edges,
        features.faces, features.vertex_radius, ahead.r_world, ahead.placed_at,
        features.plane_normal,
    )  # fmt: skip
    D = sub(load3(poses.x, b), load3(poses.x, a))
    R_a, R_b = load33(poses.R, a), load33(poses.R, b)
    until, normal = min(1.0, first + SAME_TIME), (0.0, 0.0, 0.0)
    for c in range(count):
        n = ahead.counts[N_AHEAD]
        if found[c, TIME] > until or n >= rows.shape[0]:
            break
        kind, swap = np.int64(found[c, 1]), np.int64(found[c, 2])
        i, j = np.int64(found[c, 3]), np.int64(found[c, 4])
        place_candidate(kind, i, j, there)
        offset = D if swap == 0 else (-D[0], -D[1], -D[2])
        p, q, apart = surface_points(kind, i, j, offset, there)
        distance = norm(apart)
        if not distance > 0.0:
            continue
        away, r_a, r_b = scale(1.0 / distance, apart), p, sub(q, offset)
        if swap != 0:
            away, r_a, r_b = scale(-1.0, away), r_b, r_a
        if c == 0:
            normal = away
        elif not dot(away, normal) > 0.0:  # where they would leave each other again
            continue
        store3_at(rows, n, POINT_A, mat_t_vec(R_a, r_a))
        store3_at(rows, n, POINT_B, mat_t_vec(R_b, r_b))
        store3_at(rows, n, NORMAL, away)
        rows[n, DHAT] = dhat
        ahead.bodies[n, 0], ahead.bodies[n, 1] = a, b
        ahead.age[n], ahead.active[n] = 0, 0
        ahead.counts[N_AHEAD] = n + 1


@jit_within
def store3_at(rows, i, column, v):
    """A vector into three columns."""
    rows[i, column], rows[i, column + 1], rows[i, column + 2] = v[0], v[1], v[2]
