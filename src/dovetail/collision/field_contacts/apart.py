"""Which pairs of bodies are farther apart than contacts are sought, by the hulls around them.

For a unit vector u let s(u) be the least u.(q - p) over points p of the hull of a and q of that of
b: the bodies are at least s(u) apart. Gilbert's method (SIAM J. Control 4, 1966) finds a good u:
from a point z of the difference of the hulls, u = z/|z|, it goes to the point next to the origin on
the way from z to the point w where s(u) is attained. It begins with the u that was enough last
time, in the axes of a, which serves as long as the bodies hardly turn. A pair that was too near is
asked again after some calls only. The farthest point is found down an octree from the one that was
farthest last time.
"""

from typing import NamedTuple

import numpy as np

from dovetail.collision.field_contacts.outer_points import hull_trees
from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    dot,
    load3,
    load33,
    mat_t_vec,
    matvec,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import FloatArray, Int32Array, Int64Array
from dovetail.runtime.warmup import warm, warm_later

ITERATIONS = 30
CLOSE = 0.98  # of |z|: a bound that is as good is not improved on
LONGEST_WAIT = 31  # calls until a pair that was too near is asked again
PLACE_A, PLACE_B = 0, 1  # columns of `places`
LEFT, WAIT = 0, 1  # of `calls`


class KnownDirections(NamedTuple):
    """What is known of m pairs, and of the n pairs of their parts, from the calls before."""

    first: Int64Array  # (m,) the first pair of parts, (a0, b0), (a0, b1), ...
    calls: Int32Array  # (m, 2) for which it still waits, and for which it did
    u: FloatArray  # (n, 3) unit vectors in the axes of the first body; 0: none yet
    places: Int32Array  # (n, 2) the points of both that were farthest


@jit_in_place
def farthest(hulls, i, v, guess):
    """The number of the point of part i with the largest v.r; v is a unit vector."""
    points, best = hulls.points, guess
    most = dot(v, load3(points, best))
    node, behind = hulls.nodes[i], hulls.nodes[i + 1]
    while node < behind:
        if dot(v, load3(hulls.centre, node)) + hulls.radius[node] <= most:
            node = hulls.after[node]
            continue
        if hulls.leaf[node]:
            for k in range(hulls.start[node], hulls.end[node]):
                along = dot(v, load3(points, k))
                if along > most:
                    best, most = np.int32(k), along
        node += np.int32(1)
    return best


@jit_in_place
def _parts_apart(hulls, known, row, frames, i, j, enough):
    """Whether a direction shows the parts i and j to be more than `enough` [m] apart.

    `frames` is (A, B, D): the rotations of both bodies, and how far b is from a [m].
    """
    A, B, D = frames
    u = matvec(A, load3(known.u, row))
    if not dot(u, u) > 0.25:
        between = sub(
            add(D, matvec(B, load3(hulls.centre, hulls.nodes[j]))),
            matvec(A, load3(hulls.centre, hulls.nodes[i])),
        )
        length = norm(between)
        u = scale(1.0 / length, between) if length > 0.0 else (1.0, 0.0, 0.0)
        known.places[row, PLACE_A] = hulls.start[hulls.nodes[i]]
        known.places[row, PLACE_B] = hulls.start[hulls.nodes[j]]
    a, b = known.places[row, PLACE_A], known.places[row, PLACE_B]
    z = D
    for k in range(ITERATIONS):
        a = farthest(hulls, i, mat_t_vec(A, u), a)
        b = farthest(hulls, j, scale(-1.0, mat_t_vec(B, u)), b)
        w = sub(add(D, matvec(B, load3(hulls.points, b))), matvec(A, load3(hulls.points, a)))
        gap = dot(u, w)
        if gap > enough:
            in_a = mat_t_vec(A, u)
            for c in range(3):
                known.u[row, c] = in_a[c]
            known.places[row, PLACE_A], known.places[row, PLACE_B] = a, b
            return True
        if k == 0:
            z = w
        elif gap >= CLOSE * norm(z):
            return False
        e = sub(w, z)
        length = dot(e, e)
        if length > 0.0:
            z = add_scaled(z, min(max(-dot(z, e) / length, 0.0), 1.0), e)
        distance = norm(z)
        if not distance > enough:
            return False
        u = scale(1.0 / distance, z)
    return False


@jit_in_place
def _are_apart(hulls, known, row, x, R, i, j, enough):
    """Whether all parts of body i are more than `enough` [m] from all of body j."""
    frames = load33(R, i), load33(R, j), sub(load3(x, j), load3(x, i))
    at = known.first[row]
    for a in range(hulls.parts[i], hulls.parts[i + 1]):
        for b in range(hulls.parts[j], hulls.parts[j + 1]):
            if not _parts_apart(hulls, known, at, frames, a, b, enough):
                return False
            at += 1
    return True


@jit
def mark_apart(hulls, known, rows, x, R, pairs, enough, near):
    """Clear `near` (m,) of pairs (m, 2) that are more than `enough` (m,) [m] apart.

    `rows` (m,) is where a pair is in `known`.
    """
    for c in range(pairs.shape[0]):
        i, j, row = pairs[c, 0], pairs[c, 1], rows[c]
        if not near[c] or hulls.parts[i] == hulls.parts[i + 1]:
            continue
        if hulls.parts[j] == hulls.parts[j + 1]:
            continue
        if known.calls[row, LEFT] > 0:
            known.calls[row, LEFT] -= 1
            continue
        if _are_apart(hulls, known, row, x, R, i, j, enough[c]):
            near[c] = False
            known.calls[row, WAIT] = 0
        else:
            wait = min(2 * known.calls[row, WAIT] + 1, LONGEST_WAIT)
            known.calls[row, LEFT], known.calls[row, WAIT] = wait, wait


def nothing_known(counts: Int64Array) -> KnownDirections:
    """Of pairs of bodies with so many (m,) pairs of parts."""
    first = np.cumsum(counts) - counts
    total = int(np.sum(counts))
    return KnownDirections(
        first.astype(np.int64), np.zeros((len(counts), 2), np.int32), np.zeros((total, 3)),
        np.zeros((total, 2), np.int32),
    )  # fmt: skip


def _register() -> None:
    warm(
        mark_apart, hull_trees([[np.zeros((1, 3))]]), nothing_known(np.ones(1, np.int64)),
        np.zeros(0, np.int32), np.zeros((1, 3)), np.zeros((1, 3, 3)), np.zeros((0, 2), np.int32),
        np.zeros(0), np.zeros(0, np.bool_),
    )  # fmt: skip


warm_later(_register)
