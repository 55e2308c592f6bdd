"""Broad phase: which bodies can meet, by a sweep over boxes with a margin.

A body stays in its box as long as it has moved by less than the margin of the box: a point moves
by at most |x - x_swept| + |R - R_swept| r (see `candidates.relative_motion.chord`).
"""

import math

import numpy as np

from dovetail.collision.broad_phase.sweep_and_prune import sweep_pairs
from dovetail.contact.ipc.barrier.stiffness import set_pair
from dovetail.contact.ipc.candidates.records import candidates_in, reference_in
from dovetail.contact.ipc.candidates.relative_motion import ROUNDING, chord
from dovetail.linalg.vec3 import load3, load33, matvec, norm, store3, store33, sub
from dovetail.runtime.jit import jit_in_place

SLACK = 0.1  # of a body's radius, which it may move before the next sweep


@jit_in_place
def boxes_are_valid(poses, radius, sweep, path_length, reach):
    """Whether all bodies, grown by reach / 2 and along their paths, are still in their boxes.

    `radius` [m] is that of their cores.
    """
    for i in range(radius.shape[0]):
        shift = norm(sub(load3(poses.x, i), load3(sweep.x, i)))
        moved = shift + chord(load33(poses.R, i), load33(sweep.R, i)) * radius[i]
        if not moved + path_length[i] + 0.5 * reach <= sweep.margin[i]:
            return False
    return True


@jit_in_place
def _set_box(poses, box_centre, box_half, rounding, margin, i, boxes):
    """Box of body i, grown by the margin."""
    A = load33(poses.R, i)
    c = matvec(A, load3(box_centre, i))
    for k in range(3):
        h = (
            abs(A[k][0]) * (box_half[i, 0] - rounding)
            + abs(A[k][1]) * (box_half[i, 1] - rounding)
            + abs(A[k][2]) * (box_half[i, 2] - rounding)
        )
        centre = c[k] + poses.x[i, k]
        h += rounding
        h += margin + ROUNDING * (abs(centre) + h)
        boxes[i, k] = centre - h
        boxes[i, 3 + k] = centre + h


@jit_in_place
def _sort(order, boxes, axis):
    """By the lower ends on `axis`, then by number; quick where little has changed."""
    for s in range(1, order.shape[0]):
        i = order[s]
        r = s
        while r > 0 and (
            boxes[order[r - 1], axis] > boxes[i, axis]
            or (boxes[order[r - 1], axis] == boxes[i, axis] and order[r - 1] > i)
        ):
            order[r] = order[r - 1]
            r -= 1
        order[r] = i


@jit_in_place
def may_touch(dynamic, group, connected, i, j):
    """One of two bodies is dynamic, they are not of one group and no joint connects them."""
    if (dynamic[i] == 0 and dynamic[j] == 0) or (group[i] >= 0 and group[i] == group[j]):
        return False
    key = np.int64(min(i, j)) * group.shape[0] + max(i, j)
    low, high = 0, connected.shape[0]
    while low < high:
        middle = (low + high) // 2
        if connected[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low == connected.shape[0] or connected[low] != key


@jit_in_place
def _filter(bodies, asleep, found, count):
    """Keep the pairs that may touch and of which one can move and is awake; returns how many."""
    slot, dynamic, group, connected = bodies.slot, bodies.dynamic, bodies.group, bodies.connected
    kept = 0
    for k in range(count):
        i, j = found[k, 0], found[k, 1]
        moves = (slot[i] >= 0 and asleep[i] == 0) or (slot[j] >= 0 and asleep[j] == 0)
        if moves and may_touch(dynamic, group, connected, i, j):
            found[kept, 0], found[kept, 1] = i, j
            kept += 1
    return kept


@jit_in_place
def _sort_into(found, count, column, counts, pairs):
    """Stable counting sort of pairs by one of their bodies, into `pairs`."""
    n = counts.shape[0] - 1
    for i in range(n + 1):
        counts[i] = 0
    for k in range(count):
        counts[found[k, column] + 1] += 1
    for i in range(n):
        counts[i + 1] += counts[i]
    for k in range(count):
        at = counts[found[k, column]]
        counts[found[k, column]] = at + 1
        pairs[at, 0] = found[k, 0]
        pairs[at, 1] = found[k, 1]


@jit_in_place
def _widest_axis(x, axis):
    """The axis along which the bodies are spread most; `axis` where they are not."""
    n, widest = x.shape[0], 0.0
    for k in range(3):
        mean, squares = 0.0, 0.0
        for i in range(n):
            mean += x[i, k]
        mean /= max(n, 1)
        for i in range(n):
            squares += (x[i, k] - mean) ** 2
        if squares > widest:
            widest = squares
            axis = k
    return axis


@jit_in_place
def sweep_bodies(bodies, lists, poses, path_length, reach):
    """Find all pairs of bodies; lists of pairs that stay are kept. False: they do not fit."""
    counters, sweep, geometry = lists.counters[0], lists.sweep, bodies.geometry
    found, boxes, margin, swept_x, swept_R = (
        sweep.found,
        sweep.boxes,
        sweep.margin,
        sweep.x,
        sweep.R,
    )
    radius, is_half_space = geometry.radius, geometry.half_spaces.is_half_space
    box_centre, box_half, rounding = geometry.box_centre, geometry.box_half, geometry.rounding
    x, R = poses.x, poses.R
    axis = _widest_axis(x, counters.sweep_axis)
    counters.sweep_axis = axis
    for i in range(radius.shape[0]):
        margin[i] = 0.5 * reach + 1.5 * path_length[i] + SLACK * radius[i]
        _set_box(poses, box_centre, box_half, rounding[i], margin[i], i, boxes)
        if is_half_space[i] != 0:
            for k in range(3):
                boxes[i, k], boxes[i, 3 + k] = -math.inf, math.inf
        store3(swept_x, i, load3(x, i))
        store33(swept_R, i, load33(R, i))
    _sort(sweep.order, boxes, axis)
    count = sweep_pairs(boxes, sweep.order, axis, found)
    if count > found.shape[0]:
        counters.pairs_needed = count
        return False
    count = _filter(bodies, lists.asleep, found, count)
    pairs = lists.pairs[1 - counters.active_buffer]
    _sort_into(found, count, 1, sweep.counts, pairs)
    for k in range(count):
        found[k, 0], found[k, 1] = pairs[k, 0], pairs[k, 1]
    _sort_into(found, count, 0, sweep.counts, pairs)
    active, spare = counters.active_buffer, 1 - counters.active_buffer
    _keep_lists(
        candidates_in(lists, active), reference_in(lists, active), candidates_in(lists, spare),
        reference_in(lists, spare), lists.state.stale, count,
    )  # fmt: skip
    _keep_barriers(lists, lists.pairs[active], counters.n_pairs, lists.pairs[spare], count)
    counters.n_pairs = count
    counters.active_buffer = spare
    counters.sweeps += 1
    counters.measured_pose = -1
    return True


@jit_in_place
def _keep_lists(old, old_reference, new, new_reference, stale, count):
    """Copy the lists of pairs that were there before to the `count` new pairs."""
    q, top = 0, 0
    for p in range(count):
        a, b = new.pairs[p, 0], new.pairs[p, 1]
        while q < old.n_pairs and (
            old.pairs[q, 0] < a or (old.pairs[q, 0] == a and old.pairs[q, 1] < b)
        ):
            q += 1
        new.start[p] = top
        stale[p] = 0
        new_reference.reach[p], new_reference.slack[p] = -1.0, 0.0
        if q < old.n_pairs and old.pairs[q, 0] == a and old.pairs[q, 1] == b:
            top = copy_list(old, old_reference, q, new, new_reference, p, top)
    new.start[count] = top


@jit_in_place
def _keep_barriers(lists, old, n_old, new, count):
    """Barriers of the pairs `old` for the `count` pairs `new`; those of others are set."""
    barriers, q = lists.barriers, 0
    dhat, stiffness, start_gap = barriers.dhat, barriers.stiffness, barriers.start_gap
    before = barriers.before
    for p in range(n_old):
        before[p, 0], before[p, 1], before[p, 2] = dhat[p], stiffness[p], start_gap[p]
    for p in range(count):
        a, b = new[p, 0], new[p, 1]
        while q < n_old and (old[q, 0] < a or (old[q, 0] == a and old[q, 1] < b)):
            q += 1
        if q < n_old and old[q, 0] == a and old[q, 1] == b:
            dhat[p], stiffness[p], start_gap[p] = before[q, 0], before[q, 1], before[q, 2]
        else:
            set_pair(lists, p, a, b)


@jit_in_place
def copy_list(old, old_reference, q, new, new_reference, p, top):
    """Copy list q to list p, which begins at `top`; returns where it ends.

    That may be beyond the candidates there is memory for.
    """
    new_reference.reach[p], new_reference.slack[p] = old_reference.reach[q], old_reference.slack[q]
    for r in range(3):
        new_reference.displacement[p, r] = old_reference.displacement[q, r]
        for c in range(3):
            for k in range(2):
                new_reference.rotations[p, k, r, c] = old_reference.rotations[q, k, r, c]
    begin, length = old.start[q], old.start[q + 1] - old.start[q]
    for c in range(min(length, new.rows.shape[0] - top)):
        new_reference.distance[top + c] = old_reference.distance[begin + c]
        for k in range(4):
            new.rows[top + c, k] = old.rows[begin + c, k]
    return top + length
