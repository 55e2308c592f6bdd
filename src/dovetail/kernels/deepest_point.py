"""The deepest point of edges and faces in a field: what lies between the sampled points.

A part of a mesh is an edge (corners a, b, b) or a face. Point samples alone miss features however
dense they are; the deepest point of each part does not (Macklin et al., Local optimization for
robust signed distance field collision, PACM CGIT 3 (2020), section 4). The search starts at the
deepest sample of the part and walks along it in ever smaller steps.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.kernels.field import EMPTY, certain_gap, evaluate
from dovetail.kernels.jit import jit
from dovetail.kernels.read_only import read_only
from dovetail.kernels.vec3 import IDENTITY, ZERO, add, load3, matvec, norm, scale, sub
from dovetail.kernels.warmup import warm

SMALLEST_STEP = 1e-4  # of a sample distance
LEAST_EXCESS = 1e-3  # of the depth: below this it is the search's own error


class Parts(NamedTuple):
    """Edges or faces of a body, too large to be left to their corners."""

    corners: Any  # (m, 3) points
    pieces: Any  # (m,) into how many pieces each side is sampled
    borders: Any  # (m, 3) parts of the other kind around it, -1 for none
    reach: Any  # (m,) [m]


@jit
def _at(a, u, ab, v, ac):
    return (
        a[0] + u * ab[0] + v * ac[0],
        a[1] + u * ab[1] + v * ac[1],
        a[2] + u * ab[2] + v * ac[2],
    )


@jit
def _search(field, a, ab, ac, flat, n, reach):
    """(depth of the deepest sample, u, v, depth of the deepest point) of one part."""
    best, at_u, at_v = -np.inf, 0.0, 0.0
    sampled = -np.inf
    for i in range(n + 1):
        for j in range(1 if flat else n + 1 - i):
            u, v = i / n, j / n
            depth = reach - evaluate(field, _at(a, u, ab, v, ac))[0]
            corner = i == 0 or i == n if flat else i == 0 or j == 0 or i + j == n
            if flat or not corner:
                sampled = max(sampled, depth)
            if depth > best:
                best, at_u, at_v = depth, u, v
    step = 0.5 / n
    while step > SMALLEST_STEP / n:
        better = False
        for way in range(2 if flat else 6):
            du = step * (1.0 if way == 0 or way == 4 else -1.0 if way == 1 or way == 5 else 0.0)
            dv = step * (1.0 if way == 2 or way == 5 else -1.0 if way == 3 or way == 4 else 0.0)
            u, v = min(max(at_u + du, 0.0), 1.0), max(at_v + dv, 0.0)
            if u + v > 1.0:
                continue
            depth = reach - evaluate(field, _at(a, u, ab, v, ac))[0]
            if depth > best:
                best, at_u, at_v, better = depth, u, v, True
        if not better:
            step *= 0.5
    return sampled, at_u, at_v, best


@jit
def search_parts(field, points, parts, flat, around, R, t, depths, place, excess, gradient):
    """Deepest points of all parts at R p + t in the field's frame.

    Writes the depth of every part (<= 0 where it is outside) to `depths`, and for each part that
    reaches deeper than its samples and its border parts (`around`, their depths) a row: place in
    the body's frame, excess depth, gradient. Returns how many rows; a part gives at most one.
    """
    count = 0
    for m in range(parts.corners.shape[0]):
        depths[m] = 0.0
        a = load3(points, parts.corners[m, 0])
        b = load3(points, parts.corners[m, 1])
        c = load3(points, parts.corners[m, 2])
        middle = scale(1.0 / 3.0, add(a, add(b, c)))
        far = max(norm(sub(a, middle)), max(norm(sub(b, middle)), norm(sub(c, middle))))
        reach = parts.reach[m]
        if certain_gap(field, add(matvec(R, middle), t), far + reach) >= 0.0:
            continue
        start = add(matvec(R, a), t)
        ab, ac = matvec(R, sub(b, a)), matvec(R, sub(c, a))
        n = parts.pieces[m]
        known, u, v, best = _search(field, start, ab, ac, flat, n, reach)
        depths[m] = best
        for k in range(3):
            if parts.borders[m, k] >= 0:
                known = max(known, around[parts.borders[m, k]])
        known = max(known, 0.0)
        if best - known > LEAST_EXCESS * best:
            body = _at(a, u, sub(b, a), v, sub(c, a))
            g = evaluate(field, _at(start, u, ab, v, ac))[1]
            for k in range(3):
                place[count, k] = body[k]
                gradient[count, k] = g[k]
            excess[count] = best - known
            count += 1
    return count


_none, _rows = np.empty(0), np.empty((0, 3))
NO_PARTS = Parts(
    read_only(np.empty((0, 3)), np.int32), read_only(_none, np.int32),
    read_only(np.empty((0, 3)), np.int32), read_only(_none),
)  # fmt: skip
warm(
    search_parts, EMPTY, read_only(_rows), NO_PARTS, True, _none, IDENTITY, ZERO,
    _none, _rows, _none, _rows,
)  # fmt: skip
