"""Do two bodies meet on the path between two frames? The verifier's own answer.

Both move at a constant world twist, s from 0 to 1: x(s) = x_0 + s v, R(s) = exp(s w) R_0. All is
seen from the centre of body a, in world axes: a corner of a is at p(s) = R_a(s) r, one of b at
q(s) = D + s (v_b - v_a) + R_b(s) r with D = x_b - x_a at s = 0.

Pairs of tree nodes and pieces of time are halved until each piece is shown to be clear by one of
    nodes:   their boxes stay apart (`moving_boxes`),
    leaves:  the projections on a direction n stay disjoint (`leaves`),
or a pair of simplices meets exactly in the middle of a piece, or is closer there than the required
clearance, or passes through in it (`certain_crossing`). Where the projections on some direction
stay within rounding of each other the two touch: no test in floating point can say more. Pure
translation is one test. Boxes and directions are seen from a frame that rotates with one of the
bodies or with none: two bodies that rotate together are no more work than two at rest.

Rounding: exp is within 8 units of 2^-53, a product with a matrix, a direction or an angle within 4,
a sum within 1; an angle is half of pi at most to each side. So the projections of corners and their
Taylor polynomials are off by less than 80 units of |D| + |v_b - v_a| + r_a + r_b, those of boxes,
which go through one more rotation and reach beyond the corners, by less than 200; 128 and 512 are
allowed.
"""

import numpy as np

from dovetail.collision.intersection.simplices import triangles_meet
from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import (
    IDENTITY,
    ZERO,
    add,
    add_scaled,
    load3,
    matmul,
    matvec,
    norm,
    scale,
)
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm
from dovetail.verifier.certain_crossing import certainly_cross
from dovetail.verifier.leaves import leaves_gap
from dovetail.verifier.moving_boxes import boxes_stay_apart, frame_rotation, kinematics
from dovetail.verifier.records import (
    CLEAR,
    MEET,
    NO_SURFACES,
    TOUCH,
    UNDECIDED,
    Limits,
    PathOutcome,
    RelativeMotion,
)
from dovetail.verifier.separating_direction import shortest_between

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
def resolution(surfaces, body_a, body_b, motion, defect):
    """Gaps [m] up to this size are called touching: rounding, and what is between in and out."""
    extent = norm(motion.D) + norm(motion.v) + surfaces.forest.radius[body_a]
    extent += surfaces.forest.radius[body_b]
    extent += surfaces.outer_radius[body_a] + surfaces.outer_radius[body_b]
    band = surfaces.band[body_a] + surfaces.band[body_b]
    return 2.0 * (ROUNDING + 4.0 * defect) * extent + 2.0 * band


@jit
def _meets(surfaces, i, j, Q_a, Q_b, shift, radii, clearance, slack):
    """Whether simplices i and j, as they are within their solids, meet or come too close."""
    simplices = surfaces.forest.simplices
    A = _placed(surfaces.inner, simplices, i, Q_a, ZERO)
    B = _placed(surfaces.inner, simplices, j, Q_b, shift)
    near = clearance + radii
    if near > 0.0 and norm(shortest_between(A, B)) < near - slack:
        return True
    return near >= 0.0 and triangles_meet(A[0], A[1], A[2], B[0], B[1], B[2])


@jit
def _body_corners(surfaces, i):
    simplices, inner = surfaces.forest.simplices, surfaces.inner
    return (
        load3(inner, simplices[i, 0]), load3(inner, simplices[i, 1]), load3(inner, simplices[i, 2])
    )  # fmt: skip


@jit
def path_between(surfaces, body_a, body_b, motion, limits):
    """The PathOutcome of two bodies in RelativeMotion within Limits.

    UNDECIDED after the budget of tests, or where a piece of SHORTEST_PIECE is neither clear nor
    shows a meeting; TOUCH where all else is clear and the rest stays within `resolution`. Bodies
    that are clear keep clearance + margin [m] on the whole path; the margin is that of the limits
    where they do keep it. A negative clearance allows balls to overlap by as much.
    """
    D, v, w_a, w_b = motion.D, motion.v, motion.w_a, motion.w_b
    clearance, budget, wanted = limits.clearance, limits.budget, limits.margin
    forest = surfaces.forest
    vertices, simplices, boxes, right = (
        forest.vertices, forest.simplices, forest.boxes, forest.right,
    )  # fmt: skip
    radius_a, radius_b = forest.radius[body_a], forest.radius[body_b]
    outer = surfaces.outer_radius[body_a] + surfaces.outer_radius[body_b]
    inner = surfaces.inner_radius[body_a] + surfaces.inner_radius[body_b]
    thin = surfaces.thin[body_a] or surfaces.thin[body_b]
    extent = norm(D) + norm(v) + radius_a + radius_b + outer
    slack = (ROUNDING + 4.0 * limits.defect) * extent
    box_slack = (BOX_ROUNDING + 16.0 * limits.defect) * extent
    touch = resolution(surfaces, body_a, body_b, motion, limits.defect)
    needed = slack + clearance + outer
    first_a, first_b = forest.first_simplex[body_a], forest.first_simplex[body_b]
    c = frame_rotation(w_a, w_b, radius_a, radius_b)
    nodes = np.empty((STACK, 2), np.int32)
    pieces = np.empty((STACK, 2))
    nodes[0, 0], nodes[0, 1] = forest.root[body_a], forest.root[body_b]
    pieces[0, 0], pieces[0, 1] = 0.0, 1.0
    top, tests, margin = 1, 0, wanted
    code, doubt_s, doubt_i, doubt_j = CLEAR, 1.0, first_a - 1, first_b - 1
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
            boxes, a, boxes, b, now, half, max(0.0, box_slack + clearance + outer + wanted)
        )
        if apart:
            continue
        leaf_a, leaf_b = right[a] < 0, right[b] < 0
        cut_time = True
        if leaf_a and leaf_b:
            i, j = -1 - right[a], -1 - right[b]
            A = _placed(vertices, simplices, i, Q_a, ZERO)
            B = _placed(vertices, simplices, j, Q_b, shift)
            kept = leaves_gap(A, B, shift, v, w_a, w_b, c, half, needed) - needed
            if kept > 0.0:
                margin = min(margin, kept)
                continue
            crossed = thin and certainly_cross(
                _body_corners(surfaces, i), _body_corners(surfaces, j), motion, begin, end, slack
            )
            close = kept > -touch and norm(shortest_between(A, B)) <= needed + touch
            if close and not crossed:
                if code == CLEAR:
                    code, doubt_s, doubt_i, doubt_j = TOUCH, s, i, j
                continue
            if crossed or _meets(surfaces, i, j, Q_a, Q_b, shift, inner, clearance, slack):
                return PathOutcome(MEET, s, i - first_a, j - first_b, tests, 0.0)
            if end - begin <= SHORTEST_PIECE:
                if code != UNDECIDED:
                    code, doubt_s, doubt_i, doubt_j = UNDECIDED, s, i, j
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
    if code == CLEAR:
        return PathOutcome(CLEAR, 1.0, -1, -1, tests, margin)
    return PathOutcome(code, doubt_s, doubt_i - first_a, doubt_j - first_b, tests, 0.0)


_motion = RelativeMotion(ZERO, ZERO, IDENTITY, ZERO, IDENTITY, ZERO)
warm(path_between, NO_SURFACES, 0, 0, _motion, Limits(0.0, 0.0, 0, 0.0))
