"""Which bodies can meet: a sweep over boxes that hold them while they move a little.

A body stays in its box as long as it has moved by less than the margin of the box: a point moves
by at most |x - x_made| + |R - R_made| r (see `candidates.relative_motion.chord`).
"""

import math

import numpy as np

from dovetail.collision.broad_phase.sweep_and_prune import sweep_pairs
from dovetail.contact.ipc.candidates.relative_motion import ROUNDING, chord
from dovetail.contact.ipc.records import AXIS, N_PAIRS, STOOD, SWEEPS, WANTS_PAIRS, WHICH
from dovetail.linalg.vec3 import load3, load33, matvec, norm, store3, store33, sub
from dovetail.runtime.jit import jit, jit_in_place

SLACK = 0.1  # of a body's radius, which it may move before the next sweep


@jit_in_place
def boxes_hold(x, R, radius, swept_x, swept_turn, swept_margin, path, reach):
    """Whether all bodies, grown by reach / 2 and along their paths, are still in their boxes."""
    for i in range(x.shape[0]):
        shift = norm(sub(load3(x, i), load3(swept_x, i)))
        moved = shift + chord(load33(R, i), load33(swept_turn, i)) * radius[i]
        if not moved + path[i] + 0.5 * reach <= swept_margin[i]:
            return False
    return True


@jit_in_place
def _box(x, R, middle, half, margin, i, boxes):
    """Box of body i, grown by the margin."""
    A = load33(R, i)
    c = matvec(A, load3(middle, i))
    for k in range(3):
        h = abs(A[k][0]) * half[i, 0] + abs(A[k][1]) * half[i, 1] + abs(A[k][2]) * half[i, 2]
        centre = c[k] + x[i, k]
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
def may_touch(acts, group, joined, i, j):
    """One of two bodies moves by forces, they are not of one group and no joint connects them."""
    if (acts[i] == 0 and acts[j] == 0) or (group[i] >= 0 and group[i] == group[j]):
        return False
    key = np.int64(min(i, j)) * group.shape[0] + max(i, j)
    low, high = 0, joined.shape[0]
    while low < high:
        middle = (low + high) // 2
        if joined[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low == joined.shape[0] or joined[low] != key


@jit_in_place
def _that_may_touch(acts, slot, asleep, group, joined, found, count):
    """Keep the pairs that may touch and of which one can move and is awake; returns how many."""
    kept = 0
    for k in range(count):
        i, j = found[k, 0], found[k, 1]
        moves = (slot[i] >= 0 and asleep[i] == 0) or (slot[j] >= 0 and asleep[j] == 0)
        if moves and may_touch(acts, group, joined, i, j):
            found[kept, 0], found[kept, 1] = i, j
            kept += 1
    return kept


@jit_in_place
def _sorted_into(found, count, column, counts, pairs, which):
    """Stable counting sort of pairs by one of their bodies, into pairs[which]."""
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
        pairs[which, at, 0] = found[k, 0]
        pairs[which, at, 1] = found[k, 1]


@jit
def sweep(bodies, lists, x, R, path, reach):
    """Find all pairs of bodies anew; lists of pairs that stay are kept. False: no room."""
    numbers, pairs, found = lists.numbers, lists.pairs, lists.found
    boxes, order, margin = lists.boxes, lists.order, lists.swept_margin
    radius, middle, half, plane = bodies.radius, bodies.middle, bodies.half, bodies.plane
    n = x.shape[0]
    spread = 0.0
    for k in range(3):
        mean, squares = 0.0, 0.0
        for i in range(n):
            mean += x[i, k]
        mean /= max(n, 1)
        for i in range(n):
            squares += (x[i, k] - mean) ** 2
        if squares > spread:
            spread = squares
            numbers[AXIS] = k
    for i in range(n):
        margin[i] = 0.5 * reach + 1.5 * path[i] + SLACK * radius[i]
        _box(x, R, middle, half, margin[i], i, boxes)
        if plane[i] != 0:
            for k in range(3):
                boxes[i, k], boxes[i, 3 + k] = -math.inf, math.inf
        store3(lists.swept_x, i, load3(x, i))
        store33(lists.swept_turn, i, load33(R, i))
    _sort(order, boxes, numbers[AXIS])
    count = sweep_pairs(boxes, order, numbers[AXIS], found)
    if count > found.shape[0]:
        numbers[WANTS_PAIRS] = count
        return False
    count = _that_may_touch(
        bodies.acts, bodies.slot, lists.asleep, bodies.group, bodies.joined, found, count
    )
    which = 1 - numbers[WHICH]
    _sorted_into(found, count, 1, lists.counts, pairs, which)
    for k in range(count):
        found[k, 0], found[k, 1] = pairs[which, k, 0], pairs[which, k, 1]
    _sorted_into(found, count, 0, lists.counts, pairs, which)
    _keep(lists, count)
    numbers[SWEEPS] += 1
    numbers[STOOD] = -1
    return True


@jit
def _keep(lists, count):
    """Carry the candidates of pairs that were there before over to the new pairs."""
    numbers, pairs, start, pool = lists.numbers, lists.pairs, lists.start, lists.pool
    made_reach, made_x, made_turn = lists.made_reach, lists.made_x, lists.made_turn
    apart, slack = lists.apart, lists.slack
    old, new = numbers[WHICH], 1 - numbers[WHICH]
    q, n_old = 0, numbers[N_PAIRS]
    top = 0
    for p in range(count):
        a, b = pairs[new, p, 0], pairs[new, p, 1]
        while q < n_old and (
            pairs[old, q, 0] < a or (pairs[old, q, 0] == a and pairs[old, q, 1] < b)
        ):
            q += 1
        start[new, p] = top
        lists.in_vain[p] = 0
        made_reach[new, p], slack[new, p] = -1.0, 0.0
        if q < n_old and pairs[old, q, 0] == a and pairs[old, q, 1] == b:
            made_reach[new, p], slack[new, p] = made_reach[old, q], slack[old, q]
            store3(made_x[new], p, load3(made_x[old], q))
            for k in range(2):
                store33(made_turn[new, p], k, load33(made_turn[old, q], k))
            for c in range(start[old, q], start[old, q + 1]):
                apart[new, top] = apart[old, c]
                for k in range(4):
                    pool[new, top, k] = pool[old, c, k]
                top += 1
    start[new, count] = top
    numbers[N_PAIRS] = count
    numbers[WHICH] = new
