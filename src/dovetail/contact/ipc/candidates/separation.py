"""A lower bound of the distance of two bodies while they move, from their convex hulls.

For a unit vector u let s(u) be the least u.(q - p) over points p of a and q of b: the bodies are at
least s(u) apart. Gilbert's method (SIAM J. Control 4, 1966) finds a good u: from a point z of the
difference of the hulls, u = z/|z|, it goes to the point next to the origin on the way from z to the
point w where s(u) is attained. Directions to begin with are the axes of both boxes.

Along constant twists a point of a is at r + t w x r to first order, off by no more than
t^2/2 |u x w| |w| |r| along u (`candidates.approach`). The least u.(q - p) of points that move with
constant velocities is a concave function of time, so it is least at one of the two ends.

A body of few vertices is the hull of these, any other one its box. What such a bound shows to be
far apart need not be looked for down the trees.
"""

import math

from dovetail.contact.ipc.candidates.relative_motion import ROUNDING
from dovetail.contact.ipc.records import VERTICES
from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    mat_t_vec,
    matvec,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit_in_place, jit_within

MOST_VERTICES = 64  # of a body whose hull is used; of others the box
ITERATIONS = 10
CLOSE = 0.9  # of |z|: a bound that is as good is not improved on


@jit_in_place
def _farthest(shapes, i, v):
    """The point of body i, in its axes, with the largest v.r; without its rounding."""
    features, rounding = shapes.features, shapes.rounding[i]
    vertices, begin = features.vertices, features.first[i, VERTICES]
    end, solids = features.first[i + 1, VERTICES], features.solids
    solid = solids.shape[0] > 0 and solids[i, 0] > 0.0
    if solid or not begin < end <= begin + MOST_VERTICES:
        centre, half = shapes.box_centre, shapes.box_half
        return (
            centre[i, 0] + math.copysign(half[i, 0] - rounding, v[0]),
            centre[i, 1] + math.copysign(half[i, 1] - rounding, v[1]),
            centre[i, 2] + math.copysign(half[i, 2] - rounding, v[2]),
        )
    best, most = begin, -math.inf
    for k in range(begin, end):
        along = v[0] * vertices[k, 0] + v[1] * vertices[k, 1] + v[2] * vertices[k, 2]
        if along > most:
            best, most = k, along
    return load3(vertices, best)


@jit_in_place
def _nearest_along(shapes, A, B, pair, motion, t, u):
    """(the least u.(q - p) [m], the q - p where it is) at the time t of the linear motion."""
    ds, w_a, w_b = motion
    along_a, along_b = add_scaled(u, t, cross(u, w_a)), add_scaled(u, t, cross(u, w_b))
    p = matvec(A, _farthest(shapes, pair.a, mat_t_vec(A, along_a)))
    q = matvec(B, _farthest(shapes, pair.b, scale(-1.0, mat_t_vec(B, along_b))))
    apart = sub(add_scaled(q, t, cross(w_b, q)), add_scaled(p, t, cross(w_a, p)))
    apart = add(apart, add_scaled(pair.D, t, ds))
    return dot(u, apart), apart


@jit_within
def _half_width(half, A, i, u):
    """[m] half the width of the box of body i along u."""
    v = mat_t_vec(A, u)
    return abs(v[0]) * half[i, 0] + abs(v[1]) * half[i, 1] + abs(v[2]) * half[i, 2]


@jit_in_place
def _axis_between(shapes, A, B, pair):
    """The axis of the two boxes along which they are farthest apart, from a to b."""
    half, a, b = shapes.box_half, pair.a, pair.b
    apart = sub(
        add(pair.D, matvec(B, load3(shapes.box_centre, b))),
        matvec(A, load3(shapes.box_centre, a)),
    )
    best, most = (1.0, 0.0, 0.0), -math.inf
    for k in range(6):
        j = k % 3
        u = (A[0][j], A[1][j], A[2][j]) if k < 3 else (B[0][j], B[1][j], B[2][j])
        along = dot(u, apart)
        gap = abs(along) - _half_width(half, A, a, u) - _half_width(half, B, b, u)
        if gap > most:
            best, most = scale(math.copysign(1.0, along), u), gap
    return best


@jit_in_place
def separation(shapes, R, pair, motion, t, enough):
    """[m] what the distance of two bodies is not less than at any time up to t.

    `motion` is (ds, w_a, w_b), the translation of b less that of a [m] and both rotations [rad]
    until 1; R (n, 3, 3). A bound of `enough` [m] is not improved on.
    """
    a, b = pair.a, pair.b
    A, B = load33(R, a), load33(R, b)
    ds, w_a, w_b = motion
    r_a, r_b = shapes.core_radius[a], shapes.core_radius[b]
    size = norm(pair.D) + norm(ds) + (1.0 + norm(w_a) + norm(w_b)) * (r_a + r_b)
    less = shapes.rounding[a] + shapes.rounding[b] + 4.0 * ROUNDING * size
    spin_a, spin_b = 0.5 * t * t * norm(w_a) * r_a, 0.5 * t * t * norm(w_b) * r_b
    best, u = -math.inf, _axis_between(shapes, A, B, pair)
    z = pair.D
    for k in range(ITERATIONS):
        gap, w = _nearest_along(shapes, A, B, pair, motion, 0.0, u)
        if t > 0.0:
            then, w_then = _nearest_along(shapes, A, B, pair, motion, t, u)
            if then < gap:
                gap, w = then, w_then
        bend = spin_a * norm(cross(u, w_a)) + spin_b * norm(cross(u, w_b))
        best = max(best, gap - bend - less)
        if best > enough or (k > 0 and gap >= CLOSE * norm(z)):
            break
        if k == 0:
            z = w
        e = sub(w, z)
        length = dot(e, e)
        if length > 0.0:
            z = add_scaled(z, min(max(-dot(z, e) / length, 0.0), 1.0), e)
        distance = norm(z)
        if not distance > 0.0:
            break
        u = scale(1.0 / distance, z)
    return best
