"""Do two bodies meet on the way between two frames? The judge's own answer.

Both move at a constant world twist, s from 0 to 1: x(s) = x_0 + s v, R(s) = exp(s w) R_0. All is
seen from the centre of body a, in world axes: a corner of a is at p(s) = R_a(s) r, one of b at
q(s) = D + s (v_b - v_a) + R_b(s) r with D = x_b - x_a at s = 0.

Pairs of tree nodes and pieces of time are halved until each piece is shown to be clear by one of
    nodes:   distance at the middle of the piece > largest way the nodes can go in half of it,
    leaves:  the projections on a direction n stay disjoint. With p'' = w x (w x p) and
             |w x p| constant, n.p(s + tau) lies within |w x n| |w x p| tau^2 / 2 of its tangent,
             and (least tangent of b) - (largest tangent of a) is concave in tau, so that the two
             ends of the piece decide,
or a pair of simplices meets exactly in the middle of a piece, or is closer there than the clearance
asked for. Pure translation is one test.

Rounding: positions, projections and ways are off by less than ROUNDING (|D| + |v_b - v_a| + r_a
+ r_b), 64 units of 2^-53: exp is within 8, a product with a matrix or a direction within 4, a sum
within 1 each; less than half of what is allowed is used.
"""

import math

import numpy as np

from dovetail.kernels.intersection import triangles_meet
from dovetail.kernels.jit import jit
from dovetail.kernels.read_only import read_only
from dovetail.kernels.separating_direction import (
    N_AXES,
    across_edge,
    axis_of,
    shortest_between,
    unit,
)
from dovetail.kernels.so3 import exp
from dovetail.kernels.vec3 import (
    IDENTITY,
    ZERO,
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
from dovetail.kernels.warmup import warm

CLEAR, MEET, UNDECIDED = 0, 1, 2
ROUNDING = 64.0 * 2.0**-53
SHORTEST_PIECE = 2.0**-44  # of the way between two frames
STACK = 1024  # trees of depth 79 each and 44 halvings, two entries at most for each


@jit
def node_at(boxes, n, w_body):
    """Middle, half diagonal and fastest way |w x r| of the points of box n, in its body's frame."""
    c = (
        0.5 * (boxes[n, 0] + boxes[n, 3]),
        0.5 * (boxes[n, 1] + boxes[n, 4]),
        0.5 * (boxes[n, 2] + boxes[n, 5]),
    )
    h = (boxes[n, 3] - c[0], boxes[n, 4] - c[1], boxes[n, 5] - c[2])
    half = norm(h) * (1.0 + ROUNDING)
    return c, half, (norm(cross(w_body, c)) + norm(w_body) * half) * (1.0 + ROUNDING)


@jit
def _outside(boxes, n, p):
    """Distance of point p from box n, both in its body's frame."""
    x = max(0.0, max(boxes[n, 0] - p[0], p[0] - boxes[n, 3]))
    y = max(0.0, max(boxes[n, 1] - p[1], p[1] - boxes[n, 4]))
    z = max(0.0, max(boxes[n, 2] - p[2], p[2] - boxes[n, 5]))
    return math.sqrt(x * x + y * y + z * z)


@jit
def _placed(vertices, simplices, i, R, x):
    """The corners of simplex i at R r + x."""
    return (
        add(matvec(R, load3(vertices, simplices[i, 0])), x),
        add(matvec(R, load3(vertices, simplices[i, 1])), x),
        add(matvec(R, load3(vertices, simplices[i, 2])), x),
    )


@jit
def _stay_apart(n, A, B, D, v, w_a, w_b, half, slack):
    """The projections on the unit vector n stay disjoint for `half` a piece to both sides."""
    tilt_a, tilt_b = norm(cross(w_a, n)), norm(cross(w_b, n))
    for side in range(2):
        tau = half if side == 0 else -half
        high, low = -math.inf, math.inf
        for k in range(3):
            u = cross(w_a, A[k])
            bend = 0.5 * tilt_a * norm(u) * tau * tau
            high = max(high, dot(n, A[k]) + tau * dot(n, u) + bend)
            u = cross(w_b, sub(B[k], D))
            bend = 0.5 * tilt_b * norm(u) * tau * tau
            low = min(low, dot(n, B[k]) + tau * (dot(n, v) + dot(n, u)) - bend)
        if not low - high > slack:
            return False
    return True


@jit
def leaves_stay_apart(A, B, D, v, w_a, w_b, half, slack):
    """Some direction shows simplices A and B to be apart for `half` a piece to both sides."""
    shortest = shortest_between(A, B)
    for k in range(7 + 2 * N_AXES):
        if k == 0:
            n = unit(shortest)
        elif k < 7:  # rounding tilts a short vector along an edge: take that part out
            corners = A if k < 4 else B
            n = unit(across_edge(shortest, sub(corners[k % 3], corners[(k + 1) % 3])))
        else:
            n = scale(1.0 if k % 2 else -1.0, axis_of(A, B, (k - 7) // 2))
        if n != ZERO and _stay_apart(n, A, B, D, v, w_a, w_b, half, slack):
            return True
    return False


@jit
def path_between(
    tree_a, tree_b, D, v, R_a, w_a, R_b, w_b, radius_a, radius_b, defect, clearance, budget
):  # fmt: skip
    """Whether two bodies meet while s goes from 0 to 1: (code, s, simplex_a, simplex_b, tests).

    To meet is to come closer than `clearance` [m]. A tree is (vertices, simplices, boxes, right);
    `v` is b's velocity seen from a; `defect` is the largest |R^T R - I|. UNDECIDED after `budget`
    tests, or where a piece of SHORTEST_PIECE is neither clear nor shows a meeting.
    """
    vertices_a, simplices_a, boxes_a, right_a = tree_a
    vertices_b, simplices_b, boxes_b, right_b = tree_b
    slack = (ROUNDING + 4.0 * defect) * (norm(D) + norm(v) + radius_a + radius_b)
    speed = norm(v) * (1.0 + ROUNDING)
    stretch = 1.0 + 2.0 * defect
    w_in_a, w_in_b = mat_t_vec(R_a, w_a), mat_t_vec(R_b, w_b)
    nodes = np.empty((STACK, 2), np.int32)
    pieces = np.empty((STACK, 2))
    nodes[0, 0] = nodes[0, 1] = 0
    pieces[0, 0], pieces[0, 1] = 0.0, 1.0
    top, tests = 1, 0
    doubtful, doubt_s, doubt_i, doubt_j = False, 0.0, 0, 0
    s_known = -1.0
    Q_a = Q_b = IDENTITY
    shift = ZERO
    while top > 0:
        top -= 1
        a, b = nodes[top, 0], nodes[top, 1]
        begin, end = pieces[top, 0], pieces[top, 1]
        s, half = 0.5 * (begin + end), 0.5 * (end - begin)
        if tests >= budget:
            return UNDECIDED, s, -1, -1, tests
        tests += 1
        if s != s_known:
            Q_a = matmul(exp(scale(s, w_a)), R_a)
            Q_b = matmul(exp(scale(s, w_b)), R_b)
            shift = add_scaled(D, s, v)
            s_known = s
        c_a, size_a, way_a = node_at(boxes_a, a, w_in_a)
        c_b, size_b, way_b = node_at(boxes_b, b, w_in_b)
        way = half * (speed + stretch * (way_a + way_b))
        b_in_a = mat_t_vec(Q_a, add(matvec(Q_b, c_b), shift))
        a_in_b = mat_t_vec(Q_b, sub(matvec(Q_a, c_a), shift))
        apart = max(_outside(boxes_a, a, b_in_a) - size_b, _outside(boxes_b, b, a_in_b) - size_a)
        if apart > way + slack + clearance:
            continue
        leaf_a, leaf_b = right_a[a] < 0, right_b[b] < 0
        cut_time = True
        if leaf_a and leaf_b:
            i, j = -1 - right_a[a], -1 - right_b[b]
            A = _placed(vertices_a, simplices_a, i, Q_a, ZERO)
            B = _placed(vertices_b, simplices_b, j, Q_b, shift)
            if leaves_stay_apart(A, B, shift, v, w_a, w_b, half, slack + clearance):
                continue
            near = clearance > 0.0 and norm(shortest_between(A, B)) < clearance - slack
            if near or triangles_meet(A[0], A[1], A[2], B[0], B[1], B[2]):
                return MEET, s, i, j, tests
            if end - begin <= SHORTEST_PIECE:
                doubtful, doubt_s, doubt_i, doubt_j = True, s, i, j
                continue
        else:
            cut_time = way > max(size_a, size_b) and end - begin > SHORTEST_PIECE
        if cut_time:
            nodes[top, 0], nodes[top, 1] = a, b
            nodes[top + 1, 0], nodes[top + 1, 1] = a, b
            pieces[top, 0], pieces[top, 1] = s, end
            pieces[top + 1, 0], pieces[top + 1, 1] = begin, s
        else:
            pieces[top, 0] = pieces[top + 1, 0] = begin
            pieces[top, 1] = pieces[top + 1, 1] = end
            if leaf_b or (not leaf_a and size_a > size_b):
                nodes[top, 0], nodes[top, 1] = right_a[a], b
                nodes[top + 1, 0], nodes[top + 1, 1] = a + 1, b
            else:
                nodes[top, 0], nodes[top, 1] = a, right_b[b]
                nodes[top + 1, 0], nodes[top + 1, 1] = a, b + 1
        top += 2
    if doubtful:
        return UNDECIDED, doubt_s, doubt_i, doubt_j, tests
    return CLEAR, 1.0, -1, -1, tests


_points, _boxes = read_only(np.empty((0, 3))), read_only(np.empty((0, 6)))
_rows, _right = read_only(np.empty((0, 3)), np.int32), read_only(np.empty(0), np.int32)
_tree = (_points, _rows, _boxes, _right)
warm(
    path_between,
    _tree, _tree, ZERO, ZERO, IDENTITY, ZERO, IDENTITY, ZERO, 0.0, 0.0, 0.0, 0.0, 0,
)  # fmt: skip
