r"""Gaps beyond first order: rotations of a tenth of a radian bend them by many dhat.

Two features that are nearest at a pose go on as the bodies do, with the points that touch there:
    g(u) = n(u) . (p_a(u) - p_b(u)),
n that of the plane which the face or half-space is in, or at right angles to both edges; where two
ends of features are nearest it stays as it is. g has a sign, also where bodies overlap. Along
constant twists it is d + J u t + c t^2 and higher, c = g(u) - d - J u. Where c > 0 the path would
dip below its end, so only c < 0 counts: then the gap is least at one of the ends.
"""

from dovetail.collision.distance.closest_points import (
    EDGES_CROSSED,
    edge_edge,
    point_triangle,
)
from dovetail.collision.distance.closest_points import POINT_FACE as INSIDE
from dovetail.contact.ipc.feature_pair import edge_of, face_of
from dovetail.contact.ipc.first_iterate.records import (
    ARM_A,
    ARM_B,
    AXIS,
    EDGE_A,
    EDGE_B,
    STAYS,
    WITH_A,
    WITH_B,
    WITH_EDGES,
)
from dovetail.contact.ipc.records import EDGE_EDGE, POINT_FACE, POINT_PLANE
from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import add, cross, dot, load3, neg, norm, scale, sub
from dovetail.runtime.jit import jit_in_place

ALONG = 0.2  # sine of the angle between two edges: below they have no normal that is well known
MOST = 2.0  # times the angle squared times the arms: more is no second order any longer


@jit_in_place
def _vector(rows, r, at):
    return (rows[r, at], rows[r, at + 1], rows[r, at + 2])


@jit_in_place
def _put(rows, r, at, v):
    rows[r, at], rows[r, at + 1], rows[r, at + 2] = v[0], v[1], v[2]


@jit_in_place
def set_bend(bent, r, kind, swap, i, j, D, features, r_a, r_b, normal):
    """How the gap of contact r goes on: D leads from the body of feature i to that of j."""
    arms, turns = bent.arms, bent.turns
    _put(arms, r, ARM_A, r_a)
    _put(arms, r, ARM_B, r_b)
    _put(arms, r, AXIS, normal)
    with_j = WITH_B if swap == 0 else WITH_A
    turns[r] = STAYS
    if kind == POINT_PLANE:
        turns[r] = with_j
    elif kind == POINT_FACE:
        t0, t1, t2 = face_of(features, j)
        case, _, _ = point_triangle(load3(features.r_world, i), add(t0, D), add(t1, D), add(t2, D))
        if case == INSIDE:
            turns[r] = with_j
    elif kind == EDGE_EDGE:
        a0, a1 = edge_of(features, i)
        b0, b1 = edge_of(features, j)
        e, f = sub(a1, a0), sub(b1, b0)
        if edge_edge(a0, a1, add(b0, D), add(b1, D))[0] != EDGES_CROSSED:
            return
        if norm(cross(e, f)) < ALONG * norm(e) * norm(f):
            return
        if swap == 1:
            e, f = f, e
        turns[r] = WITH_EDGES
        _put(arms, r, EDGE_A, e)
        _put(arms, r, EDGE_B, f if dot(cross(e, f), normal) > 0.0 else neg(f))


@jit_in_place
def set_rotations(bent, twist):
    """The rotations of all bodies at the end of their twists (n, 6)."""
    rotations = bent.rotations
    for i in range(twist.shape[0]):
        Q = exp((twist[i, 3], twist[i, 4], twist[i, 5]))
        for r in range(3):
            for c in range(3):
                rotations[i, 3 * r + c] = Q[r][c]


@jit_in_place
def _rotated(rotations, i, v):
    Q = rotations
    return (
        Q[i, 0] * v[0] + Q[i, 1] * v[1] + Q[i, 2] * v[2],
        Q[i, 3] * v[0] + Q[i, 4] * v[1] + Q[i, 5] * v[2],
        Q[i, 6] * v[0] + Q[i, 7] * v[1] + Q[i, 8] * v[2],
    )


@jit_in_place
def bent_gap(bent, r, a, b, distance, twist):
    """g [m] of contact r of bodies a and b at the end of the twists, of `set_rotations`."""
    arms, Q, turns = bent.arms, bent.rotations, bent.turns[r]
    r_a, r_b, n = _vector(arms, r, ARM_A), _vector(arms, r, ARM_B), _vector(arms, r, AXIS)
    apart = scale(distance, n)
    apart = add(apart, sub(_rotated(Q, a, r_a), r_a))
    apart = sub(apart, sub(_rotated(Q, b, r_b), r_b))
    apart = add(apart, sub(_vector(twist, a, 0), _vector(twist, b, 0)))
    if turns == WITH_A:
        n = _rotated(Q, a, n)
    elif turns == WITH_B:
        n = _rotated(Q, b, n)
    elif turns == WITH_EDGES:
        across = cross(
            _rotated(Q, a, _vector(arms, r, EDGE_A)), _rotated(Q, b, _vector(arms, r, EDGE_B))
        )
        n = scale(1.0 / norm(across), across)
    return dot(n, apart)
