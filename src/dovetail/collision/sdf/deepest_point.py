"""The deepest point of edges and faces in a field: what lies between the sampled points.

A part of a mesh is an edge (corners a, b, b) or a face. Point samples alone miss features however
dense they are; the deepest point of each part does not (Macklin et al., Local optimization for
robust signed distance field collision, PACM CGIT 3 (2020), section 4). The search starts at the
deepest sample of the part and goes on in ever smaller steps. Edges are searched for a start
at distances that no feature of the other body fits between; a face has its borders' deepest points
and the other body's corners for that.
"""

import math
from typing import NamedTuple

import numpy as np

from dovetail.collision.sdf.evaluate import evaluate
from dovetail.linalg.vec3 import ZERO, add, dot, load3, matvec, norm, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import FloatArray, Int32Array

SMALLEST_STEP = 1e-4  # of a sample distance
LEAST_EXCESS = 1e-3  # of the depth: below this it is the search's own error
MAX_HALVINGS = 40
PRECISE = 1e-9  # of the depth: implicit steps need forces that do not jump
STEEPEST = 2.0  # more than |gradient| of a field, sqrt(3) between the nodes of a grid


class PartArrays(NamedTuple):
    """Edges or faces of a body, too long to be left to their samples."""

    corners: Int32Array  # (m, 3) numbers of points
    pieces: Int32Array  # (m,) into how many pieces each side is sampled; 1: its corners alone
    borders: Int32Array  # (m, 3) parts of the other kind around it, -1 for none
    reach: FloatArray  # (m,) [m] radius of the sphere that each point stands for


@jit
def _at(a, u, ab, v, ac):
    return (
        a[0] + u * ab[0] + v * ac[0],
        a[1] + u * ab[1] + v * ac[1],
        a[2] + u * ab[2] + v * ac[2],
    )


@jit
def _deepest_sample(field, a, ab, ac, is_edge, n, reach):
    """(depth, u, v) of the deepest of the part's own samples, n to a side."""
    best, at_u, at_v = -np.inf, 0.0, 0.0
    for i in range(n + 1):
        for j in range(1 if is_edge else n + 1 - i):
            u, v = i / n, j / n
            depth = reach - evaluate(field, _at(a, u, ab, v, ac))[0]
            if depth > best:
                best, at_u, at_v = depth, u, v
    return best, at_u, at_v


@jit
def _march(field, a, ab, reach, every, best, at):
    """(depth, u) of the deepest point met along an edge, `every` of it at a time at least.

    Far from the surface the value of the field bounds the distance to it.
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
def _climb(field, a, ab, reach, around, enough, best, at):
    """(depth, u) along an edge from its point `at`, no further than `around`, by halving.

    A depth that is concave along the edge stays below its tangents: where those do not reach
    more than `enough`, or not noticeably more than is known, there is nothing to find.
    """
    low, high, u = max(at - around, 0.0), min(at + around, 1.0), at
    for _ in range(MAX_HALVINGS):
        value, g = evaluate(field, _at(a, u, ab, 0.0, ab))
        depth, rate = reach - value, -dot(g, ab)
        if depth > best:
            best, at = depth, u
        if rate > 0.0:
            low = u
            highest = depth + rate * (high - u)
        else:
            high = u
            highest = depth - rate * (u - low)
        if highest < enough or highest <= best + PRECISE * abs(best):
            break
        u = 0.5 * (low + high)
    return best, at


@jit
def _pattern_search(field, a, ab, ac, is_edge, step, least, enough, reach, best, at_u, at_v):
    """(depth, u, v) of a pattern search, its steps halved while more than `enough` is possible."""
    length = max(norm(ab), norm(ac))
    while step > least:
        far = STEEPEST * step * length
        if best + 2.0 * far < enough:
            break
        better = False
        for k in range(2 if is_edge else 6):  # directions of the lattice
            du = step * (1.0 if k == 0 or k == 4 else -1.0 if k == 1 or k == 5 else 0.0)
            dv = step * (1.0 if k == 2 or k == 5 else -1.0 if k == 3 or k == 4 else 0.0)
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
def deepest_of_part(field, points, parts, m, is_edge, spacing, noise, around, R, t):
    """(depth, excess depth, place in the body's frame, gradient) of the deepest point of a part.

    The body is at R p + t in the field's frame; `spacing` [m] is the length that no feature of the
    field's body is thinner than. The excess is what the part reaches deeper than its samples and
    its border parts (`around`, their depths); 0 where it is no more than the error of the search.
    For a part without samples of its own it must be more than the ripples `noise` [m] of a grid
    too: on a fine mesh those of many edges would add up.
    """
    a = load3(points, parts.corners[m, 0])
    b = load3(points, parts.corners[m, 1])
    c = load3(points, parts.corners[m, 2])
    start = add(matvec(R, a), t)
    ab, ac = matvec(R, sub(b, a)), matvec(R, sub(c, a))
    n, reach = parts.pieces[m], parts.reach[m]
    best, u, v = _deepest_sample(field, start, ab, ac, is_edge, n, reach)
    known = max(best, 0.0)
    for k in range(3):
        if parts.borders[m, k] >= 0:
            known = max(known, around[parts.borders[m, k]])
    if n > 1:
        noise = 0.0
    if is_edge and n == 1:
        pieces = max(math.ceil(norm(ab) / spacing), 1)
        if pieces > 1:
            best, u = _march(field, start, ab, reach, 1.0 / pieces, best, u)
        best, u = _climb(field, start, ab, reach, 1.0 / pieces, known + noise, best, u)
    else:
        best, u, v = _pattern_search(
            field, start, ab, ac, is_edge, 0.5 / n, SMALLEST_STEP / n, 0.0, reach, best, u, v
        )
    excess = best - known - noise
    if excess <= LEAST_EXCESS * best:
        return best, 0.0, ZERO, ZERO
    excess = min(excess, 2.0 * (excess - LEAST_EXCESS * best))  # from 0 on, without a jump
    place = _at(a, u, sub(b, a), v, sub(c, a))
    return best, excess, place, evaluate(field, _at(start, u, ab, v, ac))[1]


_none, _rows = np.empty(0), np.empty((0, 3))
NO_PARTS = PartArrays(
    read_only(np.empty((0, 3)), np.int32), read_only(_none, np.int32),
    read_only(np.empty((0, 3)), np.int32), read_only(_none),
)  # fmt: skip
