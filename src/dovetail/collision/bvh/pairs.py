"""Pairs of simplices with overlapping boxes: within one tree, and between two trees at a pose.

The caller owns `pairs`; every kernel returns how many there are, which may be more than fit:
then grow the buffer and call again, unless there are MAX_PAIRS, where it stops. The order of the
pairs depends on the trees only.
One descent serves all that compare two trees: it returns leaves in batches and goes on from its
stack. It counts no references (`jit_in_place`), which would make it two to three times slower.
"""

import numpy as np

from dovetail.linalg.vec3 import IDENTITY, ZERO
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

STACK = 512  # two trees of depth 48 + 31 each, see `bvh.build`
BATCH = 64  # leaves of a descent at a time
MAX_PAIRS = 20_000_000  # boxes that all overlap have n^2 / 2, which no memory holds
# The box arithmetic below rounds each bound by at most 8 units of 2^-53 of the sum of the
# magnitudes of its terms; twice that is added to be safe.
ROUNDING = 16.0 * 2.0**-53


@jit_in_place
def box_at_pose(boxes, n, R, t, margin):
    """Middle and half sizes of the box around node n rotated by R and moved by t.

    c' = R c + t, h' = |R| h + margin + rounding, for every axis: contains the rotated box.
    """
    cx = 0.5 * (boxes[n, 0] + boxes[n, 3])
    cy = 0.5 * (boxes[n, 1] + boxes[n, 4])
    cz = 0.5 * (boxes[n, 2] + boxes[n, 5])
    hx = 0.5 * (boxes[n, 3] - boxes[n, 0])
    hy = 0.5 * (boxes[n, 4] - boxes[n, 1])
    hz = 0.5 * (boxes[n, 5] - boxes[n, 2])
    x = R[0][0] * cx + R[0][1] * cy + R[0][2] * cz + t[0]
    y = R[1][0] * cx + R[1][1] * cy + R[1][2] * cz + t[1]
    z = R[2][0] * cx + R[2][1] * cy + R[2][2] * cz + t[2]
    reach = abs(cx) + abs(cy) + abs(cz) + hx + hy + hz
    slack = margin + ROUNDING * (2.0 * reach + abs(t[0]) + abs(t[1]) + abs(t[2]) + margin)
    return (
        (x, y, z),
        (
            abs(R[0][0]) * hx + abs(R[0][1]) * hy + abs(R[0][2]) * hz + slack,
            abs(R[1][0]) * hx + abs(R[1][1]) * hy + abs(R[1][2]) * hz + slack,
            abs(R[2][0]) * hx + abs(R[2][1]) * hy + abs(R[2][2]) * hz + slack,
        ),
    )


@jit_in_place
def boxes_miss(boxes, n, centre, half):
    """Whether box n is apart from the box with that centre and those half sides."""
    return (
        boxes[n, 0] > centre[0] + half[0]
        or boxes[n, 3] < centre[0] - half[0]
        or boxes[n, 1] > centre[1] + half[1]
        or boxes[n, 4] < centre[1] - half[1]
        or boxes[n, 2] > centre[2] + half[2]
        or boxes[n, 5] < centre[2] - half[2]
    )


@jit_in_place
def _extent(boxes, n):
    return max(boxes[n, 3] - boxes[n, 0], max(boxes[n, 4] - boxes[n, 1], boxes[n, 5] - boxes[n, 2]))


@jit_in_place
def split_wider(boxes_a, right_a, a, boxes_b, right_b, b, stack, top):
    """Put the wider of two nodes, not both leaves, on the stack as its two halves; the new top."""
    leaf_a, leaf_b = right_a[a] < 0, right_b[b] < 0
    if leaf_b or (not leaf_a and _extent(boxes_a, a) > _extent(boxes_b, b)):
        stack[top, 0], stack[top, 1] = right_a[a], b
        stack[top + 1, 0], stack[top + 1, 1] = a + 1, b
    else:
        stack[top, 0], stack[top, 1] = a, right_b[b]
        stack[top + 1, 0], stack[top + 1, 1] = a, b + 1
    return top + 2


@jit_in_place
def next_leaves(boxes_a, right_a, boxes_b, right_b, R, t, margin, stack, top, leaves):
    """Go on with the descent of trees a and b, b at R, t in a's frame, from its stack of nodes.

    Fills `leaves` (n, 2) with pairs of simplices whose boxes come within `margin` [m] per axis.
    Returns (top of the stack, 0 at the end, and how many leaves there are).
    """
    count = 0
    while top > 0 and count < leaves.shape[0]:
        top -= 1
        a, b = stack[top, 0], stack[top, 1]
        centre, half = box_at_pose(boxes_b, b, R, t, margin)
        if boxes_miss(boxes_a, a, centre, half):
            continue
        if right_a[a] < 0 and right_b[b] < 0:
            leaves[count, 0] = -1 - right_a[a]
            leaves[count, 1] = -1 - right_b[b]
            count += 1
        else:
            top = split_wider(boxes_a, right_a, a, boxes_b, right_b, b, stack, top)
    return top, count


@jit
def pairs_between(boxes_a, right_a, boxes_b, right_b, R, t, margin, pairs):
    """Simplices of tree a and of tree b, placed at R, t in a's frame, within `margin` [m].

    No pair whose boxes come that close is missed; `margin` is per axis.
    """
    stack, leaves = np.empty((STACK, 2), np.int64), np.empty((BATCH, 2), np.int32)
    stack[0, 0] = stack[0, 1] = 0
    top, count = 1, 0
    while top > 0 and count < MAX_PAIRS:
        top, found = next_leaves(
            boxes_a, right_a, boxes_b, right_b, R, t, margin, stack, top, leaves
        )
        for c in range(found):
            if count < pairs.shape[0]:
                pairs[count, 0], pairs[count, 1] = leaves[c, 0], leaves[c, 1]
            count += 1
    return count


@jit
def _boxes_apart(boxes, a, b, margin):
    for k in range(3):
        if boxes[a, k] > boxes[b, 3 + k] + margin or boxes[b, k] > boxes[a, 3 + k] + margin:
            return True
    return False


@jit
def pairs_within(boxes, right, margin, pairs):
    """Pairs of different simplices of one tree whose boxes come within `margin` [m]."""
    count = 0
    stack = np.empty((STACK, 2), np.int64)
    stack[0, 0] = stack[0, 1] = 0
    top = 1
    while top > 0 and count < MAX_PAIRS:
        top -= 1
        a, b = stack[top, 0], stack[top, 1]
        if a == b:
            if right[a] >= 0:
                left, other = a + 1, right[a]
                stack[top, 0], stack[top, 1] = left, other
                stack[top + 1, 0] = stack[top + 1, 1] = other
                stack[top + 2, 0] = stack[top + 2, 1] = left
                top += 3
            continue
        if _boxes_apart(boxes, a, b, margin):
            continue
        if right[a] < 0 and right[b] < 0:
            if count < pairs.shape[0]:
                pairs[count, 0] = -1 - right[a]
                pairs[count, 1] = -1 - right[b]
            count += 1
        else:
            top = split_wider(boxes, right, a, boxes, right, b, stack, top)
    return count


_boxes, _numbers = read_only(np.empty((0, 6))), read_only(np.empty(0), np.int32)
_pairs = np.empty((0, 2), np.int32)
warm(pairs_between, _boxes, _numbers, _boxes, _numbers, IDENTITY, ZERO, 0.0, _pairs)
warm(pairs_within, _boxes, _numbers, 0.0, _pairs)
