"""Do two bodies meet on the path between two frames? The verifier's own answer.

Both move at a constant world twist, s from 0 to 1: x(s) = x_0 + s v, R(s) = exp(s w) R_0. All is
seen from the centre of body a, in world axes: a corner of a is at p(s) = R_a(s) r, one of b at
q(s) = D + s (v_b - v_a) + R_b(s) r with D = x_b - x_a at s = 0.

Pairs of tree nodes and pieces of time are halved until each piece is shown to be clear by one of
    nodes:   their boxes stay apart (`moving_boxes`),
    leaves:  the projections on a direction n stay disjoint. n.p(s + tau) lies within M tau^2 / 2 of
             its tangent, with M from `moving_boxes`, and (least tangent of b) - (largest tangent of
             a) is concave in tau, so that the two ends of the piece decide,
or a pair of simplices meets exactly in the middle of a piece, or is closer there than the required
clearance. Pure translation is one test. Boxes and directions are seen from a frame that rotates
with one of the bodies or with none: two bodies that rotate together are no more work than two at
rest.

Rounding: exp is within 8 units of 2^-53, a product with a matrix, a direction or an angle within 4,
a sum within 1; an angle is half of pi at most to each side. So the projections of corners and their
displacements are off by less than 64 units of |D| + |v_b - v_a| + r_a + r_b, those of boxes, which
go through one more rotation and reach beyond the corners, by less than 200; twice that is allowed.
"""

import math

import numpy as np

from dovetail.collision.bvh.forest_arrays import NO_FOREST
from dovetail.collision.intersection.simplices import triangles_meet
from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import (
    IDENTITY,
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    matmul,
    matvec,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm
from dovetail.verifier.moving_boxes import (
    acceleration_of_body,
    acceleration_of_origin,
    boxes_stay_apart,
    frame_rotation,
    kinematics,
)
from dovetail.verifier.records import (
    CLEAR,
    MEET,
    UNDECIDED,
    Limits,
    PathOutcome,
    RelativeMotion,
)
from dovetail.verifier.separating_direction import (
    N_AXES,
    across_edge,
    axis_of,
    shortest_between,
    unit,
)

ROUNDING = 128.0 * 2.0**-53
BOX_ROUNDING = 512.0 * 2.0**-53
SHORTEST_PIECE = 2.0**-44  # of the path between two frames
STACK = 1024  # trees of depth 79 each and 44 halvings, two entries at most for each


@jit
def _placed(vertices, simplices, i, R, x):
    """The corners of simplex i at R r + x."""
    return (
        add(matvec(R, load3(vertices, simplices[i, 0])), x),
        add(matvec(R, load3(vertices, simplices[i, 1])), x),
        add(matvec(R, load3(vertices, simplices[i, 2])), x),
    )


@jit
def _gap(n, A, B):
    """From the last corner of A along n to the first of B."""
    last = max(dot(n, A[0]), max(dot(n, A[1]), dot(n, A[2])))
    return min(dot(n, B[0]), min(dot(n, B[1]), dot(n, B[2]))) - last


@jit
def _stay_apart(n, A, B, D, v, w_a, w_b, c, half, slack):
    """How far [m] beyond `slack` the projections on the unit vector n stay apart, or 0.

    For `half` a piece to both sides.
    """
    if not _gap(n, A, B) > slack:
        return 0.0
    alpha, beta = sub(w_a, c), sub(w_b, c)
    tilt_a, tilt_b = norm(cross(alpha, n)), norm(cross(beta, n))
    drift_a, drift_b = norm(cross(c, w_a)), norm(cross(c, w_b))
    rate_b = dot(n, sub(v, cross(c, D)))
    origin = acceleration_of_origin(norm(cross(c, n)), c, D, v, half)
    high = high_before = -math.inf
    low = low_before = math.inf
    for k in range(3):
        u = cross(alpha, A[k])
        now, rate = dot(n, A[k]), half * dot(n, u)
        bound = acceleration_of_body(tilt_a, norm(u), norm(A[k]), drift_a, half)
        off = 0.5 * half * half * bound
        high, high_before = max(high, now + rate + off), max(high_before, now - rate + off)
        r = sub(B[k], D)
        u = cross(beta, r)
        now, rate = dot(n, B[k]), half * (rate_b + dot(n, u))
        off = origin + acceleration_of_body(tilt_b, norm(u), norm(r), drift_b, half)
        off *= 0.5 * half * half
        low, low_before = min(low, now + rate - off), min(low_before, now - rate - off)
    return max(0.0, min(low - high, low_before - high_before) - slack)


@jit
def leaves_stay_apart(A, B, D, v, w_a, w_b, c, half, slack):
    """By how much [m] beyond `slack` A and B stay apart for `half` a piece to both sides.

    Along the first direction that shows it; 0 if none does. Directions rotate at c.
    """
    shortest = shortest_between(A, B)
    towards_b = sub(B[0], A[0])
    for k in range(7 + N_AXES):
        if k == 0:
            n = unit(shortest)
        elif k < 7:  # rounding tilts a short vector along an edge: take that part out
            corners = A if k < 4 else B
            n = unit(across_edge(shortest, sub(corners[k % 3], corners[(k + 1) % 3])))
        else:
            n = axis_of(A, B, k - 7)
            if dot(n, towards_b) < 0.0:
                n = scale(-1.0, n)
        if n != ZERO:
            margin = _stay_apart(n, A, B, D, v, w_a, w_b, c, half, slack)
            if margin > 0.0:
                return margin
    return 0.0


@jit
def path_between(forest, body_a, body_b, motion, limits):
    """The PathOutcome of two bodies in RelativeMotion within Limits.

    UNDECIDED after the budget of tests, or where a piece of SHORTEST_PIECE is neither clear nor
    shows a meeting. Bodies that are clear keep clearance + margin [m] on the whole path; the margin
    is that of the limits where they do keep it.
    """
    D, v, w_a, w_b = motion.D, motion.v, motion.w_a, motion.w_b
    clearance, budget, wanted = limits.clearance, limits.budget, limits.margin
    vertices, simplices, boxes, right = (
        forest.vertices, forest.simplices, forest.boxes, forest.right,
    )  # fmt: skip
    radius_a, radius_b = forest.radius[body_a], forest.radius[body_b]
    extent = norm(D) + norm(v) + radius_a + radius_b
    slack = (ROUNDING + 4.0 * limits.defect) * extent
    box_slack = (BOX_ROUNDING + 16.0 * limits.defect) * extent
    first_a, first_b = forest.first_simplex[body_a], forest.first_simplex[body_b]
    c = frame_rotation(w_a, w_b, radius_a, radius_b)
    nodes = np.empty((STACK, 2), np.int32)
    pieces = np.empty((STACK, 2))
    nodes[0, 0], nodes[0, 1] = forest.root[body_a], forest.root[body_b]
    pieces[0, 0], pieces[0, 1] = 0.0, 1.0
    top, tests, margin = 1, 0, wanted
    undecided, undecided_s, undecided_i, undecided_j = False, 0.0, 0, 0
    s_known = -1.0
    Q_a = Q_b = IDENTITY
    shift = ZERO
    now = kinematics(Q_a, Q_b, shift, v, w_a, w_b, c)
    while top > 0:
        top -= 1
        a, b = nodes[top, 0], nodes[top, 1]
        begin, end = pieces[top, 0], pieces[top, 1]
        s, half = 0.5 * (begin + end), 0.5 * (end - begin)
        if tests >= budget:
            return PathOutcome(UNDECIDED, s, -1, -1, tests, 0.0)
        tests += 1
        if s != s_known:
            Q_a = matmul(exp(scale(s, w_a)), motion.R_a)
            Q_b = matmul(exp(scale(s, w_b)), motion.R_b)
            shift = add_scaled(D, s, v)
            now = kinematics(Q_a, Q_b, shift, v, w_a, w_b, c)
            s_known = s
        apart, size_a, size_b, displacement = boxes_stay_apart(
            boxes, a, boxes, b, now, half, box_slack + clearance + wanted
        )
        if apart:
            continue
        leaf_a, leaf_b = right[a] < 0, right[b] < 0
        cut_time = True
        if leaf_a and leaf_b:
            i, j = -1 - right[a], -1 - right[b]
            A = _placed(vertices, simplices, i, Q_a, ZERO)
            B = _placed(vertices, simplices, j, Q_b, shift)
            kept = leaves_stay_apart(A, B, shift, v, w_a, w_b, c, half, slack + clearance)
            if kept > 0.0:
                margin = min(margin, kept)
                continue
            near = clearance > 0.0 and norm(shortest_between(A, B)) < clearance - slack
            if near or triangles_meet(A[0], A[1], A[2], B[0], B[1], B[2]):
                return PathOutcome(MEET, s, i - first_a, j - first_b, tests, 0.0)
            if end - begin <= SHORTEST_PIECE:
                undecided, undecided_s, undecided_i, undecided_j = True, s, i, j
                continue
        else:
            cut_time = displacement > max(size_a, size_b) and end - begin > SHORTEST_PIECE
        if cut_time:
            nodes[top, 0], nodes[top, 1] = a, b
            nodes[top + 1, 0], nodes[top + 1, 1] = a, b
            pieces[top, 0], pieces[top, 1] = s, end
            pieces[top + 1, 0], pieces[top + 1, 1] = begin, s
        else:
            pieces[top, 0] = pieces[top + 1, 0] = begin
            pieces[top, 1] = pieces[top + 1, 1] = end
            if leaf_b or (not leaf_a and size_a > size_b):
                nodes[top, 0], nodes[top, 1] = right[a], b
                nodes[top + 1, 0], nodes[top + 1, 1] = a + 1, b
            else:
                nodes[top, 0], nodes[top, 1] = a, right[b]
                nodes[top + 1, 0], nodes[top + 1, 1] = a, b + 1
        top += 2
    if undecided:
        return PathOutcome(
            UNDECIDED, undecided_s, undecided_i - first_a, undecided_j - first_b, tests, 0.0
        )
    return PathOutcome(CLEAR, 1.0, -1, -1, tests, margin)


_motion = RelativeMotion(ZERO, ZERO, IDENTITY, ZERO, IDENTITY, ZERO)
warm(path_between, NO_FOREST, 0, 0, _motion, Limits(0.0, 0.0, 0, 0.0))
