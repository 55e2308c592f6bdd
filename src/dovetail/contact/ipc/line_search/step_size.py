"""Collision-free step size: how far all bodies can follow their twists, by curved CCD of all pairs.

First the contacts, which most often limit a step, then all that is listed, then, down the trees,
the pairs whose lists do not reach as far as their bodies go until the earliest impact found so far
(`candidates.relative_motion`, `candidates.approach`). The time of impact of one candidate does not
depend on the others: candidates are left out only where they cannot have used up all but
`min_gap_fraction` of their gap by then, or all but half of dhat of a wide one
(`ccd.additive_ccd`). So the step size is the least over all candidates there are, whatever has been
listed when.
"""

import math

import numpy as np

from dovetail.contact.ipc.barrier.stiffness import DHAT
from dovetail.contact.ipc.candidates.approach import SeenMotion, until
from dovetail.contact.ipc.candidates.face_pairs import (
    both_by_faces,
    faces_stay_apart,
    place_faces,
)
from dovetail.contact.ipc.candidates.moving_descent import next_moving_leaves
from dovetail.contact.ipc.candidates.placed_descent import begin_walk, next_near_faces
from dovetail.contact.ipc.candidates.records import (
    BodyPair,
    active_candidates,
    active_reference,
    shapes_of,
)
from dovetail.contact.ipc.candidates.relative_motion import (
    ROUNDING,
    approach_since,
    are_bounded,
    relative_path,
)
from dovetail.contact.ipc.candidates.separation import separation
from dovetail.contact.ipc.candidates.tree_descent import (
    combination,
    combinations,
    feature_at,
    next_leaves,
)
from dovetail.contact.ipc.feature_pair import begin_pose, features_at
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.line_search.impact import Twists, impact, impact_of, relative_twists
from dovetail.contact.ipc.records import (
    EDGE_EDGE,
    FACES,
    POINT_FACE,
    POINT_PLANE,
    RING_FACE,
    SOLID_PLANE,
    VERTICES,
)
from dovetail.linalg.vec3 import load3, load33, mat_t_vec, matmul, norm, sub, transpose
from dovetail.runtime.jit import apart, jit_in_place, jit_within, when_called

MIN_GAP_FRACTION = 0.1  # of every gap that one search step leaves
MAX_WASTED = 8  # candidates of a pair that may be looked at beside its contacts
KEPT = 0.5  # of dhat: as much is left of wide gaps
BENT = 0.25  # of the way of two bodies: up to that their faces are looked for along it
LONG = 1000  # candidates of a pair: beyond that its parts lie along each other
SLOW = 0.1  # of the approach since the list was made: then it pays to measure its distances again


@apart
@jit_in_place
def collision_free_step_size(bodies, lists, workspace, poses, twist, dmin, reach, min_gap_fraction):
    """How much of the twists (n, 6), at most 1, can be followed from the poses without impact.

    All pairs of bodies that can meet must be there (`candidates.lists.update_body_pairs`). With a
    `reach` [m] the distances must be those of the poses within it (`candidates.distances`): then
    contacts come first, and what is known of distances is made use of; 0 where they are not.
    `min_gap_fraction` is the part of its gap that is left to each. Returns (step size, pair that
    limits it or -1).
    """
    begin_pose(bodies, lists, workspace, poses.R)
    candidates, reference, state = active_candidates(lists), active_reference(lists), lists.state
    features = features_at(bodies, lists, workspace, poses.R)
    motion = Twists(poses.x, twist, dmin, min_gap_fraction, _most_kept(lists, min_gap_fraction))
    shapes, squared = shapes_of(bodies), workspace.squared
    t, limiting_pair = _try_contacts(
        candidates, state, features, motion, shapes, workspace.islands.state, squared, reach
    )
    t, limiting_pair = _try_listed(
        candidates, reference, state, features, motion, shapes, squared, reach, t, limiting_pair
    )
    return _try_unlisted(
        candidates, reference, state, features, motion, bodies, lists.descent, t, limiting_pair
    )


@jit_in_place
def _most_kept(lists, min_gap_fraction):
    """[m] what is left of wide gaps: half of the step's dhat.

    There the barrier acts, gently, so that the next direction knows of the contact.
    """
    if min_gap_fraction == 0.0:
        return 0.0
    dhat = lists.scales.values[DHAT]
    return KEPT * dhat if dhat > 0.0 else math.inf


@jit_in_place
def _try_contacts(candidates, state, features, motion, shapes, island_state, squared, reach):
    """The contacts; sets how much closer each pair can come, -1 for those that cannot meet."""
    t, limiting_pair, radius = 1.0, -1, shapes.core_radius
    known = reach > 0.0
    tried = reach * reach if known else -math.inf
    pairs, start, rows = candidates.pairs, candidates.start, candidates.rows
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        state.closing[p] = -1.0
        state.passed_over[p] = 0
        if island_state[a] == SETTLED and island_state[b] == SETTLED:
            continue
        D, sizes = sub(load3(motion.x, b), load3(motion.x, a)), radius[a] + radius[b]
        path = relative_path(
            D, motion.twist, a, b, radius[a], radius[b], are_bounded(shapes.is_half_space, a, b)
        )
        if known and state.nearest[p] > _free_beyond(D, path, sizes, motion, 1.0):
            continue
        state.closing[p] = path
        if not known:
            continue
        near = _free_beyond(D, path, sizes, motion, t)
        close = min(tried, near * near)
        for c in range(start[p], start[p + 1]):
            if squared[c] < close:
                free = impact_of(rows, c, a, b, features, motion, -1.0, t)
                if free < t:
                    t, limiting_pair = free, p
    return t, limiting_pair


@jit_in_place
def _try_listed(
    candidates, reference, state, features, motion, shapes, squared, reach, t, limiting_pair
):  # fmt: skip
    """What is listed and was not tried yet.

    A long list is passed over where the trees have to be gone down in any case. Then the descent
    looks along normals, too; for the few candidates of short lists that does not pay.
    """
    known = reach > 0.0
    tried = reach * reach if known else -math.inf
    pairs, start, rows = candidates.pairs, candidates.start, candidates.rows
    approach, closing, radius = state.approach, state.closing, shapes.core_radius
    for p in range(candidates.n_pairs):
        if closing[p] < 0.0:
            continue
        a, b = pairs[p, 0], pairs[p, 1]
        D, sizes = sub(load3(motion.x, b), load3(motion.x, a)), radius[a] + radius[b]
        near = _free_beyond(D, closing[p], sizes, motion, t)
        if not known:
            approach[p] = math.inf
            if reference.reach[p] >= 0.0:
                approach[p] = approach_since(
                    reference, p, D, load33(features.R, a), load33(features.R, b), radius[a],
                    radius[b], are_bounded(shapes.is_half_space, a, b),
                    0.5 * (reference.reach[p] - near),
                )  # fmt: skip
        elif state.nearest[p] > near:
            continue
        beyond_list = reference.reach[p] - approach[p] < near
        state.passed_over[p] = 1 if beyond_list and start[p + 1] - start[p] > LONG else 0
        if state.passed_over[p] != 0:
            continue
        wasted = 0
        for c in range(start[p], start[p + 1]):
            if known and squared[c] < math.inf:
                if squared[c] < tried or squared[c] > near * near:
                    continue
            elif reference.distance[c] - approach[p] > near:
                continue
            free = impact_of(rows, c, a, b, features, motion, near, t)
            wasted += 1
            if free < t:
                t, limiting_pair = free, p
                near = _free_beyond(D, closing[p], sizes, motion, t)
        if wasted > MAX_WASTED and closing[p] < SLOW * approach[p]:
            state.stale[p] = 1
    return t, limiting_pair


@jit_in_place
def _try_unlisted(
    candidates, reference, state, features, motion, bodies, descent, t, limiting_pair
):  # fmt: skip
    """Pairs whose lists do not reach as far as their bodies go."""
    geometry = bodies.geometry
    radius, is_half_space = geometry.core_radius, geometry.half_spaces.is_half_space
    pairs, approach, closing = candidates.pairs, state.approach, state.closing
    listed_reach, x = reference.reach, motion.x
    for p in range(candidates.n_pairs):
        if closing[p] < 0.0:
            continue
        a, b = pairs[p, 0], pairs[p, 1]
        D, sizes = sub(load3(x, b), load3(x, a)), radius[a] + radius[b]
        near = _free_beyond(D, closing[p], sizes, motion, t)
        if state.passed_over[p] == 0 and listed_reach[p] - approach[p] >= near:
            continue
        if is_half_space[a] != 0 or is_half_space[b] != 0:
            free = _impact_with_plane(
                geometry.features.first, features, motion, a, b, is_half_space[b] != 0, near, t
            )
        else:
            rolls = radius[a] == 0.0 or radius[b] == 0.0  # a ball: next to nothing is in its way
            free = _impact_down_trees(
                shapes_of(bodies), features, motion, descent, BodyPair(a, b, D), closing[p], sizes,
                t, state.passed_over[p] != 0 or rolls,
            )  # fmt: skip
        if free < t:
            t, limiting_pair = free, p
    return t, limiting_pair


@jit_in_place
def pair_step_size(bodies, lists, workspace, poses, p, dmin):
    """As `collision_free_step_size` along workspace.twist, of pair p alone, which keeps `dmin`.

    Vertex offsets and distances must be those of the poses.
    """
    twist, radius = workspace.twist, bodies.geometry.core_radius
    pairs = lists.pairs[lists.counters[0].active_buffer]
    a, b = pairs[p, 0], pairs[p, 1]
    D, sizes = sub(load3(poses.x, b), load3(poses.x, a)), radius[a] + radius[b]
    bounded = are_bounded(bodies.geometry.half_spaces.is_half_space, a, b)
    path = relative_path(D, twist, a, b, radius[a], radius[b], bounded)
    motion = Twists(poses.x, twist, dmin, 0.0, 0.0)
    near = _free_beyond(D, path, sizes, motion, 1.0)
    if lists.state.nearest[p] > near:
        return 1.0
    return _pair_impact(bodies, lists, workspace, poses, p, motion, D, path, sizes, near)


@apart
@jit_in_place
def _pair_impact(bodies, lists, workspace, poses, p, motion, D, path, sizes, near):
    """As `pair_step_size`, of a pair that may come nearer than `near` [m] on its `path` [m]."""
    geometry, candidates = bodies.geometry, active_candidates(lists)
    features = features_at(bodies, lists, workspace, poses.R)
    is_half_space, t = geometry.half_spaces.is_half_space, 1.0
    reference, state, start = active_reference(lists), lists.state, candidates.start
    a, b = candidates.pairs[p, 0], candidates.pairs[p, 1]
    if is_half_space[a] != 0 or is_half_space[b] != 0:
        return _impact_with_plane(
            geometry.features.first, features, motion, a, b, is_half_space[b] != 0, near, 1.0
        )
    if reference.reach[p] - state.approach[p] < near or start[p + 1] - start[p] > LONG:
        return _impact_down_trees(
            shapes_of(bodies),
            features,
            motion,
            lists.descent,
            BodyPair(a, b, D),
            path,
            sizes,
            1.0,
            True,
        )
    for c in range(start[p], start[p + 1]):
        if reference.distance[c] - state.approach[p] <= near:
            t = min(t, impact_of(candidates.rows, c, a, b, features, motion, near, t))
    return t


@jit_within
def _free_beyond(D, path, sizes, motion, t):
    """[m] the distance beyond which all candidates of two bodies are free until t.

    `path` [m] is how much closer they can come until 1, `sizes` [m] the sum of their radii.
    """
    error = ROUNDING * (norm(D) + sizes + path)
    path = t * path + error
    kept = min(path / (1.0 - 1.25 * motion.min_gap_fraction), path + 1.25 * motion.most_kept)
    return motion.dmin + kept * 1.000001


@jit_in_place
def _impact_with_plane(first, features, motion, a, b, b_is_plane, near, t):
    """The time of the first impact of a body and a half-space, at most t."""
    body, ground = (np.int64(a), np.int64(b)) if b_is_plane else (np.int64(b), np.int64(a))
    kind, solids = np.int64(POINT_PLANE), features.solids
    if solids.shape[0] > 0 and solids[body, 0] > 0.0:
        kind = np.int64(SOLID_PLANE)
        return impact(kind, body, ground, body, ground, features, motion, near, t)
    for v in range(first[body, VERTICES], first[body + 1, VERTICES]):
        t = impact(kind, np.int64(v), ground, body, ground, features, motion, near, t)
    return t


@when_called(0.0)
@jit_in_place
def _impact_down_trees(shapes, features, motion, descent, pair, path, sizes, t, along_normals):
    """The time of the first impact of two bodies, at most t, by a walk down their trees.

    `along_normals`: nodes are left out by their approach, too (`candidates.moving_descent`).
    """
    a, b, D, trees = np.int64(pair.a), np.int64(pair.b), pair.D, shapes.trees
    near = _free_beyond(D, path, sizes, motion, t)
    seen = _seen_from_a(motion, features.R, a, b, D, near, sizes, t)
    if separation(shapes, features.R, pair, relative_twists(motion.twist, a, b), t, seen.beyond) > (
        seen.beyond
    ):
        return t
    if both_by_faces(shapes, a, b):
        return _impact_by_faces(shapes, features, motion, descent, pair, path, sizes, t, seen)
    for number in range(combinations(shapes.features)):
        kind, swap, of_a, of_b = combination(number)
        root_a, root_b = trees.root[a, of_a], trees.root[b, of_b]
        if root_a < 0 or root_b < 0 or kind == RING_FACE:  # a ring's CCD is that of its polyhedron
            continue
        descent.stack[0, 0] = descent.stack[0, 1] = 0
        depth = 1
        while depth > 0:
            if along_normals:
                depth, count = next_moving_leaves(trees, root_a, root_b, seen, descent, depth)
            else:
                depth, count = next_leaves(
                    trees, root_a, root_b, seen.Q, seen.offset, near, descent, depth
                )
            for k in range(count):
                i = np.int64(feature_at(shapes.features, a, of_a, descent.leaves[k, 0]))
                j = np.int64(feature_at(shapes.features, b, of_b, descent.leaves[k, 1]))
                if swap == 0:
                    free = impact(kind, i, j, a, b, features, motion, near, t)
                else:
                    free = impact(kind, j, i, b, a, features, motion, near, t)
                if free < t:
                    t = free
                    near = _free_beyond(D, path, sizes, motion, t)
                    seen = until(seen, near, t)
    return t


@jit_in_place
def _impact_by_faces(shapes, features, motion, descent, pair, path, sizes, t, seen):
    """The same by pairs of faces (`candidates.face_pairs`)."""
    a, b, D = np.int64(pair.a), np.int64(pair.b), pair.D
    trees, owners, first = shapes.trees, shapes.features.owners, shapes.features.first
    ds, w_a, w_b = relative_twists(motion.twist, a, b)
    beyond, near = seen.beyond + shapes.rounding[a] + shapes.rounding[b], seen.margin
    placing = begin_walk(descent, shapes, features.R, pair, ds, w_a, w_b, t, BENT * near)
    margin = min(beyond, near) if placing.moves else near
    descent.stack[0, 0] = descent.stack[0, 1] = 0
    depth = 1
    while depth > 0:
        depth, count = next_near_faces(
            trees, features, trees.root[a, FACES], placing, seen, margin, descent, depth
        )
        for k in range(count):
            f = np.int64(first[a, FACES] + descent.leaves[k, 0])
            g = np.int64(first[b, FACES] + descent.leaves[k, 1])
            place_faces(f, g, features)
            if faces_stay_apart(f, g, features, D, ds, w_a, w_b, t, beyond):
                continue
            free = _impact_of_faces(owners, f, g, a, b, features, motion, near, t)
            if free < t:
                t = free
                near = _free_beyond(D, path, sizes, motion, t)
                margin = min(beyond, near) if placing.moves else near
    return t


@jit_in_place
def _impact_of_faces(owners, f, g, a, b, features, motion, near, t):
    """The time of the first impact of what belongs to face f of a and face g of b, at most t."""
    faces, sides = features.faces, owners.sides
    of_f, of_g = owners.owned[f], owners.owned[g]
    vertex_face, edges = np.int64(POINT_FACE), np.int64(EDGE_EDGE)
    for k in range(3):
        if of_f & (1 << k):
            i = np.int64(faces[f, k])
            t = min(t, impact(vertex_face, i, g, a, b, features, motion, near, t))
        if of_g & (1 << k):
            i = np.int64(faces[g, k])
            t = min(t, impact(vertex_face, i, f, b, a, features, motion, near, t))
        if of_f & (8 << k):
            for m in range(3):
                if of_g & (8 << m):
                    e, other = np.int64(sides[f, k]), np.int64(sides[g, m])
                    t = min(t, impact(edges, e, other, a, b, features, motion, near, t))
    return t


@jit_in_place
def _seen_from_a(motion, R, a, b, D, near, sizes, t):
    """The motion of b as seen from a, for the descent; see `candidates.approach`.

    A pair that keeps `beyond` along any direction is free (`ccd.additive_ccd`). It includes four
    times the bound on rounding, 4e-13 of the sizes: CCD stops at 5 eps of them where nothing is to
    be left, 5 64 2^-53 = 4e-14, of solids of revolution at 1.4e-13.
    """
    A, (ds, w_a, w_b) = load33(R, a), relative_twists(motion.twist, a, b)
    size = norm(D) + norm(ds) + (1.0 + norm(w_a) + norm(w_b)) * sizes
    beyond = motion.dmin + 1.25 * motion.most_kept * 1.000001 + 4.0 * ROUNDING * size
    return SeenMotion(
        matmul(transpose(A), load33(R, b)), mat_t_vec(A, D), near, t, beyond, mat_t_vec(A, ds),
        mat_t_vec(A, w_a), mat_t_vec(A, w_b),
    )  # fmt: skip
