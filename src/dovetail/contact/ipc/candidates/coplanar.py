"""One barrier per flat patch: which candidates have one, and which have one together.

A flat convex part of a face that a mesh cuts into triangles acts as one (`geometry.flat_patches`):
a corner and a patch have the barrier of their distance, which is the least over the triangles, as
have two straight sides; edges and vertices inside a patch have none. So forces do not depend on
how a face is cut. The distance from a convex set is differentiable once wherever it is not zero,
hence so is the barrier, across seams too.

The barrier still becomes infinite on every approach: of two bodies the distance of those candidates
that are left is the distance of the bodies (`geometry.flat_features`), for patches that are flat
and convex; those that are so within a tolerance only, to within that tolerance. No guarantee rests
on it: CCD and judge know all vertices, edges and faces.

Candidates with a common barrier lie next to each other in a list, those with the lower numbers
first, which decide where distances are equal.
"""

import math

from dovetail.contact.ipc.records import EDGE_EDGE, POINT_FACE
from dovetail.runtime.jit import jit_in_place, jit_within


@jit_within
def has_barrier(kind, i, j, corner, side):
    """Whether both features of a candidate are such of the shape and not only of its mesh."""
    if kind == EDGE_EDGE:
        return side[i] >= 0 and side[j] >= 0
    return corner[i] != 0


@jit_in_place
def _groups(kind, i, j, side, patch):
    """What of the shape features i and j belong to."""
    if kind == EDGE_EDGE:
        return side[i], side[j]
    return i, patch[j]


@jit_in_place
def put_together(pool, apart, which, begin, end, side, patch):
    """Sort candidates of one kind, point-face or edge-edge, by what they belong to (Shell)."""
    gap = 1
    while 9 * gap < end - begin:
        gap = 3 * gap + 1
    while gap > 0:
        for c in range(begin + gap, end):
            kind, swap = pool[which, c, 0], pool[which, c, 1]
            i, j, d = pool[which, c, 2], pool[which, c, 3], apart[which, c]
            g, h = _groups(kind, i, j, side, patch)
            at = c
            while at >= begin + gap:
                k, m = pool[which, at - gap, 2], pool[which, at - gap, 3]
                u, v = _groups(kind, k, m, side, patch)
                if u < g or (u == g and (v < h or (v == h and (k < i or (k == i and m < j))))):
                    break
                pool[which, at, 2], pool[which, at, 3] = k, m
                apart[which, at] = apart[which, at - gap]
                at -= gap
            pool[which, at, 0], pool[which, at, 1] = kind, swap
            pool[which, at, 2], pool[which, at, 3] = i, j
            apart[which, at] = d
        gap //= 3


@jit_in_place
def leave_nearest(which, begin, end, pool, side, patch, reach, squared):
    """Of all within reach [m] that have one barrier together, only the nearest keeps it."""
    limit = reach * reach
    best, first, second = -1, -1, -1
    for c in range(begin, end):
        kind = pool[which, c, 0]
        if not squared[c] < limit or (kind != POINT_FACE and kind != EDGE_EDGE):
            continue
        g, h = _groups(kind, pool[which, c, 2], pool[which, c, 3], side, patch)
        if (
            best >= 0
            and g == first
            and h == second
            and kind == pool[which, best, 0]
            and pool[which, c, 1] == pool[which, best, 1]
        ):
            if squared[c] < squared[best]:
                squared[best] = math.inf
                best = c
            else:
                squared[c] = math.inf
        else:
            best, first, second = c, g, h
