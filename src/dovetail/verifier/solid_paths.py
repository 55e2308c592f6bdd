"""Does a cylinder or a cone meet another body on the path between two frames?

The solid is the hull of two discs about its axis, exactly. It is apart from a convex set of the
other body b for a piece of time as long as both discs stay above a plane that is fixed to b and has
the set below it (`plane_clearance.disc_heights`): for a simplex the plane across the shortest way
between the two in the middle of the piece, for a box of the tree across the way to the centre of
the solid, for another solid across the direction in which the two are farthest apart. Whatever
has found the plane, the heights over it decide. Pieces of time and boxes are halved until all are
clear, or a point of b is within the solid by more than rounding, or they touch within it.
"""

import math

import numpy as np

from dovetail.collision.distance.revolution import (
    Solid,
    edge_solid,
    point_solid,
    reach_below,
    triangle_solid,
)
from dovetail.collision.distance.solids import certain_distance, reach_along, widest
from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load33,
    mat_t_vec,
    matmul,
    matvec,
    neg,
    norm,
    scale,
    sub,
)
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm
from dovetail.verifier.path_clearance import ROUNDING, SHORTEST_PIECE, STACK
from dovetail.verifier.plane_clearance import disc_heights
from dovetail.verifier.records import (
    CLEAR,
    MEET,
    NO_SURFACES,
    TOUCH,
    UNDECIDED,
    Limits,
    PathOutcome,
    RelativeMotion,
    StopMotions,
)

SOLID_COLUMNS = 5  # 1 for a solid, z0, r0, z1, r1 [m]


@jit
def _solid(row, R):
    return Solid((R[0][2], R[1][2], R[2][2]), row[1], row[2], row[3], row[4], 0.0)


@jit
def _heights(solid, back, speed, w_a, n, w_b, half):
    """(now, least): of the lower disc over the plane through the centre of b, n fixed to b.

    `back` and `speed` lead from the centre of b to that of the solid.
    """
    a, top = solid.axis, scale(solid.z1, solid.axis)
    now0, least0 = disc_heights(
        back, speed, w_a, scale(solid.z0, a), a, solid.r0, n, w_b, half
    )  # fmt: skip
    now1, least1 = disc_heights(back, speed, w_a, top, a, solid.r1, n, w_b, half)
    return min(now0, now1), min(least0, least1)


@jit
def _towards_box(boxes, node, Q_b, back):
    """(unit vector from a box of b to the solid's centre, how far the box reaches along it)."""
    c = mat_t_vec(Q_b, back)
    x = c[0] - min(max(c[0], boxes[node, 0]), boxes[node, 3])
    y = c[1] - min(max(c[1], boxes[node, 1]), boxes[node, 4])
    z = c[2] - min(max(c[2], boxes[node, 2]), boxes[node, 5])
    length = math.sqrt(x * x + y * y + z * z)
    if not length > 0.0:
        return ZERO, 0.0
    n = (x / length, y / length, z / length)
    high = 0.0
    for k in range(3):
        high += max(n[k] * boxes[node, k], n[k] * boxes[node, 3 + k])
    return matvec(Q_b, n), high


@jit
def _inside(solid, t0, t1, t2):
    """[m] least signed distance of some points of a triangle from the solid."""
    least = math.inf
    for k in range(3):
        p, q = (t0, t1) if k == 0 else ((t1, t2) if k == 1 else (t2, t0))
        at = add_scaled(p, edge_solid(p, q, solid, 0.0), sub(q, p))
        least = min(least, point_solid(at, solid).distance)
    normal = cross(sub(t1, t0), sub(t2, t0))
    size = norm(normal)
    if not size > 0.0:
        return least
    n = scale(1.0 / size, normal)
    height = -dot(n, t0)
    if height < 0.0:
        n, height = neg(n), -height
    low, x = reach_below(solid, n)
    if low > height and low > 0.0:  # where the way from the centre to the lowest point goes through
        at = scale(height / low, x)
        inside = True
        for k in range(3):
            p, q = (t0, t1) if k == 0 else ((t1, t2) if k == 1 else (t2, t0))
            inside = inside and dot(cross(sub(q, p), sub(at, p)), normal) > 0.0
        if inside:
            least = min(least, point_solid(at, solid).distance)
    return least


@jit
def _both_inside(a, b, shift):
    """[m] how deep a point is within both solids, with a sign; > 0 is outside of one."""
    found = widest(a, b, shift, 1e-9 * (a.r0 + a.r1 + b.r0 + b.r1))
    p = scale(0.5, add(found.p, add(shift, found.q)))
    return max(point_solid(p, a).distance, point_solid(sub(p, shift), b).distance)


@jit
def path_of_solid(surfaces, solids, body_a, body_b, motion, limits):
    """The PathOutcome of the solid body_a and body_b; simplex of the first is 0."""
    forest = surfaces.forest
    D, v, w_a, w_b = motion.D, motion.v, motion.w_a, motion.w_b
    row_a, row_b = solids[body_a], solids[body_b]
    other = row_b[0] > 0.0
    extent = norm(D) + norm(v) + forest.radius[body_a] + forest.radius[body_b]
    extent += surfaces.outer_radius[body_b]
    slack = (ROUNDING + 4.0 * limits.defect) * extent
    outer = 0.0 if other else surfaces.outer_radius[body_b]
    needed = limits.clearance + outer
    vertices, simplices, boxes, right = (
        forest.vertices, forest.simplices, forest.boxes, forest.right,
    )  # fmt: skip
    first = forest.first_simplex[body_b]
    nodes = np.empty(STACK, np.int32)
    pieces = np.empty((STACK, 2))
    nodes[0] = forest.root[body_b]
    pieces[0, 0], pieces[0, 1] = 0.0, 1.0
    top, tests = 1, 0
    code, doubt_s, doubt_j = CLEAR, 1.0, first - 1
    while top > 0:
        top -= 1
        node, begin, end = nodes[top], pieces[top, 0], pieces[top, 1]
        s, half = 0.5 * (begin + end), 0.5 * (end - begin)
        if tests >= limits.budget:
            return PathOutcome(UNDECIDED, s, -1, -1, tests, 0.0)
        tests += 1
        Q_a, Q_b = matmul(exp(scale(s, w_a)), motion.R_a), matmul(exp(scale(s, w_b)), motion.R_b)
        shift = add_scaled(D, s, v)
        back, speed = neg(shift), neg(v)
        solid = _solid(row_a, Q_a)
        leaf = other or right[node] < 0
        t0 = t1 = t2 = ZERO
        j = first - 1
        if other:
            b = _solid(row_b, Q_b)
            n = neg(certain_distance(solid, b, shift)[1])
            high = reach_along(b, n)
        elif leaf:
            j = -1 - right[node]
            t0 = matvec(Q_b, load3(vertices, simplices[j, 0]))
            t1 = matvec(Q_b, load3(vertices, simplices[j, 1]))
            t2 = matvec(Q_b, load3(vertices, simplices[j, 2]))
            n = neg(triangle_solid(add(t0, shift), add(t1, shift), add(t2, shift), solid, 0.0)[1])
            n = scale(1.0 / norm(n), n)
            high = max(dot(n, t0), max(dot(n, t1), dot(n, t2)))
        else:
            n, high = _towards_box(boxes, node, Q_b, back)
        now = least = -math.inf
        if n != ZERO:
            now, least = _heights(solid, back, speed, w_a, n, w_b, half)
            if least - high > needed + slack:
                continue
        if not leaf:
            # cut time where the plane is good in the middle, the tree where it is not
            if now - high > needed + slack and end - begin > SHORTEST_PIECE and half > 2.0**-6:
                nodes[top], nodes[top + 1] = node, node
                pieces[top, 0], pieces[top, 1] = s, end
                pieces[top + 1, 0], pieces[top + 1, 1] = begin, s
            else:
                nodes[top], nodes[top + 1] = right[node], node + 1
                pieces[top, 0] = pieces[top + 1, 0] = begin
                pieces[top, 1] = pieces[top + 1, 1] = end
            top += 2
            continue
        if least - high > needed - 2.0 * slack and now - high <= needed + 2.0 * slack:
            if code == CLEAR:
                code, doubt_s, doubt_j = TOUCH, s, j
            continue
        if not now - high > needed - slack:
            if other:
                inside = _both_inside(solid, _solid(row_b, Q_b), shift)
            else:
                inside = _inside(solid, add(t0, shift), add(t1, shift), add(t2, shift))
            if inside < needed - 2.0 * slack and (inside < -2.0 * slack or not other):
                return PathOutcome(MEET, s, 0, j - first, tests, 0.0)
        if end - begin <= SHORTEST_PIECE:
            if code != UNDECIDED:
                code, doubt_s, doubt_j = UNDECIDED, s, j
            continue
        nodes[top], nodes[top + 1] = node, node
        pieces[top, 0], pieces[top, 1] = s, end
        pieces[top + 1, 0], pieces[top + 1, 1] = begin, s
        top += 2
    if code == CLEAR:
        return PathOutcome(CLEAR, 1.0, -1, -1, tests, 0.0)
    return PathOutcome(code, doubt_s, 0, doubt_j - first, tests, 0.0)


@jit
def path_with_solid(surfaces, solids, a, b, motions, limits):
    """The PathOutcome of bodies a and b, of which one is a solid, from a stop to the next."""
    x, R, v, w = motions.x, motions.R, motions.v, motions.w
    turned = solids[a, 0] == 0.0
    if turned:
        a, b = b, a
    motion = RelativeMotion(
        sub(load3(x, b), load3(x, a)), sub(load3(v, b), load3(v, a)), load33(R, a), load3(w, a),
        load33(R, b), load3(w, b),
    )  # fmt: skip
    path = path_of_solid(surfaces, solids, a, b, motion, limits)
    if turned:
        return PathOutcome(path.code, path.s, path.simplex_b, path.simplex_a, path.tests, 0.0)
    return path


_none, _rows = read_only(np.zeros((0, SOLID_COLUMNS))), read_only(np.empty((0, 3)))
warm(
    path_with_solid, NO_SURFACES, _none, 0, 0,
    StopMotions(_rows, read_only(np.empty((0, 3, 3))), _rows, _rows), Limits(0.0, 0.0, 0, 0.0),
)  # fmt: skip
