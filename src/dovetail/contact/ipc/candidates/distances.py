"""Lists, vertex offsets and squared distances of all candidates at one pose.

A step begins at the pose where the previous one ended, its minimisation where the step begins, and
so on: distances of a pose that has been measured already are not measured again.
"""

import math

from dovetail.contact.ipc.barrier.contacts import bodies_of
from dovetail.contact.ipc.candidates.coplanar import has_barrier, keep_nearest
from dovetail.contact.ipc.candidates.listed_distance import listed_distance
from dovetail.contact.ipc.candidates.lists import update_body_pairs, update_lists
from dovetail.contact.ipc.candidates.records import (
    FEATURE_I,
    FEATURE_J,
    KIND,
    SWAP,
    active_candidates,
    active_reference,
)
from dovetail.contact.ipc.candidates.relative_motion import ROUNDING
from dovetail.contact.ipc.feature_pair import (
    begin_pose,
    features_at,
    place_candidate,
    squared_distance,
)
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.poses import copy_poses
from dovetail.contact.ipc.records import RING_FACE
from dovetail.linalg.vec3 import neg, norm
from dovetail.runtime.jit import apart, jit_in_place, jit_within

MAX_WASTED = 8  # candidates of a pair that may be measured at every pose though they are not near
WASTED_PART = 0.125  # of all that is listed, likewise


@apart
@jit_in_place
def update_distances(bodies, lists, workspace, poses, reach, dhat):
    """Lists complete within `reach` [m], vertex offsets and squared distances at the poses.

    workspace.path_length [m] of each body is for the broad phase only (`update_body_pairs`).
    Returns (whether all fitted, least squared distance [m^2] of what can be within reach).
    """
    counters, measured = lists.counters[0], workspace.measured
    values, measured_state = measured.values[0], measured.state
    state, path_length = workspace.islands.state, workspace.path_length
    if (
        counters.measured_pose == counters.pose
        and values.reach == reach
        and _is_measured(measured, poses, bodies.slot, state)
    ):
        if not update_body_pairs(bodies, lists, poses, path_length, reach):
            return False, math.inf
        if counters.measured_pose == counters.pose:  # no new sweep
            return True, values.least
    begin_pose(bodies, lists, workspace, poses.R)
    if not update_lists(bodies, lists, workspace, poses, reach, dhat):
        return False, math.inf
    geometry = bodies.geometry
    least = _measure(
        active_candidates(lists), active_reference(lists), lists.state, geometry.radius, reach,
        poses, features_at(bodies, lists, workspace, poses.R), geometry.patches, state,
        workspace.squared,
    )  # fmt: skip
    copy_poses(poses, measured.poses)
    for i in range(state.shape[0]):
        measured_state[i] = state[i]
    counters.measured_pose = counters.pose
    values.reach, values.least = reach, least
    return True, least


@jit_in_place
def distances_at(bodies, lists, workspace, poses, barrier):
    """As `update_distances` within dmin + dhat, for bodies that stay where they are."""
    path_length = workspace.path_length
    for i in range(path_length.shape[0]):
        path_length[i] = 0.0
    reach = barrier.dmin + barrier.dhat
    return update_distances(bodies, lists, workspace, poses, reach, barrier.dhat)


@jit_in_place
def _is_measured(measured, poses, slot, state):
    """Whether these are the poses, and the settled bodies, that distances were measured for.

    Whether static bodies are settled makes no difference: of two bodies one can move.
    """
    x, R, x_measured, R_measured = poses.x, poses.R, measured.poses.x, measured.poses.R
    for i in range(state.shape[0]):
        if slot[i] >= 0 and state[i] != measured.state[i]:
            return False
        for r in range(3):
            if x[i, r] != x_measured[i, r]:
                return False
            for c in range(3):
                if R[i, r, c] != R_measured[i, r, c]:
                    return False
    return True


@jit_within
def candidate_distance(rows, c, D, features):
    """Squared distance [m^2] of candidate c; D leads from the pair's first body to the second."""
    kind, i, j = rows[c, KIND], rows[c, FEATURE_I], rows[c, FEATURE_J]
    place_candidate(kind, i, j, features)
    return squared_distance(kind, i, j, D if rows[c, SWAP] == 0 else neg(D), features)


@jit_in_place
def _measure(
    candidates, reference, pair_state, radius, reach, poses, features, patches, state, squared
):  # fmt: skip
    """Squared distances [m^2] of what has a barrier and can be within reach; returns the least.

    Pairs of two settled bodies are passed over, as if far apart. Candidates that were farther away
    when listed than their bodies have come closer since get a lower bound. Where many distances
    were measured that were not needed, the list takes the present pose as its reference.
    `nearest` [m] of a pair counts what has no barrier, too.
    """
    least = math.inf
    start, rows, pairs = candidates.start, candidates.rows, candidates.pairs
    approach, nearest, stale = pair_state.approach, pair_state.nearest, pair_state.stale
    distance, listed_reach = reference.distance, reference.reach
    for p in range(candidates.n_pairs):
        a, b, D = bodies_of(pairs, p, 0, poses.x)
        if state[a] == SETTLED and state[b] == SETTLED:
            for c in range(start[p], start[p + 1]):
                squared[c] = math.inf
            nearest[p] = -1.0
            continue
        beyond, far = reach + approach[p], reach + 0.5 * approach[p]
        wasted, close, known = 0, math.inf, listed_reach[p]
        for c in range(start[p], start[p + 1]):
            if distance[c] >= beyond:
                known = min(known, distance[c])
                squared[c] = (distance[c] - approach[p]) ** 2
                continue
            if not has_barrier(rows, c, patches):
                known = min(known, distance[c])
                squared[c] = math.inf
                continue
            squared[c] = candidate_distance(rows, c, D, features)
            close = min(close, squared[c])
            wasted += 1 if squared[c] > far * far else 0
        least = min(least, close)
        old = wasted > max(MAX_WASTED, WASTED_PART * (start[p + 1] - start[p])) or stale[p] != 0
        if old and listed_reach[p] - approach[p] - reach > 0.3 * reference.slack[p]:
            known = math.inf
            for c in range(start[p], start[p + 1]):
                squared[c] = candidate_distance(rows, c, D, features)
                listed = squared[c]
                if rows[c, KIND] == RING_FACE:
                    back = D if rows[c, SWAP] == 0 else neg(D)
                    listed = listed_distance(
                        rows[c, KIND], rows[c, FEATURE_I], rows[c, FEATURE_J], back, features
                    )
                distance[c] = math.sqrt(listed) if listed > 0.0 else -1.0
                known = min(known, distance[c])
                if not has_barrier(rows, c, patches):
                    squared[c] = math.inf
            listed_reach[p] -= approach[p]
            known = min(known, listed_reach[p])
            stale[p] = 0
            approach[p] = ROUNDING * (norm(D) + radius[a] + radius[b])
            for r in range(3):
                reference.displacement[p, r] = D[r]
                for s in range(3):
                    reference.rotations[p, 0, r, s] = poses.R[a, r, s]
                    reference.rotations[p, 1, r, s] = poses.R[b, r, s]
        nearest[p] = min(known - approach[p], math.sqrt(close) if close > 0.0 else -1.0)
        if patches.divided[a] != 0 or patches.divided[b] != 0:
            keep_nearest(rows, start[p], start[p + 1], patches, reach, squared)
    return least
