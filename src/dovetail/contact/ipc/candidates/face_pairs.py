"""Bodies with many faces are searched by pairs of faces: one walk in place of three.

Each vertex and each edge belongs to one face (`collision.mesh.face_owners`). Two features are no
closer than the faces they belong to, so where two faces are proven apart all their features are.
For a list the walk decides (`candidates.placed_descent`), and then the boxes of vertices, edges and
faces, in world axes: half of all distances need not be computed. For a motion six corners
are projected once on the normal of a face instead of a dozen pairs on theirs. At constant twists,
along a unit vector u, a corner r of a body that turns by w until 1 is at
    u.exp(t [w]) r <= u.r + t (u x w).r + t^2 / 2 |u x w| |w x r|
(`candidates.approach`). The largest of these over the corners is a convex function of t, so the
separation of two faces along u is bounded from below by a concave one, which is least at one of
the two ends.
"""

import math

from dovetail.collision.mesh.face_owners import SHARES
from dovetail.contact.ipc.candidates.approach import SeenMotion
from dovetail.contact.ipc.candidates.coplanar import group_by_patch
from dovetail.contact.ipc.candidates.placed_descent import begin_walk, next_near_faces
from dovetail.contact.ipc.candidates.records import (
    FEATURE_I,
    FEATURE_J,
    KIND,
    SWAP,
)
from dovetail.contact.ipc.feature_pair import face_of, place_vertex, squared_distance
from dovetail.contact.ipc.records import EDGE_EDGE, FACES, POINT_FACE
from dovetail.linalg.vec3 import (
    ZERO,
    add,
    cross,
    dot,
    neg,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit_in_place, jit_within, when_called


@jit_in_place
def both_by_faces(shapes, a, b):
    """Whether both bodies have many faces and nothing else."""
    by_faces = shapes.features.owners.by_faces
    return by_faces[a] != 0 and by_faces[b] != 0


@jit_within
def _extents(u, corners, w, t):
    """The largest u.r of all corners now, and a bound of it at t."""
    now, then = -math.inf, -math.inf
    for k in range(len(corners)):
        now = max(now, dot(u, corners[k]))
    tilt = cross(u, w)
    bend = 0.5 * t * t * norm(tilt)
    if bend == 0.0:
        return now, now
    for k in range(len(corners)):
        r = corners[k]
        then = max(then, dot(u, r) + t * dot(tilt, r) + bend * norm(cross(w, r)))
    return now, then


@jit_within
def stay_apart_along(normal, A, B, D, ds, w_a, w_b, t, beyond):
    """Whether corners A and B, from centres that D leads between, stay apart along a normal.

    They must not come closer than `beyond` [m] until t. The sign and length of `normal` do not
    matter.
    """
    size = norm(normal)
    if not size > 0.0:
        return False
    u = scale(1.0 / size, normal)
    if dot(u, sub(add(D, B[0]), A[0])) < 0.0:
        u = neg(u)
    now_a, then_a = _extents(u, A, w_a, t)
    now_b, then_b = _extents(neg(u), B, w_b, t)
    along = dot(u, D)
    return (
        along - now_a - now_b > beyond and along + t * dot(u, ds) - then_a - then_b > beyond
    )  # fmt: skip


@jit_within
def normal_of(face):
    """Of any length, 0 of a face without area."""
    return cross(sub(face[1], face[0]), sub(face[2], face[0]))


@jit_in_place
def faces_stay_apart(f, g, features, D, ds, w_a, w_b, t, beyond):
    """Whether two placed faces stay apart until t along the normal of one of them."""
    A, B = face_of(features, f), face_of(features, g)
    if stay_apart_along(normal_of(A), A, B, D, ds, w_a, w_b, t, beyond):
        return True
    return stay_apart_along(normal_of(B), A, B, D, ds, w_a, w_b, t, beyond)


@jit_in_place
def place_faces(f, g, features):
    """The offsets of the corners of two faces."""
    for k in range(3):
        place_vertex(features.faces[f, k], features)
        place_vertex(features.faces[g, k], features)


@jit_in_place
def _write_nearby(target, top, back, kind, swap, i, j, squared, limit, shares):
    """Write a candidate that is near: those that share a barrier from the end backwards.

    Returns how many there are at both ends, also where there is no room.
    """
    if squared > limit:
        return top, back
    rows = target.rows
    capacity = rows.shape[0]
    at = capacity - 1 - back if shares else top
    if top + back < capacity:
        rows[at, KIND] = kind
        rows[at, SWAP] = swap
        rows[at, FEATURE_I] = i
        rows[at, FEATURE_J] = j
        target.distance[at] = math.sqrt(squared) if squared > 0.0 else -1.0
    return (top, back + 1) if shares else (top + 1, back)


@jit_within
def _edges_are_far(r, edges, e, other, D, margin):
    """Whether the boxes of two edges are farther apart than `margin` [m] along an axis."""
    p, q, s, t = edges[e, 0], edges[e, 1], edges[other, 0], edges[other, 1]
    for k in range(3):
        low, high = min(r[p, k], r[q, k]) - D[k] - margin, max(r[p, k], r[q, k]) - D[k] + margin
        if min(r[s, k], r[t, k]) > high or max(r[s, k], r[t, k]) < low:
            return True
    return False


@jit_within
def _vertex_is_far(r, faces, v, f, D, margin):
    """Whether a vertex is farther from the box of a face than `margin` [m] along an axis."""
    p, q, s = faces[f, 0], faces[f, 1], faces[f, 2]
    for k in range(3):
        low, high = r[v, k] - D[k] - margin, r[v, k] - D[k] + margin
        if min(r[p, k], min(r[q, k], r[s, k])) > high or max(r[p, k], max(r[q, k], r[s, k])) < low:
            return True
    return False


@jit_in_place
def _list_features(owners, patches, f, g, features, target, D, limit, margin, top, back):
    """Write the features of two faces, f of a and g of b, that are near each other.

    Only what has a barrier can share one. Most are not near: their boxes say so.
    """
    faces, corner, side = features.faces, patches.corner, patches.side
    r, edges = features.r_world, features.edges
    of_f, of_g = owners.owned[f], owners.owned[g]
    back_D = neg(D)
    for k in range(3):
        if of_f & (1 << k) and not _vertex_is_far(r, faces, faces[f, k], g, D, margin):
            v = faces[f, k]
            d = squared_distance(POINT_FACE, v, g, D, features)
            shares = corner[v] != 0 and (of_g & SHARES) != 0
            top, back = _write_nearby(
                target, top, back, POINT_FACE, 0, v, g, d, limit, shares
            )  # fmt: skip
        if of_g & (1 << k) and not _vertex_is_far(r, faces, faces[g, k], f, back_D, margin):
            v = faces[g, k]
            d = squared_distance(POINT_FACE, v, f, back_D, features)
            shares = corner[v] != 0 and (of_f & SHARES) != 0
            top, back = _write_nearby(
                target, top, back, POINT_FACE, 1, v, f, d, limit, shares
            )  # fmt: skip
    for k in range(3):
        if of_f & (8 << k):
            e = owners.sides[f, k]
            for m in range(3):
                if of_g & (8 << m):
                    other = owners.sides[g, m]
                    if _edges_are_far(r, edges, e, other, D, margin):
                        continue
                    d = squared_distance(EDGE_EDGE, e, other, D, features)
                    shares = (owners.shares[e] | owners.shares[other]) != 0
                    shares = shares and side[e] >= 0 and side[other] >= 0
                    top, back = _write_nearby(
                        target, top, back, EDGE_EDGE, 0, e, other, d, limit, shares
                    )
    return top, back


@when_called(0)
@jit_in_place
def list_by_faces(shapes, features, descent, target, pair, reach, margin, top, most):
    """All candidates of two bodies within reach, by pairs of faces; returns where they end.

    First those with a barrier of their own or none, in an order that only the trees decide, then
    those that share one, sorted. Gives up as soon as there are more than `most`.
    """
    trees, owners, first = shapes.trees, shapes.features.owners, shapes.features.first
    a, b, D = pair.a, pair.b, pair.D
    rounding = shapes.rounding[a] + shapes.rounding[b]
    placing = begin_walk(descent, shapes, features.R, pair, ZERO, ZERO, ZERO, 0.0, 0.0)
    seen = SeenMotion(placing.Q, placing.offset, margin, 0.0, margin, ZERO, ZERO, ZERO)
    limit, back, capacity = reach * reach * 1.000001, 0, target.rows.shape[0]
    descent.stack[0, 0] = descent.stack[0, 1] = 0
    depth = 1
    while depth > 0 and top + back <= most:
        depth, count = next_near_faces(
            trees, features, trees.root[a, FACES], placing, seen, margin + rounding, descent, depth
        )
        for k in range(count):
            f = first[a, FACES] + descent.leaves[k, 0]
            g = first[b, FACES] + descent.leaves[k, 1]
            place_faces(f, g, features)
            top, back = _list_features(
                owners, shapes.patches, f, g, features, target, D, limit, margin + rounding, top,
                back,
            )  # fmt: skip
    if top + back <= capacity:
        for k in range(back):
            for column in range(4):
                target.rows[top + k, column] = target.rows[capacity - back + k, column]
            target.distance[top + k] = target.distance[capacity - back + k]
        group_by_patch(target.rows, target.distance, top, top + back, shapes.patches)
    return top + back
