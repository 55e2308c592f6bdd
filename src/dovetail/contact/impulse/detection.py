"""Contact detection of a step in one kernel: boxes, pairs that may touch, contacts of small pairs.

Pairs of large meshes and of smooth bodies are listed only. The contacts of the first come from the
lists of their features that are kept (`large_contacts`), those of the others from `law`.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.broad_phase.sweep_and_prune import sweep_pairs
from dovetail.collision.narrow_phase.contact_points import ContactPoints, contact_points
from dovetail.collision.narrow_phase.kept_lists import (
    CLEAR,
    KeptLists,
    list_of,
    listed_contacts,
    no_lists,
)
from dovetail.collision.narrow_phase.pairs import (
    ReductionWorkspace,
    find_contacts,
    reduction_workspace,
)
from dovetail.collision.narrow_phase.surfaces import (
    ALL_PLACED,
    BOX_PLACED,
    PLANE,
    ROUNDING,
    VERTICES_PLACED,
    ContactSurfaces,
    SurfacePose,
    no_pose,
    no_surfaces,
    place_normals,
    place_vertices,
    surround,
)
from dovetail.collision.narrow_phase.turned_boxes import boxes_apart
from dovetail.linalg.vec3 import add, dot, load3, load33, mat_t_vec, matvec, sub
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import (
    BoolArray,
    FloatArray,
    Int8Array,
    Int32Array,
    Int64Array,
    bundler,
)
from dovetail.runtime.warmup import warm, warm_later

SMALL, LARGE, SMOOTH = 0, 1, 2  # how the contacts of a pair are found
ROUND_SIDES, KNOWN_FIELD, CYLINDER, FLAT = 1, 2, 4, 8  # flags of bodies, see `smooth_pairs`
MAX_ALL_PAIRS = 20_000  # pairs of features below which testing all is cheaper than a tree


class Detection(NamedTuple):
    """What detection knows of n bodies, and its workspace for m pairs."""

    surfaces: ContactSurfaces
    pose: SurfacePose
    points: ContactPoints
    reduction: ReductionWorkspace
    dynamic: BoolArray  # (n,)
    group: Int64Array  # (n,) bodies of one group do not touch
    joined: Int64Array  # (k,) pairs i n + j that do not touch, ascending
    with_planes: Int32Array  # (p, 2) pairs of a plane and another body
    features: Int64Array  # (n, 3) how many vertices, edges, faces
    flags: Int8Array  # (n,) ROUND_SIDES | KNOWN_FIELD | CYLINDER | FLAT
    margin: FloatArray  # (n,) [m] distance at which contacts are always kept
    reach: FloatArray  # (n,) [m] that, and how far points may move
    order: Int32Array  # (k,) bodies but planes, by the lower ends of their boxes
    swept: Int32Array  # (m, 2) pairs whose boxes overlap
    pair: Int32Array  # (3, m, 2) pairs that may touch by kind, in order of numbers
    max_gap: FloatArray  # (3, m) [m]
    first: Int64Array  # (m + 1,) contacts of each small pair
    placed: Int8Array  # (n,) BOX_PLACED, VERTICES_PLACED or ALL_PLACED at this pose
    start: Int64Array  # (n + 1,) scratch of the sorting
    partner: Int32Array  # (m,) scratch of the sorting
    pairs: Int64Array  # (3,) how many of each kind
    lists: KeptLists  # of large pairs


bundle_detection = bundler(Detection)


@jit_in_place
def _widest_axis(box, order):
    """The axis on which the middles of boxes spread most."""
    axis, widest = 0, -1.0
    for k in range(3):
        count, mean, square = 0, 0.0, 0.0
        for s in range(order.shape[0]):
            middle = 0.5 * (box[order[s], k] + box[order[s], 3 + k])
            if np.isfinite(middle):
                count += 1
                change = middle - mean
                mean += change / count
                square += change * (middle - mean)
        if square > widest:
            axis, widest = k, square
    return axis


@jit_in_place
def _sort(order, box, axis):
    """Sort `order`, which is nearly sorted, by the lower ends of boxes on `axis`."""
    for s in range(1, order.shape[0]):
        i, r = order[s], s - 1
        value = box[i, axis]
        while r >= 0 and box[order[r], axis] > value:
            order[r + 1] = order[r]
            r -= 1
        order[r + 1] = i


@jit_in_place
def _contains(ascending, number):
    """Whether `number` is among those."""
    low, high = 0, ascending.shape[0]
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low < ascending.shape[0] and ascending[low] == number


@jit_in_place
def _may_touch(known, i, j, awake):
    """Whether one body moves and is awake, they have no common group, and no joint joins them."""
    if not (known.dynamic[i] or known.dynamic[j]) or known.group[i] == known.group[j]:
        return False
    if awake.shape[0] and not (awake[i] or awake[j]):
        return False
    return not _contains(known.joined, i * known.dynamic.shape[0] + j)


@jit_in_place
def _kind(known, i, j):
    """SMALL, LARGE or SMOOTH; cylinders on planes are small."""
    a, b, n = known.flags[i], known.flags[j], known.features
    flat = (a | b) & FLAT
    if (a | b) & ROUND_SIDES and a & b & KNOWN_FIELD and not (flat and (a | b) & CYLINDER):
        return SMOOTH
    tried = n[i, 0] * n[j, 2] + n[j, 0] * n[i, 2] + n[i, 1] * n[j, 1]
    return LARGE if tried > MAX_ALL_PAIRS and not flat else SMALL


@jit_in_place
def _beyond_plane(known, i, j, x, R):
    """Whether one is a plane and the box around the other too far from it; if not, it is placed."""
    surfaces = known.surfaces
    if surfaces.kind[i] != PLANE and surfaces.kind[j] != PLANE:
        return False
    plane, other = (i, j) if surfaces.kind[i] == PLANE else (j, i)
    if known.placed[other] != BOX_PLACED:
        return False
    rotation = load33(R, plane)
    n = matvec(rotation, load3(surfaces.axis, plane))
    at = add(load3(x, plane), matvec(rotation, load3(surfaces.centre, plane)))
    own = load33(R, other)
    middle, down = sub(load3(x, other), at), mat_t_vec(own, n)
    distance = dot(n, add(middle, matvec(own, load3(surfaces.middle, other))))
    for k in range(3):
        distance -= abs(down[k]) * surfaces.half[other, k]
    grown = surfaces.radius[other] + ROUNDING * surfaces.size[other]
    if distance > known.reach[i] + known.reach[j] + grown:
        return True
    place_vertices(surfaces, other, x, R, known.reach[other], known.pose)
    known.placed[other] = VERTICES_PLACED
    return False


@jit_in_place
def _sort_pairs(known, swept, x, R, awake):
    """The pairs that may touch, by kind and in order of numbers."""
    start, partner, planes, n = known.start, known.partner, known.with_planes, known.reach.shape[0]
    for i in range(n + 1):
        start[i] = 0
    for k in range(swept + planes.shape[0]):
        i = known.swept[k, 0] if k < swept else planes[k - swept, 0]
        start[i + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    for k in range(swept + planes.shape[0]):
        i = known.swept[k, 0] if k < swept else planes[k - swept, 0]
        j = known.swept[k, 1] if k < swept else planes[k - swept, 1]
        partner[start[i]] = j
        start[i] += 1
    known.pairs[:] = 0
    first = 0
    for i in range(n):
        for s in range(first + 1, start[i]):
            j, r = partner[s], s - 1
            while r >= first and partner[r] > j:
                partner[r + 1] = partner[r]
                r -= 1
            partner[r + 1] = j
        for s in range(first, start[i]):
            j = partner[s]
            if _may_touch(known, i, j, awake):
                kind = _kind(known, i, j)
                if kind == SMALL and _beyond_plane(known, i, j, x, R):
                    continue
                m = known.pairs[kind]
                known.pair[kind, m, 0], known.pair[kind, m, 1] = i, j
                known.max_gap[kind, m] = known.reach[i] + known.reach[j]
                known.pairs[kind] = m + 1
        first = start[i]


@jit_in_place
def _is_clear(known, i, j, x, R):
    """Whether a list says that large bodies do not touch."""
    if _kind(known, i, j) != LARGE:
        return False
    max_gap = known.reach[i] + known.reach[j]
    return list_of(known.surfaces, known.lists, x, R, i, j, max_gap) == CLEAR


@jit_in_place
def _place(known, i, x, R):
    """Vertices and normals of body i, unless they are placed."""
    surfaces, placed = known.surfaces, known.placed
    if placed[i] == BOX_PLACED:
        place_vertices(surfaces, i, x, R, known.reach[i], known.pose)
    if placed[i] != ALL_PLACED:
        place_normals(surfaces, i, R, known.pose)
        placed[i] = ALL_PLACED


@jit_in_place
def _overlapping(known, swept, x, R, awake):
    """Place the bodies of pairs that may touch; how many of these overlap with their own boxes."""
    box, kept = known.pose.box, 0
    for k in range(swept):
        i, j = known.swept[k, 0], known.swept[k, 1]
        if not _may_touch(known, i, j, awake) or _is_clear(known, i, j, x, R):
            continue
        if known.placed[i] == BOX_PLACED or known.placed[j] == BOX_PLACED:
            if boxes_apart(known.surfaces, x, R, i, j, known.reach[i] + known.reach[j]):
                continue
        _place(known, i, x, R)
        _place(known, j, x, R)
        apart = False
        for m in range(3):
            apart = apart or box[i, m] > box[j, 3 + m] or box[j, m] > box[i, 3 + m]
        if not apart:
            known.swept[kept, 0], known.swept[kept, 1] = i, j
            kept += 1
    return kept


@jit_in_place
def detected(known, x, R, displacement, motion, awake):
    """See `detect`."""
    surfaces, pose, order = known.surfaces, known.pose, known.order
    for i in range(x.shape[0]):
        for k in range(6):
            pose.motion[i, k] = motion[i, k]
        for k in range(3):
            pose.origin[i, k] = x[i, k]
        known.reach[i] = displacement[i] + known.margin[i]
    surround(surfaces, x, R, known.reach, pose, known.placed)
    axis = _widest_axis(pose.box, order)
    _sort(order, pose.box, axis)
    swept = sweep_pairs(pose.box, order, axis, known.swept)
    pairs = swept + known.with_planes.shape[0]
    if pairs > known.partner.shape[0]:
        return pairs, 0, 0
    swept = _overlapping(known, swept, x, R, awake)
    _sort_pairs(known, swept, x, R, awake)
    small = known.pairs[SMALL]
    needed = find_contacts(
        surfaces, pose, x, R, known.pair[SMALL, :small], known.max_gap[SMALL, :small],
        known.points, known.first, known.reduction,
    )  # fmt: skip
    return pairs, needed, known.first[small]


@jit
def detect(known, x, R, displacement, motion, awake):
    """Pairs that may touch at x (n, 3), R by kind, and contacts of the small ones.

    Points may move by `displacement` (n,) [m], by about `motion` (n, 6) [m, rad] without contact.
    One body of a pair is `awake` (n,), if that is not empty. Returns how much space is needed for
    pairs and for contacts, and how many contacts there are; the last two only if there is space for
    the pairs.
    """
    return detected(known, x, R, displacement, motion, awake)


@jit_in_place
def large_contacts_of(known, x, R, count):
    """See `large_contacts`."""
    m = known.pairs[LARGE]
    return listed_contacts(
        known.surfaces, known.pose, known.lists, x, R, known.pair[LARGE, :m],
        known.max_gap[LARGE, :m], known.points, count, known.reduction,
    )  # fmt: skip


@jit
def large_contacts(known, x, R, count):
    """Append the contacts of large pairs to the `count` there are; see `listed_contacts`."""
    return large_contacts_of(known, x, R, count)


def no_detection() -> Any:
    """A bundle of no bodies, of the types every call has."""
    f, i8, i64, flags = np.zeros(0), np.zeros(0, np.int8), np.zeros(0, np.int64), np.zeros(0, bool)
    rows = np.zeros((0, 2), np.int32)
    return bundle_detection(
        no_surfaces(), no_pose(), contact_points(0), reduction_workspace(0), flags, i64, i64, rows,
        np.zeros((0, 3), np.int64), i8, f, f, np.zeros(0, np.int32), rows,
        np.zeros((3, 0, 2), np.int32), np.zeros((3, 0)), i64, i8, i64, np.zeros(0, np.int32),
        i64, no_lists(),
    )  # fmt: skip


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    f, flags = np.zeros(0), np.zeros(0, bool)
    warm(detect, no_detection(), np.zeros((0, 3)), np.zeros((0, 3, 3)), f, np.zeros((0, 6)), flags)
    warm(large_contacts, no_detection(), np.zeros((0, 3)), np.zeros((0, 3, 3)), 0)


warm_later(_register)
