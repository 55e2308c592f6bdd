"""dhat that follows clearances: bodies that would pass each other are not held by a barrier.

Where two bodies that do not touch come within dhat of each other on the way they would take without
contact, but do not meet on it, the barrier could stop what has room enough: a peg stands on the rim
of a hole that is wider than the peg, but not by dhat on each side. So dhat of such a pair is a part
of the least distance on that way. The way is that of the step, or longer: as long as LOOK_AHEAD
dhat, so that a floor is seen in time, however small the step is. Bodies that meet on it only after
they have passed within dhat for LOOK_AHEAD dhat, as a brick meets the plate below the studs that
it slides over, have room until there.

Bodies that begin a run within dhat of each other and pass are treated alike, before the barriers of
the others are balanced with the loads (`barrier.balanced_start`): a peg that begins just above its
hole is not held there.

Bodies that pass each other within less than LEAST of dhat, 1e-12 of their size, cannot be
distinguished from bodies that meet: they are reported to the caller.
"""

import math

import numpy as np

from dovetail.contact.ipc.barrier.stiffness import meeting_stiffness
from dovetail.contact.ipc.candidates.lists import update_body_pairs
from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.candidates.relative_motion import are_bounded, relative_path
from dovetail.contact.ipc.line_search.step_size import pair_step_size
from dovetail.linalg.vec3 import load3, load33, matvec, norm, sub
from dovetail.runtime.jit import jit_in_place

LOOK_AHEAD = 3.0  # dhat
LARGEST_ANGLE = 0.3  # [rad] by which bodies turn beyond the step
PART = 1.0 / 3.0  # of the least distance
FIRST = 2  # halvings of dhat that are tried before it is known whether bodies meet
HALVINGS = 30  # of dhat, down to the least clearance that is looked for
LEAST = 2.0 ** (1 - HALVINGS)  # of dhat: that clearance
TOGETHER = 1e-6  # of their ways: what bodies that fall together move relative to each other
CLOSER = 1e-9  # of a gap: what comes closer by less does not
NONE = -1


@jit_in_place
def list_pairs_ahead(bodies, lists, workspace, motion, poses, barrier, h):
    """Find the pairs of bodies that `follow_clearances` looks at, whatever was listed before.

    Bodies move by up to their paths in the step, or by twice LOOK_AHEAD dhat relative to each other
    (`_time_ahead`). Returns whether they fit.
    """
    path_length, radius = workspace.path_length, bodies.geometry.radius
    for i in range(path_length.shape[0]):
        path_length[i] = 0.0
        if bodies.slot[i] >= 0:
            fall = norm(_acceleration(bodies, motion, i))
            speed = norm(load3(motion.v, i)) + radius[i] * norm(load3(motion.omega, i))
            path_length[i] = h * (speed + h * fall)
    reach = barrier.dmin + (1.0 + 2.0 * LOOK_AHEAD) * barrier.dhat
    return update_body_pairs(bodies, lists, poses, path_length, reach)


@jit_in_place
def follow_clearances(bodies, lists, workspace, motion, barrier, h):
    """Set dhat and stiffness of pairs that do not act and pass each other within dhat.

    Needs the distances of the pose, and leaves workspace.twist zero. Returns a n + b of the first
    bodies a, b of n whose clearance is too small to be found, or NONE.
    """
    unresolved = NONE
    barriers, scales, twist = lists.barriers, lists.scales, workspace.twist
    dhat, start_gap = barriers.dhat, barriers.start_gap
    is_half_space = bodies.geometry.half_spaces.is_half_space
    candidates, radius = active_candidates(lists), bodies.geometry.radius
    core_radius = bodies.geometry.core_radius
    pairs, dmin = candidates.pairs, barrier.dmin
    for i in range(twist.shape[0]):
        for k in range(6):
            twist[i, k] = 0.0
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        if start_gap[p] < dhat[p]:
            continue
        time = _time_ahead(bodies, motion, a, b, h, LOOK_AHEAD * barrier.dhat)
        _set_twist(bodies, motion, a, time, h, twist)
        _set_twist(bodies, motion, b, time, h, twist)
        D = sub(load3(motion.x, b), load3(motion.x, a))
        bounded = are_bounded(is_half_space, a, b)
        path = relative_path(D, twist, a, b, core_radius[a], core_radius[b], bounded)
        apart = norm(D) - radius[a] - radius[b]  # not what lists know: that depends on their age
        if not bounded or apart - path < dmin + dhat[p]:
            least = _clearance(bodies, lists, workspace, motion, p, dmin, dhat[p], path)
            if least < 0.0 and unresolved == NONE:
                unresolved = np.int64(a) * twist.shape[0] + b
            least = abs(least)
            if least < dhat[p]:
                dhat[p] = PART * least
                barriers.stiffness[p] = meeting_stiffness(scales, a, b, dhat[p])
        for k in range(6):
            twist[a, k] = twist[b, k] = 0.0
    return unresolved


@jit_in_place
def release_passing(bodies, lists, workspace, motion, barrier, h):
    """Set dhat of pairs that begin within it, come closer and pass each other: they do not act.

    `start_gap` of pairs that begin is negative, of those that pass positive after it. Needs and
    leaves what `follow_clearances` does.
    """
    barriers, twist = lists.barriers, workspace.twist
    dhat, start_gap = barriers.dhat, barriers.start_gap
    candidates, core_radius = active_candidates(lists), bodies.geometry.core_radius
    is_half_space = bodies.geometry.half_spaces.is_half_space
    pairs, dmin = candidates.pairs, barrier.dmin
    for i in range(twist.shape[0]):
        for k in range(6):
            twist[i, k] = 0.0
    for p in range(candidates.n_pairs):
        if not start_gap[p] < 0.0:
            continue
        a, b, gap = pairs[p, 0], pairs[p, 1], -start_gap[p]
        time = _time_ahead(bodies, motion, a, b, h, LOOK_AHEAD * barrier.dhat)
        _set_twist(bodies, motion, a, time, h, twist)
        _set_twist(bodies, motion, b, time, h, twist)
        closest = dmin + (1.0 - CLOSER) * gap
        D = sub(load3(motion.x, b), load3(motion.x, a))
        bounded = are_bounded(is_half_space, a, b)
        path = relative_path(D, twist, a, b, core_radius[a], core_radius[b], bounded)
        apart = path > TOGETHER * (norm(load3(twist, a)) + norm(load3(twist, b)))
        if apart and pair_step_size(bodies, lists, workspace, motion, p, closest) < 1.0:
            least = abs(_clearance(bodies, lists, workspace, motion, p, dmin, barrier.dhat, path))
            if least < barrier.dhat:
                dhat[p], start_gap[p] = PART * min(least, gap), gap
                barriers.stiffness[p] = meeting_stiffness(lists.scales, a, b, dhat[p])
        for k in range(6):
            twist[a, k] = twist[b, k] = 0.0


@jit_in_place
def _clearance(bodies, lists, workspace, motion, p, dmin, dhat, path):
    """[m] a lower bound of the least gap of pair p along the twists; dhat where they meet.

    `path` [m] is how far they move. Of those that meet, the gap until LOOK_AHEAD dhat after they
    came within dhat, if they do not meet before. Negative where it is less than was looked for.
    """
    least = dhat
    for _ in range(FIRST):  # which most pairs that pass keep, so do not meet
        if pair_step_size(bodies, lists, workspace, motion, p, dmin + least) >= 1.0:
            return least
        least *= 0.5
    meet = pair_step_size(bodies, lists, workspace, motion, p, dmin)
    if meet < 1.0:
        ahead, pairs = LOOK_AHEAD * dhat, active_candidates(lists).pairs
        a, b = pairs[p, 0], pairs[p, 1]
        is_half_space = bodies.geometry.half_spaces.is_half_space
        if meet * path <= ahead or is_half_space[a] != 0 or is_half_space[b] != 0:
            return dhat
        near = pair_step_size(bodies, lists, workspace, motion, p, dmin + dhat)
        if (meet - near) * path <= ahead:
            return dhat
        for k in range(6):
            workspace.twist[a, k] *= near + ahead / path
            workspace.twist[b, k] *= near + ahead / path
        least = dhat
    for _ in range(FIRST if meet >= 1.0 else 0, HALVINGS):
        if pair_step_size(bodies, lists, workspace, motion, p, dmin + least) >= 1.0:
            return least
        least *= 0.5
    return -least


@jit_in_place
def _acceleration(bodies, motion, i):
    """[m/s^2] of body i by its loads."""
    if bodies.dynamic[i] == 0:
        return (0.0, 0.0, 0.0)
    free, force, mass = bodies.free, motion.force, bodies.mass[i]
    return (
        free[i, 0] * force[i, 0] / mass,
        free[i, 1] * force[i, 1] / mass,
        free[i, 2] * force[i, 2] / mass,
    )


@jit_in_place
def _time_ahead(bodies, motion, a, b, h, distance):
    """[s] in which the bodies move by `distance` [m] relative to each other, at least h."""
    radius, v, omega = bodies.geometry.radius, motion.v, motion.omega
    spin_a, spin_b = norm(load3(omega, a)), norm(load3(omega, b))
    speed = norm(sub(load3(v, a), load3(v, b))) + radius[a] * spin_a + radius[b] * spin_b
    fall = norm(sub(_acceleration(bodies, motion, a), _acceleration(bodies, motion, b)))
    if speed * h + 0.5 * fall * h * h >= distance or not speed * speed + fall > 0.0:
        return h
    time = 2.0 * distance / (speed + math.sqrt(speed * speed + 2.0 * fall * distance))
    spin = max(spin_a, spin_b)
    if spin * time > LARGEST_ANGLE:
        time = LARGEST_ANGLE / spin
    return max(h, time)


@jit_in_place
def _set_twist(bodies, motion, i, time, h, twist):
    """The free motion of body i in so long a time [s]."""
    if bodies.slot[i] < 0:
        return
    fall = _acceleration(bodies, motion, i)
    spin = matvec(load33(motion.R, i), load3(motion.omega, i))
    for k in range(3):
        twist[i, k] = time * (motion.v[i, k] + 0.5 * (time + h) * fall[k])
        twist[i, 3 + k] = time * spin[k]
