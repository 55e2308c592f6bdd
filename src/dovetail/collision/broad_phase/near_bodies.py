"""Which bodies of a sweep really are near: oriented boxes, and half-spaces with boxes."""

from typing import NamedTuple

import numpy as np

from dovetail.collision.broad_phase.obb_overlap import boxes_overlap
from dovetail.linalg.vec3 import (
    add,
    dot,
    load3,
    load33,
    mat_t_vec,
    matmul,
    matvec,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import FloatArray, Int32Array
from dovetail.runtime.warmup import warm

NOTHING, HALF_SPACE, BOXED = 0, 1, 2


class BodyBoxes(NamedTuple):
    """Boxes of n bodies in their own frames; of a half-space, a point and the outward normal."""

    kind: Int32Array  # (n,) NOTHING, HALF_SPACE or BOXED
    centre: FloatArray  # (n, 3) [m], or a point of the plane
    axes: FloatArray  # (n, 3, 3) columns; the third is the normal of a plane
    half: FloatArray  # (n, 3) [m]


@jit
def place_boxes(bodies, x, R, boxes):
    """Boxes (n, 6) = (lower, upper) [m] along the world's axes around the oriented ones."""
    for i in range(bodies.kind.shape[0]):
        if bodies.kind[i] != BOXED:
            end = -np.inf if bodies.kind[i] == NOTHING else np.inf
            for k in range(3):
                boxes[i, k], boxes[i, 3 + k] = -end, end
            continue
        Q = load33(R, i)
        middle = add(matvec(Q, load3(bodies.centre, i)), load3(x, i))
        A = matmul(Q, load33(bodies.axes, i))
        for k in range(3):
            reach = (
                abs(A[k][0]) * bodies.half[i, 0]
                + abs(A[k][1]) * bodies.half[i, 1]
                + abs(A[k][2]) * bodies.half[i, 2]
            )
            boxes[i, k], boxes[i, 3 + k] = middle[k] - reach, middle[k] + reach


@jit
def _reaches_below(bodies, x, R, plane, body):
    """Whether the box of `body` reaches below the plane of a half-space."""
    Q, P = load33(R, plane), load33(R, body)
    A = load33(bodies.axes, plane)
    normal = matvec(Q, (A[0][2], A[1][2], A[2][2]))
    on_plane = add(matvec(Q, load3(bodies.centre, plane)), load3(x, plane))
    middle = add(matvec(P, load3(bodies.centre, body)), load3(x, body))
    along = mat_t_vec(matmul(P, load33(bodies.axes, body)), normal)
    half = load3(bodies.half, body)
    reach = abs(along[0]) * half[0] + abs(along[1]) * half[1] + abs(along[2]) * half[2]
    return dot(normal, sub(middle, on_plane)) <= reach


@jit
def _boxes_meet(bodies, x, R, i, j):
    Q, P = load33(R, i), load33(R, j)
    A, B = matmul(Q, load33(bodies.axes, i)), matmul(P, load33(bodies.axes, j))
    apart = sub(
        add(matvec(P, load3(bodies.centre, j)), load3(x, j)),
        add(matvec(Q, load3(bodies.centre, i)), load3(x, i)),
    )
    M = matmul(transpose(A), B)
    return boxes_overlap(load3(bodies.half, i), load3(bodies.half, j), M, mat_t_vec(A, apart))


@jit_in_place
def _are_near(bodies, x, R, i, j):
    """Whether boxes meet, or a box and a half-space; two half-spaces never do."""
    if bodies.kind[i] == BOXED and bodies.kind[j] == BOXED:
        return _boxes_meet(bodies, x, R, i, j)
    if bodies.kind[i] == BOXED:
        return _reaches_below(bodies, x, R, j, i)
    if bodies.kind[j] == BOXED:
        return _reaches_below(bodies, x, R, i, j)
    return False


@jit
def keep_near(bodies, x, R, pairs, count):
    """Move the pairs that are near to the front of `pairs` (count, 2); returns how many."""
    kept = 0
    for c in range(count):
        i, j = pairs[c, 0], pairs[c, 1]
        if _are_near(bodies, x, R, i, j):
            pairs[kept, 0], pairs[kept, 1] = i, j
            kept += 1
    return kept


@jit
def mark_near(bodies, x, R, pairs, near):
    """Set `near` (m,) of pairs (m, 2) to whether they are."""
    for c in range(pairs.shape[0]):
        near[c] = _are_near(bodies, x, R, pairs[c, 0], pairs[c, 1])


_none, _rows, _rotations = read_only(np.empty(0), np.int32), np.empty((0, 3)), np.empty((0, 3, 3))
_bodies = BodyBoxes(_none, read_only(_rows), read_only(_rotations), read_only(_rows))
warm(place_boxes, _bodies, _rows, _rotations, np.empty((0, 6)))
warm(keep_near, _bodies, _rows, _rotations, np.empty((0, 2), np.int32), 0)
warm(mark_near, _bodies, _rows, _rotations, np.empty((0, 2), np.int32), np.empty(0, np.bool_))
