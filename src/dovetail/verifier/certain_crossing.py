"""Simplices that certainly pass through each other in a piece of time, by a change of sign.

Two closed solids overlap for a while after they have met, so that some instant shows it. A wire
that passes through a wire, or a sheet flat through a sheet, does so in one instant, which no
instant that is looked at hits. Seen from body b, a continuous height that is negative at the
beginning and positive at the end is zero between, and that is a meeting if it happens inside of the
simplex:

    triangle  a material point of A whose projection on the plane of B is further inside of B than
              it moves in the piece, and whose height over that plane changes its sign;
    wires     the plane through wire B along m = a x b. The ends of wire A stay on its two sides,
              so A always has one point in it, at a place along B that moves by less than it is
              inside, and at a height along m that changes its sign.
"""

import numpy as np

from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    mat_t_vec,
    matmul,
    matvec,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit
from dovetail.verifier.records import RelativeMotion
from dovetail.verifier.separating_direction import unit

CLIPPED = 8  # corners of a triangle cut by three lines, and spare


@jit
def seen_from_b(corners, motion, s):
    """Corners of A (body frame) at time s, in the frame of body b."""
    Q_a = matmul(exp(scale(s, motion.w_a)), motion.R_a)
    Q_b = matmul(exp(scale(s, motion.w_b)), motion.R_b)
    origin = add_scaled(motion.D, s, motion.v)
    return (
        mat_t_vec(Q_b, sub(matvec(Q_a, corners[0]), origin)),
        mat_t_vec(Q_b, sub(matvec(Q_a, corners[1]), origin)),
        mat_t_vec(Q_b, sub(matvec(Q_a, corners[2]), origin)),
    )


@jit
def seen_from_a(motion):
    """The same motion with the bodies exchanged."""
    return RelativeMotion(
        scale(-1.0, motion.D), scale(-1.0, motion.v), motion.R_b, motion.w_b, motion.R_a, motion.w_a
    )


@jit
def path_length(corners, motion, s, half):
    """Bound [m] on how far corners of A move, seen from b, to either side of time s."""
    reach = max(norm(corners[0]), max(norm(corners[1]), norm(corners[2])))
    origin = add_scaled(motion.D, s, motion.v)
    drift = norm(sub(cross(motion.w_b, origin), motion.v))
    drift += half * norm(cross(motion.w_b, motion.v))
    return half * (norm(sub(motion.w_a, motion.w_b)) * reach + drift)


@jit
def _mixed(weights, corners):
    return add(
        add(scale(weights[0], corners[0]), scale(weights[1], corners[1])),
        scale(weights[2], corners[2]),
    )


@jit
def _inside_point(A, B, normal):
    """Weights of the corners of A whose mixture lies amid the part of A over B, and how far inside.

    Cuts A by the sides of B, in barycentric coordinates of A (Sutherland and Hodgman 1974).
    """
    now, cut = np.zeros((CLIPPED, 3)), np.zeros((CLIPPED, 3))
    values = np.zeros(CLIPPED)
    for k in range(3):
        now[k, k] = 1.0
    count = 3
    for side in range(3):
        inward = unit(cross(normal, sub(B[(side + 1) % 3], B[side])))
        kept = 0
        for k in range(count):
            values[k] = dot(inward, sub(_mixed(load3(now, k), A), B[side]))
        for k in range(count):
            m = (k + 1) % count
            if values[k] >= 0.0 and kept < CLIPPED:
                for i in range(3):
                    cut[kept, i] = now[k, i]
                kept += 1
            if (values[k] >= 0.0) != (values[m] >= 0.0) and kept < CLIPPED:
                part = values[k] / (values[k] - values[m])
                for i in range(3):
                    cut[kept, i] = now[k, i] + part * (now[m, i] - now[k, i])
                kept += 1
        count = kept
        for k in range(count):
            for i in range(3):
                now[k, i] = cut[k, i]
    if count == 0:
        return (1.0, 0.0, 0.0), -1.0
    total = (0.0, 0.0, 0.0)
    for k in range(count):
        total = add(total, load3(now, k))
    weights = scale(1.0 / (total[0] + total[1] + total[2]), total)
    place, inside = _mixed(weights, A), np.inf
    for side in range(3):
        inward = unit(cross(normal, sub(B[(side + 1) % 3], B[side])))
        inside = min(inside, dot(inward, sub(place, B[side])))
    return weights, inside


@jit
def point_passes_face(corners_a, B, motion, begin, end, slack):
    """A point of A certainly passes through the triangle B (body frame of b)."""
    normal = cross(sub(B[1], B[0]), sub(B[2], B[0]))
    if not norm(normal) > 0.0:
        return False
    normal = unit(normal)
    s, half = 0.5 * (begin + end), 0.5 * (end - begin)
    weights, inside = _inside_point(seen_from_b(corners_a, motion, s), B, normal)
    if not inside > path_length(corners_a, motion, s, half) + slack:
        return False
    before = _mixed(weights, seen_from_b(corners_a, motion, begin))
    after = _mixed(weights, seen_from_b(corners_a, motion, end))
    low, high = dot(normal, sub(before, B[0])), dot(normal, sub(after, B[0]))
    return (low < -slack and high > slack) or (low > slack and high < -slack)


@jit
def _height_along(A, b, q, m):
    """Where wire A passes the plane through b with normal q: (share along A, height along m)."""
    h0, h1 = dot(q, sub(A[0], b)), dot(q, sub(A[1], b))
    share = h0 / (h0 - h1)
    place = add_scaled(A[0], share, sub(A[1], A[0]))
    return place, dot(m, sub(place, b))


@jit
def wires_pass(corners_a, B, motion, begin, end, slack):
    """Wire A = (p, q, q) certainly passes through wire B (body frame of b)."""
    s, half = 0.5 * (begin + end), 0.5 * (end - begin)
    A = seen_from_b(corners_a, motion, s)
    along_a, along_b = sub(A[1], A[0]), sub(B[1], B[0])
    m = cross(along_a, along_b)
    if not norm(m) > 0.0:
        return False
    m, length = unit(m), norm(along_b)
    t = unit(along_b)
    q = cross(t, m)
    moved = path_length(corners_a, motion, s, half) + slack
    h0, h1 = dot(q, sub(A[0], B[0])), dot(q, sub(A[1], B[0]))
    if not (min(abs(h0), abs(h1)) > moved and h0 * h1 < 0.0):
        return False
    across = abs(h0 - h1)
    if not across > 4.0 * moved:
        return False
    shift = norm(along_a) / (across - 2.0 * moved)
    place, _ = _height_along(A, B[0], q, m)
    at = dot(t, sub(place, B[0]))
    if not min(at, length - at) > moved * (1.0 + 3.0 * shift):
        return False
    sure = slack * (1.0 + 3.0 * shift)
    _, low = _height_along(seen_from_b(corners_a, motion, begin), B[0], q, m)
    _, high = _height_along(seen_from_b(corners_a, motion, end), B[0], q, m)
    return (low < -sure and high > sure) or (low > sure and high < -sure)


@jit
def _is_wire(A):
    return A[0] != A[1] and (A[1] == A[2] or A[0] == A[2])


@jit
def certainly_cross(corners_a, corners_b, motion, begin, end, slack):
    """Simplices with these corners (in their body frames) pass through each other for certain."""
    if point_passes_face(corners_a, corners_b, motion, begin, end, slack):
        return True
    if point_passes_face(corners_b, corners_a, seen_from_a(motion), begin, end, slack):
        return True
    if _is_wire(corners_a) and _is_wire(corners_b):
        return wires_pass(corners_a, corners_b, motion, begin, end, slack)
    return False
