"""The convex hull of points in space: Quickhull with exact signs.

Source: Barber, Dobkin, Huhdanpaa, The Quickhull algorithm for convex hulls, ACM Trans Math Softw 22
(1996). A face sees a point that is strictly above its plane, by the exact sign of `orient3d`. So
the faces that see a point are one connected piece with one rim, whatever is coplanar or equal, and
the hull is that of the given doubles. Coplanar faces of it are triangles.
"""

import numpy as np
from numpy.typing import NDArray

from dovetail.linalg.exact.orientation import orient3d
from dovetail.linalg.vec3 import cross, dot, load3, norm, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

NONE = -1


def convex_hull(points: NDArray[np.float64]) -> NDArray[np.int32] | None:
    """Triangles (m, 3) of the hull of points (n, 3), outward; None where all are in one plane."""
    given = read_only(np.ascontiguousarray(points, dtype=np.float64))
    n = len(given)
    if n < 4:
        return None
    capacity = 4 * n + 16  # faces alive are 2 n - 4 at most, those of one cone are n at most
    faces = np.empty((capacity, 3), np.int32)
    alive = np.zeros(capacity, np.bool_)
    count = quickhull(given, faces, alive)
    return faces[:count][alive[:count]].copy() if count else None


@jit
def quickhull(points, faces, alive):
    """Fill `faces` (capacity, 3) and `alive`; returns how many rows are used, 0 if flat."""
    n, capacity = len(points), len(faces)
    across = np.empty((capacity, 3), np.int32)  # the face beyond the edge from corner k to k + 1
    head = np.full(capacity, NONE, np.int32)  # first of the points listed with a face
    following = np.full(n, NONE, np.int32)  # the next of that list
    seen = np.zeros(capacity, np.bool_)
    spare = np.empty(capacity, np.int32)  # rows that are free again
    visible = np.empty(capacity, np.int32)
    cone = np.empty(capacity, np.int32)
    starts = np.full(n, NONE, np.int32)  # the face of the cone whose rim edge starts at a vertex
    waiting = np.empty(capacity, np.int32)
    is_waiting = np.zeros(capacity, np.bool_)
    used, n_spare, n_waiting = np.int64(0), np.int64(0), np.int64(0)

    first = first_simplex(points)
    if first[0] < 0:
        return used
    a, b, c, d = first
    for k in range(4):
        alive[k] = True
    used += 4
    set_face(faces, across, 0, a, b, c, 1, 2, 3)
    set_face(faces, across, 1, b, a, d, 0, 3, 2)
    set_face(faces, across, 2, c, b, d, 0, 1, 3)
    set_face(faces, across, 3, a, c, d, 0, 2, 1)
    for p in range(n):
        for f in range(4):
            if sees(points, faces, f, p):
                following[p] = head[f]
                head[f] = p
                break
    for f in range(4):
        waiting[n_waiting] = f
        is_waiting[f] = True
        n_waiting += 1

    while n_waiting > 0:
        n_waiting -= 1
        start = waiting[n_waiting]
        is_waiting[start] = False
        if not alive[start] or head[start] == NONE:
            continue
        apex = furthest(points, faces, start, head[start], following)

        n_visible = np.int64(1)
        visible[0] = start
        seen[start] = True
        n_cone, at = np.int64(0), np.int64(0)
        while at < n_visible:
            f = visible[at]
            at += 1
            for k in range(3):
                g = across[f, k]
                if seen[g]:
                    continue
                if sees(points, faces, g, apex):
                    seen[g] = True
                    visible[n_visible] = g
                    n_visible += 1
        for i in range(n_visible):  # a triangle from every edge of the rim to the apex
            f = visible[i]
            for k in range(3):
                g = across[f, k]
                if seen[g]:
                    continue
                if n_spare > 0:
                    n_spare -= 1
                    new = np.int64(spare[n_spare])
                else:
                    new = used
                    used += 1
                u, v = faces[f, k], faces[f, (k + 1) % 3]
                set_face(faces, across, new, u, v, apex, g, NONE, NONE)
                for m in range(3):
                    if faces[g, m] == v and faces[g, (m + 1) % 3] == u:
                        across[g, m] = new
                alive[new] = True
                head[new] = NONE
                starts[u] = new
                cone[n_cone] = new
                n_cone += 1
        for i in range(n_cone):
            f = cone[i]
            g = starts[faces[f, 1]]
            across[f, 1] = g
            across[g, 2] = f
        for i in range(n_visible):  # their points are seen by the cone or are inside
            p = head[visible[i]]
            while p != NONE:
                after = following[p]
                following[p] = NONE
                if p != apex:
                    for j in range(n_cone):
                        f = cone[j]
                        if sees(points, faces, f, p):
                            following[p] = head[f]
                            head[f] = p
                            break
                p = after
        for i in range(n_visible):
            f = visible[i]
            seen[f] = False
            alive[f] = False
            head[f] = NONE
            spare[n_spare] = f
            n_spare += 1
        for i in range(n_cone):
            f = cone[i]
            if head[f] != NONE and not is_waiting[f]:
                waiting[n_waiting] = f
                is_waiting[f] = True
                n_waiting += 1
    return used


@jit
def set_face(faces, across, f, a, b, c, beyond_ab, beyond_bc, beyond_ca):
    faces[f, 0], faces[f, 1], faces[f, 2] = a, b, c
    across[f, 0], across[f, 1], across[f, 2] = beyond_ab, beyond_bc, beyond_ca


@jit
def sees(points, faces, f, p):
    """Whether point p is strictly above the plane of face f."""
    a, b, c = load3(points, faces[f, 0]), load3(points, faces[f, 1]), load3(points, faces[f, 2])
    return orient3d(a, b, c, load3(points, p)) < 0


@jit
def furthest(points, faces, f, first, following):
    """Of the points listed from `first` on, the one highest above face f."""
    a = load3(points, faces[f, 0])
    normal = cross(sub(load3(points, faces[f, 1]), a), sub(load3(points, faces[f, 2]), a))
    best, height = first, -np.inf
    p = first
    while p != NONE:
        above = dot(normal, sub(load3(points, p), a))
        if above > height:
            best, height = p, above
        p = following[p]
    return best


@jit
def first_simplex(points):
    """Four points that span a volume, the fourth below the first three; -1 where none do."""
    n = len(points)
    a = b = c = d = np.int64(0)
    for p in range(n):
        if points[p, 0] < points[a, 0]:
            a = np.int64(p)
    start = load3(points, a)
    length = 0.0
    for p in range(n):
        away = norm(sub(load3(points, p), start))
        if away > length:
            b, length = np.int64(p), away
    along = sub(load3(points, b), start)
    area = 0.0
    for p in range(n):
        size = norm(cross(along, sub(load3(points, p), start)))
        if size > area:
            c, area = np.int64(p), size
    normal = cross(along, sub(load3(points, c), start))
    volume = -1.0
    for p in range(n):  # the highest for certain, or any that is exactly off the plane
        size = abs(dot(normal, sub(load3(points, p), start)))
        off = orient3d(start, load3(points, b), load3(points, c), load3(points, p))
        if off != 0 and size > volume:
            d, volume = np.int64(p), size
    if volume < 0.0:
        return (np.int64(-1), a, b, c)
    if orient3d(start, load3(points, b), load3(points, c), load3(points, d)) < 0:
        return (a, c, b, d)
    return (a, b, c, d)


warm(
    quickhull,
    read_only(np.zeros((1, 3))),
    np.zeros((1, 3), np.int32),
    np.zeros(1, np.bool_),
)
