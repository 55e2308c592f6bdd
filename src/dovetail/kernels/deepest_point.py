"""The deepest point of edges and faces in a field: what lies between the sampled points.

A part of a mesh is an edge (corners a, b, b) or a face. Point samples alone miss features however
dense they are; the deepest point of each part does not (Macklin et al., Local optimization for
robust signed distance field collision, PACM CGIT 3 (2020), section 4). The search starts at the
deepest sample of the part and walks along it in ever smaller steps. Edges are searched for a start
at distances that no feature of the other body fits between; a face has its borders' deepest points
and the other body's corners for that.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from dovetail.kernels import point_octree
from dovetail.kernels.field import EMPTY, certain_gap, evaluate
from dovetail.kernels.jit import jit
from dovetail.kernels.read_only import read_only
from dovetail.kernels.vec3 import IDENTITY, ZERO, add, load3, matvec, norm, sub
from dovetail.kernels.warmup import warm

SMALLEST_STEP = 1e-4  # of a sample distance
LEAST_EXCESS = 1e-3  # of the depth: below this it is the search's own error
STEEPEST = 2.0  # more than a field's slope, sqrt(3) between the nodes of a grid


class Parts(NamedTuple):
    """Edges or faces of a body, too long to be left to their samples."""

    corners: Any  # (m, 3) points
    pieces: Any  # (m,) into how many pieces each side is sampled; 1: its corners alone
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
def _deepest_sample(field, a, ab, ac, flat, n, reach):
    """(depth, u, v) of the deepest of the part's own samples, n to a side."""
    best, at_u, at_v = -np.inf, 0.0, 0.0
    for i in range(n + 1):
        for j in range(1 if flat else n + 1 - i):
            u, v = i / n, j / n
            depth = reach - evaluate(field, _at(a, u, ab, v, ac))[0]
            if depth > best:
                best, at_u, at_v = depth, u, v
    return best, at_u, at_v


@jit
def _march(field, a, ab, reach, every, best, at):
    """(depth, u) of the deepest point met along an edge, `every` of it at a time at least.

    Where the field is far from the surface it says how far nothing can be.
    """
    length = norm(ab)
    u = 0.0
    while u < 1.0:
        depth = reach - evaluate(field, _at(a, u, ab, 0.0, ab))[0]
        if depth > best:
            best, at = depth, u
        u += max(every, -depth / (STEEPEST * length))
    return best, at


@jit
def _walk(field, a, ab, ac, flat, step, least, reach, best, at_u, at_v):
    """(depth, u, v) uphill from a start in steps that halve, while they can still matter."""
    length = max(norm(ab), norm(ac))
    while step > least:
        far = STEEPEST * step * length
        if far < LEAST_EXCESS * best or far < -best:
            break
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
    return best, at_u, at_v


@jit
def _search(field, a, ab, ac, flat, n, spacing, reach):
    """(depth of the deepest sample, u, v, depth of the deepest point) of one part."""
    sampled, u, v = _deepest_sample(field, a, ab, ac, flat, n, reach)
    best, step = sampled, 0.5 / n
    if flat:
        pieces = math.ceil(norm(ab) / spacing)
        if pieces > n:
            best, u = _march(field, a, ab, reach, 1.0 / pieces, best, u)
            step = 0.5 / pieces
    best, u, v = _walk(field, a, ab, ac, flat, step, SMALLEST_STEP / n, reach, best, u, v)
    return sampled, u, v, best


@jit
def search_parts(
    field, points, parts, tree, flat, spacing, around, R, t, depths, place, excess, gradient
):
    """Deepest points of all parts at R p + t in the field's frame.

    `tree` holds the parts' middles, each with the radius of its part; `spacing` [m] is the length
    that no feature of the field's body is thinner than. Writes the depth of every part that may be
    inside to `depths`, and for each part that reaches deeper than its samples and its border parts
    (`around`, their depths) a row: place in the body's frame, excess depth, gradient. Returns how
    many rows; a part gives at most one.
    """
    count, node = 0, 0
    while node < tree.after.shape[0]:
        middle = add(matvec(R, load3(tree.centre, node)), t)
        if certain_gap(field, middle, tree.radius[node]) >= 0.0:
            node = tree.after[node]
            continue
        if tree.leaf[node]:
            for s in range(tree.start[node], tree.end[node]):
                middle = add(matvec(R, load3(tree.points, s)), t)
                if certain_gap(field, middle, tree.reach[s]) >= 0.0:
                    continue
                m = tree.order[s]
                a = load3(points, parts.corners[m, 0])
                b = load3(points, parts.corners[m, 1])
                c = load3(points, parts.corners[m, 2])
                start = add(matvec(R, a), t)
                ab, ac = matvec(R, sub(b, a)), matvec(R, sub(c, a))
                known, u, v, best = _search(
                    field, start, ab, ac, flat, parts.pieces[m], spacing, parts.reach[m]
                )
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
        node += 1
    return count


_none, _rows = np.empty(0), np.empty((0, 3))
NO_PARTS = Parts(
    read_only(np.empty((0, 3)), np.int32), read_only(_none, np.int32),
    read_only(np.empty((0, 3)), np.int32), read_only(_none),
)  # fmt: skip
warm(
    search_parts, EMPTY, read_only(_rows), NO_PARTS, point_octree.EMPTY, True, 1.0, _none,
    IDENTITY, ZERO, _none, _rows, _none, _rows,
)  # fmt: skip
