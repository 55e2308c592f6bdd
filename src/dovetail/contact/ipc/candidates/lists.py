"""Candidates of all pairs, complete within a reach, kept while bodies move less than a slack.

A list made for a reach has all candidates within reach - approach, where `approach` bounds how much
closer two points of the bodies can have come since (`candidates.relative_motion`). The exact
distance decides what enters a list and is kept with it: a candidate that was farther away than the
bodies have come closer by is not measured again. The slack is as large as it can be with a list of
some length, so that lists last; long paths are not listed but followed down the trees
(`line_search.step_size`).
"""

import math

from dovetail.collision.distance.point_plane import over_plane
from dovetail.contact.ipc.candidates.body_pairs import boxes_are_valid, copy_list, sweep_bodies
from dovetail.contact.ipc.candidates.coplanar import group_by_patch
from dovetail.contact.ipc.candidates.face_pairs import both_by_faces, list_by_faces
from dovetail.contact.ipc.candidates.listed_distance import listed_distance
from dovetail.contact.ipc.candidates.records import (
    FEATURE_I,
    FEATURE_J,
    KIND,
    SWAP,
    BodyPair,
    ListTarget,
    active_candidates,
    active_reference,
    candidates_in,
    reference_in,
    shapes_of,
)
from dovetail.contact.ipc.candidates.relative_motion import ROUNDING, approach_since, are_bounded
from dovetail.contact.ipc.candidates.separation import separation
from dovetail.contact.ipc.candidates.tree_descent import (
    combination,
    combinations,
    feature_at,
    next_leaves,
)
from dovetail.contact.ipc.feature_pair import (
    features_at,
    place_candidate,
    place_vertex,
    squared_distance,
)
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.records import (
    EDGE_EDGE,
    POINT_FACE,
    POINT_PLANE,
    SOLID_EDGE,
    SOLID_PLANE,
    VERTICES,
)
from dovetail.linalg.vec3 import (
    ZERO,
    load3,
    load33,
    mat_t_vec,
    matmul,
    neg,
    norm,
    sub,
    transpose,
)
from dovetail.runtime.jit import apart, jit_in_place

SLACK = 2.0  # of dhat, at least
GENEROUS = 0.05  # of the smaller radius, at most
LONGEST = 192  # candidates of a pair: beyond, the slack is made smaller down to the least
MANY = 10_000  # candidates of a pair of bodies with many faces
FEWER = 0.5  # of the least slack: what pairs of many candidates have that move far
FAR = 4.0  # times the slack: the approach of bodies that move far from list to list


@apart
@jit_in_place
def update_body_pairs(bodies, lists, poses, path_length, reach):
    """Find all pairs of bodies that can come within reach along their paths [m].

    Returns whether they fit.
    """
    valid = lists.counters[0].sweeps > 0 and boxes_are_valid(
        poses, bodies.geometry.core_radius, lists.sweep, path_length, reach
    )
    return valid or sweep_bodies(bodies, lists, poses, path_length, reach)


@jit_in_place
def update_lists(bodies, lists, workspace, poses, reach, dhat):
    """Make lists complete within reach at the poses, of pairs that meet along their paths.

    Vertex offsets are those of the pose counters.pose. Returns whether the candidates fit.
    """
    if not update_body_pairs(bodies, lists, poses, workspace.path_length, reach):
        return False
    if _are_complete(
        active_candidates(lists), active_reference(lists), poses, shapes_of(bodies), reach,
        lists.state.approach, workspace.islands.state,
    ):  # fmt: skip
        return True
    return _refresh(bodies, lists, workspace, poses, reach, SLACK * dhat)


@jit_in_place
def _are_complete(candidates, reference, poses, shapes, reach, approach, state):
    """Set how much closer every pair has come; whether all lists are complete within reach.

    Pairs of two settled bodies (`state`) are not looked at: their lists stay as they are.
    """
    complete, pairs, radius = True, candidates.pairs, shapes.core_radius
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        if state[a] == SETTLED and state[b] == SETTLED:
            approach[p] = 0.0
            continue
        approach[p] = math.inf
        if reference.reach[p] >= reach:
            D = sub(load3(poses.x, b), load3(poses.x, a))
            left = reference.reach[p] - reach
            approach[p] = approach_since(
                reference, p, D, load33(poses.R, a), load33(poses.R, b), radius[a], radius[b],
                are_bounded(shapes.is_half_space, a, b), 0.5 * left,
            )  # fmt: skip
        complete = complete and reference.reach[p] - approach[p] >= reach
    return complete


@jit_in_place
def _refresh(bodies, lists, workspace, poses, reach, least):
    """Copy the lists that are still complete and make the others; returns whether they fit."""
    counters = lists.counters[0]
    active, spare = counters.active_buffer, 1 - counters.active_buffer
    new = candidates_in(lists, spare)
    top = _refresh_pairs(
        candidates_in(lists, active), reference_in(lists, active), new, reference_in(lists, spare),
        lists.state, shapes_of(bodies), features_at(bodies, lists, workspace, poses.R),
        lists.descent, poses.x, reach, least,
    )  # fmt: skip
    if top > new.rows.shape[0]:
        counters.candidates_needed = 2 * top
        return False
    counters.active_buffer = spare
    counters.refreshes += 1
    return True


@jit_in_place
def _refresh_pairs(
    old, old_reference, new, new_reference, state, shapes, features, descent, x, reach, least
):  # fmt: skip
    """Write all lists of `new`; returns where the last ends, or the first that does not fit."""
    radius, R, approach = shapes.radius, features.R, state.approach
    target = ListTarget(new.rows, new_reference.distance)
    top, capacity = 0, new.rows.shape[0]
    for p in range(old.n_pairs):
        a, b = old.pairs[p, 0], old.pairs[p, 1]
        new.pairs[p, 0], new.pairs[p, 1] = a, b
        new.start[p] = top
        if old_reference.reach[p] - approach[p] >= reach:
            top = copy_list(old, old_reference, p, new, new_reference, p, top)
        else:
            pair = BodyPair(a, b, sub(load3(x, b), load3(x, a)))
            for r in range(3):
                new_reference.displacement[p, r] = pair.D[r]
                for c in range(3):
                    new_reference.rotations[p, 0, r, c] = R[a, r, c]
                    new_reference.rotations[p, 1, r, c] = R[b, r, c]
            slack = _first_slack(old, old_reference, p, radius[a], radius[b], least)
            begin, enough = top, least
            if both_by_faces(shapes, a, b) and old.start[p + 1] - old.start[p] > MANY:
                slack = _slack_of_many(old_reference.slack[p], approach[p], slack, least)
                enough = min(slack, least)
            apart = _separation(shapes, R, pair)
            if apart > reach + slack:
                slack = apart - reach
            else:
                top, slack = _list_within(
                    shapes, features, descent, target, pair, reach, slack, enough, begin
                )
            new_reference.reach[p], new_reference.slack[p] = reach + slack, slack
            state.stale[p] = 0
            approach[p] = ROUNDING * (norm(pair.D) + radius[a] + radius[b])
        if top > capacity:
            return top
    new.start[old.n_pairs] = top
    return top


@jit_in_place
def _list_within(shapes, features, descent, target, pair, reach, slack, least, begin):
    """List a pair with as much of `slack` [m] as makes no long list; (its end, the slack)."""
    while True:
        most = LONGEST if slack > least else target.rows.shape[0]
        top = _list_pair(shapes, features, descent, target, pair, reach + slack, begin, most)
        if not (top - begin > LONGEST and slack > least):
            return top, slack
        slack = max(0.4 * slack, least)


@jit_in_place
def _separation(shapes, R, pair):
    """[m] a lower bound of the distance of two bodies: a list that is not longer has no candidate.

    It may reach as far as that, so that lists of pairs that are far apart last.
    """
    if shapes.is_half_space[pair.a] != 0 or shapes.is_half_space[pair.b] != 0:
        return -math.inf
    return separation(shapes, R, pair, (ZERO, ZERO, ZERO), 0.0, math.inf)


@jit_in_place
def _first_slack(old, reference, p, r_a, r_b, least):
    """[m] the slack to try first: that of the list before, twice that where the list was short."""
    size = max(r_a, r_b)
    if r_a > 0.0 and r_b > 0.0:
        size = min(r_a, r_b)
    slack = GENEROUS * size
    if reference.slack[p] > 0.0:
        short = 3 * (old.start[p + 1] - old.start[p]) < LONGEST
        slack = min(slack, (2.0 if short else 1.0) * reference.slack[p])
    return max(slack, least)


@jit_in_place
def _slack_of_many(before, approach, slack, least):
    """[m] the slack of a list of many candidates.

    It is made smaller where they move far beyond it, so that it serves the iterations of one step
    only, and larger again where they do not.
    """
    if not before > 0.0 or before > least:
        return slack
    if approach > FAR * before:
        return max(0.5 * before, FEWER * least)
    return min(2.0 * before, least)


@jit_in_place
def _list_pair(shapes, features, descent, target, pair, reach, top, most):
    """All candidates of two bodies within reach; returns where they end in target.rows.

    Gives up as soon as there are more than `most`.
    """
    radius, is_half_space = shapes.radius, shapes.is_half_space
    a, b = pair.a, pair.b
    if is_half_space[a] != 0 or is_half_space[b] != 0:
        swap = 0 if is_half_space[b] != 0 else 1
        body, first = a if swap == 0 else b, shapes.features.first
        solids = shapes.features.solids
        if solids.shape[0] > 0 and solids[body, 0] > 0.0:
            return _list_solid(features, target, pair, swap, reach, top)
        begin, end = first[body, VERTICES], first[body + 1, VERTICES]
        return _list_over_plane(features, target, pair, swap, radius[body], reach, begin, end, top)
    margin = reach * 1.0000001 + ROUNDING * (radius[a] + radius[b] + norm(pair.D))
    if both_by_faces(shapes, a, b):
        return list_by_faces(
            shapes, features, descent, target, pair, reach, margin, top, top + most
        )
    return _list_between(
        shapes, features, descent, target, pair, reach, margin, top, top + most
    )  # fmt: skip


@jit_in_place
def _write(target, at, kind, swap, i, j, distance):
    rows = target.rows
    if at < rows.shape[0]:
        rows[at, KIND] = kind
        rows[at, SWAP] = swap
        rows[at, FEATURE_I] = i
        rows[at, FEATURE_J] = j
        target.distance[at] = distance


@jit_in_place
def _list_over_plane(features, target, pair, swap, radius, reach, begin, end, top):
    """Vertices begin..end of a body within reach of a half-space."""
    ground = pair.b if swap == 0 else pair.a
    origin, normal = pair.D if swap == 0 else neg(pair.D), load3(features.plane_normal, ground)
    if over_plane(ZERO, origin, normal)[0] > reach + radius * 1.000001:
        return top
    vertex_radius = features.vertex_radius
    for v in range(begin, end):
        place_vertex(v, features)
        height = over_plane(load3(features.r_world, v), origin, normal)[0]
        if vertex_radius.shape[0] > 0:
            height -= vertex_radius[v]
        if height <= reach * 1.0000001:
            _write(target, top, POINT_PLANE, swap, v, ground, height)
            top += 1
    return top


@jit_in_place
def _list_solid(features, target, pair, swap, reach, top):
    """A solid of revolution within reach of a half-space."""
    body, ground = (pair.a, pair.b) if swap == 0 else (pair.b, pair.a)
    D = pair.D if swap == 0 else neg(pair.D)
    squared = squared_distance(SOLID_PLANE, body, ground, D, features)
    distance = math.sqrt(squared) if squared > 0.0 else -1.0
    if distance <= reach * 1.0000001:
        _write(target, top, SOLID_PLANE, swap, body, ground, distance)
        top += 1
    return top


@jit_in_place
def _list_between(shapes, features, descent, target, pair, reach, margin, top, most):
    """All candidates of two bodies with surfaces, by a walk down their trees within `margin`."""
    trees, patches = shapes.trees, shapes.patches
    a, b, D = pair.a, pair.b, pair.D
    R_a, R_b, back = load33(features.R, a), load33(features.R, b), neg(D)
    Q, t = matmul(transpose(R_a), R_b), mat_t_vec(R_a, D)
    limit = reach * reach * 1.000001
    for number in range(combinations(shapes.features)):
        kind, swap, of_a, of_b = combination(number)
        root_a, root_b = trees.root[a, of_a], trees.root[b, of_b]
        if root_a < 0 or root_b < 0:
            continue
        descent.stack[0, 0] = descent.stack[0, 1] = 0
        depth, begin = 1, top
        while depth > 0 and top <= most:
            depth, count = next_leaves(trees, root_a, root_b, Q, t, margin, descent, depth)
            for k in range(count):
                i = feature_at(shapes.features, a, of_a, descent.leaves[k, 0])
                j = feature_at(shapes.features, b, of_b, descent.leaves[k, 1])
                if swap == 1:
                    i, j = j, i
                place_candidate(kind, i, j, features)
                d = listed_distance(kind, i, j, D if swap == 0 else back, features)
                if d <= limit:
                    _write(target, top, kind, swap, i, j, math.sqrt(d) if d > 0.0 else -1.0)
                    top += 1
        divided = 0
        if kind == POINT_FACE:
            divided = patches.divided[b if swap == 0 else a] & 1
        elif kind == EDGE_EDGE:
            divided = (patches.divided[a] | patches.divided[b]) & 2
        elif kind == SOLID_EDGE:
            divided = patches.divided[b if swap == 0 else a] & 2
        if divided != 0 and top <= target.rows.shape[0]:
            group_by_patch(target.rows, target.distance, begin, top, patches)
    return top
