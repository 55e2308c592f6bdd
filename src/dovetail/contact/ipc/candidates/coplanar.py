"""One barrier per coplanar patch: which candidates have one, and which share one.

A coplanar convex part of a surface that a mesh cuts into triangles acts as one
(`collision.mesh.coplanar_patches`): a corner and a patch have the barrier of their distance, which
is the least over the triangles, as have two straight sides; edges and vertices inside a patch have
none. So forces do not depend on how a face is cut. The distance from a convex set is
differentiable once wherever it is not zero, hence so is the barrier, across seams too.

The barrier still becomes infinite on every approach: the distance of the candidates that are left
is the distance of the two bodies (`collision.mesh.patch_features`), for patches that are coplanar
and convex; for those that are so within a tolerance only, to within that tolerance. No guarantee
rests on it: CCD and verifier know all vertices, edges and faces.

Candidates that share a barrier lie next to each other in a list, those with the lower numbers
first, which decide where distances are equal.
"""

import math

from dovetail.contact.ipc.candidates.records import FEATURE_I, FEATURE_J, KIND, SWAP
from dovetail.contact.ipc.records import (
    EDGE_EDGE,
    POINT_FACE,
    POINT_PLANE,
    RING_EDGE,
    RING_POINT,
    SOLID_EDGE,
    SOLID_POINT,
)
from dovetail.runtime.jit import jit_in_place, jit_within


@jit_within
def has_barrier(rows, c, patches):
    """Whether both features of candidate c belong to the shape and not only to its mesh."""
    i = rows[c, FEATURE_I]
    if rows[c, KIND] > POINT_PLANE:
        return _has_barrier_to_solid(rows[c, KIND], rows[c, FEATURE_J], patches)
    if rows[c, KIND] == EDGE_EDGE:
        return patches.side[i] >= 0 and patches.side[rows[c, FEATURE_J]] >= 0
    return patches.corner[i] != 0


@jit_in_place
def _has_barrier_to_solid(kind, j, patches):
    """Whether feature j has one; of the faces of a patch `solids.gaps` says which."""
    if kind == SOLID_EDGE or kind == RING_EDGE:
        return patches.side[j] >= 0
    return (kind != SOLID_POINT and kind != RING_POINT) or patches.corner[j] != 0


@jit_in_place
def _sides_or_patch(kind, i, j, patches):
    """The two straight sides, or the vertex and the patch, of features i and j."""
    if kind == SOLID_EDGE or kind == RING_EDGE:
        return i, patches.side[j]
    if kind == EDGE_EDGE:
        return patches.side[i], patches.side[j]
    return i, patches.patch[j]


@jit_within
def _comes_before(rows, c, patches, order, g, h, i, j):
    """Whether candidate c comes before that of features i and j of the sides or patches g, h."""
    first = 2 * rows[c, KIND] + rows[c, SWAP]
    if first != order:
        return first < order
    k, m = rows[c, FEATURE_I], rows[c, FEATURE_J]
    u, v = _sides_or_patch(rows[c, KIND], k, m, patches)
    return u < g or (u == g and (v < h or (v == h and (k < i or (k == i and m < j)))))


@jit_in_place
def group_by_patch(rows, distance, begin, end, patches):
    """Sort candidates by kind, then by side or patch (Shell sort)."""
    gap = 1
    while 9 * gap < end - begin:
        gap = 3 * gap + 1
    while gap > 0:
        for c in range(begin + gap, end):
            kind, swap = rows[c, KIND], rows[c, SWAP]
            i, j, d = rows[c, FEATURE_I], rows[c, FEATURE_J], distance[c]
            g, h = _sides_or_patch(kind, i, j, patches)
            at = c
            while at >= begin + gap and not _comes_before(
                rows, at - gap, patches, 2 * kind + swap, g, h, i, j
            ):
                for column in range(4):
                    rows[at, column] = rows[at - gap, column]
                distance[at] = distance[at - gap]
                at -= gap
            rows[at, KIND], rows[at, SWAP] = kind, swap
            rows[at, FEATURE_I], rows[at, FEATURE_J] = i, j
            distance[at] = d
        gap //= 3


@jit_within
def _shares(kind):
    return kind == POINT_FACE or kind == EDGE_EDGE or kind == SOLID_EDGE or kind == RING_EDGE


@jit_in_place
def keep_nearest(rows, begin, end, patches, reach, squared):
    """Of all within reach [m] that share one barrier, only the nearest keeps it."""
    limit = reach * reach
    best, first, second = -1, -1, -1
    for c in range(begin, end):
        kind = rows[c, KIND]
        if not squared[c] < limit or not _shares(kind):
            continue
        g, h = _sides_or_patch(kind, rows[c, FEATURE_I], rows[c, FEATURE_J], patches)
        if (
            best >= 0
            and g == first
            and h == second
            and kind == rows[best, KIND]
            and rows[c, SWAP] == rows[best, SWAP]
        ):
            if squared[c] < squared[best]:
                squared[best] = math.inf
                best = c
            else:
                squared[c] = math.inf
        else:
            best, first, second = c, g, h
