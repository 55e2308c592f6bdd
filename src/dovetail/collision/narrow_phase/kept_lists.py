"""Lists of feature pairs of large meshes in flat arrays, and the contacts that they give."""

from typing import NamedTuple

import numpy as np

from dovetail.collision.narrow_phase.approach import approach
from dovetail.collision.narrow_phase.pairs import FeatureCandidates, find_candidate_contacts
from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.records import FloatArray, Int32Array, Int64Array

KINDS = len(FeatureCandidates._fields)
ALL = -1  # in place of the pair that has no list: all have one
MISSING, CLEAR = -1, -2  # in place of a list: there is no valid one; it says that nothing is near


class KeptLists(NamedTuple):
    """The lists of m pairs of bodies, each complete up to a distance at the pose of its making."""

    key: Int64Array  # (m,) i n + j of bodies i < j of n, ascending
    which: Int64Array  # (m,) the list of each key: the row of the arrays that follow
    x: FloatArray  # (m, 2, 3) [m]
    R: FloatArray  # (m, 2, 3, 3)
    radius: FloatArray  # (m,) [m]
    clear: FloatArray  # (m,) [m] at which there was nothing yet, -inf if that is not known
    arm: FloatArray  # (m, 2) [m] largest distance of any point of a body from its origin
    first: Int64Array  # (m, KINDS + 1) rows of each kind of `FeatureCandidates`
    rows: Int32Array  # (r, 2)


def no_lists() -> KeptLists:
    i, f = np.zeros(0, np.int64), np.zeros(0)
    return KeptLists(
        i, i, np.zeros((0, 2, 3)), np.zeros((0, 2, 3, 3)), f, f, np.zeros((0, 2)),
        np.zeros((0, KINDS + 1), np.int64), np.zeros((0, 2), np.int32),
    )  # fmt: skip


@jit_in_place
def list_of(surfaces, lists, x, R, a, b, max_gap):
    """The list of bodies a < b that has all pairs within `max_gap` [m], MISSING or CLEAR."""
    key, low, high = a * surfaces.kind.shape[0] + b, 0, lists.key.shape[0]
    while low < high:
        middle = (low + high) // 2
        if lists.key[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low == lists.key.shape[0] or lists.key[low] != key:
        return MISSING
    k = lists.which[low]
    needed = max_gap + surfaces.radius[a] + surfaces.radius[b]
    nearer = approach(lists.x[k], lists.R[k], x, R, a, b, lists.arm[k, 0], lists.arm[k, 1])
    if lists.clear[k] >= needed + nearer:
        return CLEAR
    # a list that was clear is made again, as it may be clear then
    return k if lists.radius[k] >= needed + nearer and lists.clear[k] < 0.0 else MISSING


@jit_in_place
def listed_contacts(surfaces, pose, lists, x, R, pairs, max_gap, out, count, workspace):
    """Append the contacts of pairs (m, 2) of large meshes to the `count` there are.

    max_gap (m,) [m]. Returns (ALL, or the pair that needs a list first; how many contacts there
    are; how much space was needed, which may be more than there is).
    """
    most = count
    for k in range(pairs.shape[0]):
        a, b = pairs[k, 0], pairs[k, 1]
        s = list_of(surfaces, lists, x, R, a, b, max_gap[k])
        if s == MISSING:
            return k, count, most
        if s == CLEAR:
            continue
        first, rows = lists.first[s], lists.rows
        near = FeatureCandidates(
            rows[first[0] : first[1]], rows[first[1] : first[2]], rows[first[2] : first[3]],
            rows[first[3] : first[4]], rows[first[4] : first[5]],
        )  # fmt: skip
        count, needed = find_candidate_contacts(
            surfaces, pose, R, a, b, max_gap[k], near, out, count, workspace
        )
        most = max(most, needed)
        if needed > out.gap.shape[0]:
            return ALL, count, needed
    return ALL, count, most
