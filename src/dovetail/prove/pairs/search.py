"""Branch and bound over pairs of tree nodes and cells of swept coordinates.

A pair of nodes and a cell are halved until
    their boxes keep the required distance over the whole cell (`cell_tests`), or
    two triangles do, or
    two triangles are closer in the middle of the cell: a meeting, or a smaller least distance.
What is clear is clear for every configuration of the cell, not at samples.

Rounding: a pose is a product of k exponentials, each within 16 units of 2^-53; a point goes through
one of them, a direction and a few sums. All of it is below 512 (k + 1) units of the extent.
"""

import math

import numpy as np

from dovetail.collision.bvh.forest_arrays import NO_FOREST
from dovetail.collision.intersection.simplices import triangles_meet
from dovetail.linalg.vec3 import add, load3, matmul, matvec, norm, sub
from dovetail.prove.motion.course import seen_from_b, spread_over
from dovetail.prove.motion.records import (
    CLEAR,
    MEET,
    NO_CELL,
    NO_CHAIN,
    NO_COURSE,
    UNDECIDED,
    Demand,
    Found,
    workspace,
)
from dovetail.prove.motion.screw_motion import angular, linear, move, velocity
from dovetail.prove.pairs.cell_tests import box, boxes_stay_apart, triangles_stay_apart
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm
from dovetail.verifier.separating_direction import shortest_between

ROUNDING = 512.0 * 2.0**-53


@jit
def matrix(R):
    """A (3, 3) array as rows."""
    return (load3(R, 0), load3(R, 1), load3(R, 2))


@jit
def vector(x):
    """A (3,) array as a tuple."""
    return (x[0], x[1], x[2])


@jit
def placed(forest, i, R, x):
    """The corners of simplex i at R r + x."""
    vertices, simplices = forest.vertices, forest.simplices
    return (
        add(matvec(R, load3(vertices, simplices[i, 0])), x),
        add(matvec(R, load3(vertices, simplices[i, 1])), x),
        add(matvec(R, load3(vertices, simplices[i, 2])), x),
    )


@jit
def slack_of(forest, a, b, chain, course, cell):
    """Bound [m] on the rounding of positions relative to each other."""
    k_all = chain.screws.shape[0]
    extent = norm(vector(chain.x_a)) + norm(vector(chain.x_b))
    extent += forest.radius[a] + forest.radius[b]
    for k in range(k_all):
        extent += 2.0 * norm(linear(chain.screws, k))
        if chain.screws[k, 0] == 0.0 and chain.screws[k, 1] == 0.0 and chain.screws[k, 2] == 0.0:
            if course.knots.shape[0] == 0:
                extent += max(abs(cell.low[k]), abs(cell.high[k]))
            else:
                extent += course.reach[k]
    return ROUNDING * (k_all + 1.0) * extent


@jit
def pose_of_b(chain, s, screws):
    """Rotation and position of b at coordinates s; writes the screws there."""
    R, t = move(chain.screws, s, screws)
    return matmul(R, matrix(chain.R_b)), add(matvec(R, vector(chain.x_b)), t)


@jit
def _widest(spread, p, radius):
    """The parameter by which points within `radius` of p move most; -1 if none does."""
    screws, half = spread.screws, spread.half
    if spread.along >= 0.0:
        return np.int64(0) if spread.along > 0.0 else np.int64(-1)
    side, most = np.int64(-1), 0.0
    for k in range(half.shape[0]):
        speed = norm(velocity(screws, k, p)) + radius * norm(angular(screws, k))
        if half[k] * speed > most:
            side, most = np.int64(k), half[k] * speed
    return side


@jit
def limit_of(best, demand):
    """The distance [m] that is to be kept, when `best` is known to occur."""
    if not demand.minimise:
        return demand.clearance
    if best == math.inf:
        return math.inf
    accuracy = max(demand.relative * max(0.0, best - demand.radius), demand.absolute)
    limit = best - accuracy
    return max(limit, demand.clearance) if best >= demand.clearance else limit


@jit
def _nearer(boxes, one, other, pose, node, pose_of_node):
    """Whether the middle of box `one` is nearer to that of `node` than the middle of `other`."""
    c, _ = box(boxes, node)
    centre = add(matvec(pose_of_node[0], c), pose_of_node[1])
    c, _ = box(boxes, one)
    first = norm(sub(add(matvec(pose[0], c), pose[1]), centre))
    c, _ = box(boxes, other)
    return first < norm(sub(add(matvec(pose[0], c), pose[1]), centre))


@jit
def search(forest, a, b, chain, course, cell, starts, demand, work):
    """The Found of bodies a and b in the cell; `work.at` has its coordinates.

    `starts`: the pairs of nodes that are to be examined.
    """
    boxes, right = forest.boxes, forest.right
    m_all = cell.low.shape[0]
    pose_a = (matrix(chain.R_a), vector(chain.x_a))
    slack = slack_of(forest, a, b, chain, course, cell)
    first_a, first_b = forest.first_simplex[a], forest.first_simplex[b]
    best, minimise = demand.best, demand.minimise
    limit = limit_of(best, demand)
    spread = spread_over(course, cell.low, cell.high, work)
    pose_b = pose_of_b(chain, work.middle, work.screws)
    first = True
    top, tests, begun = 0, np.int64(0), 0
    found_a, found_b = np.int64(-1), np.int64(-1)
    doubtful = False
    while top > 0 or begun < starts.shape[0]:
        if top == 0:
            work.nodes[0, 0], work.nodes[0, 1] = starts[begun, 0], starts[begun, 1]
            for k in range(m_all):
                work.low[0, k], work.high[0, k] = cell.low[k], cell.high[k]
            top, begun = 1, begun + 1
        top -= 1
        node_a, node_b = work.nodes[top, 0], work.nodes[top, 1]
        if tests >= demand.budget or top + 2 > work.nodes.shape[0]:
            for k in range(m_all):
                work.at[k] = 0.5 * (work.low[top, k] + work.high[top, k])
            return Found(UNDECIDED, best, 0.0, found_a, found_b, tests)
        tests += 1
        moved_on = first
        for k in range(m_all):
            if work.low[top, k] != work.cell_low[k] or work.high[top, k] != work.cell_high[k]:
                work.cell_low[k], work.cell_high[k] = work.low[top, k], work.high[top, k]
                moved_on = True
        if moved_on:
            first = False
            spread = spread_over(course, work.cell_low, work.cell_high, work)
            pose_b = pose_of_b(chain, work.middle, work.screws)
            for k in range(m_all):
                work.centre[k] = 0.5 * (work.cell_low[k] + work.cell_high[k])
        apart, size_a, size_b, moved = boxes_stay_apart(
            boxes, node_a, node_b, pose_a, pose_b, spread, limit + slack
        )
        if apart:
            continue
        leaf_a, leaf_b = right[node_a] < 0, right[node_b] < 0
        cut = moved > 0.5 * max(size_a, size_b)
        if leaf_a and leaf_b:
            i, j = -1 - right[node_a], -1 - right[node_b]
            A = placed(forest, i, pose_a[0], pose_a[1])
            B = placed(forest, j, pose_b[0], pose_b[1])
            shortest = shortest_between(A, B)
            distance = norm(shortest)
            if distance <= slack or triangles_meet(A[0], A[1], A[2], B[0], B[1], B[2]):
                distance = 0.0  # to touch is to meet; rounding cannot tell them apart
            if distance < best:
                best, found_a, found_b = distance, i - first_a, j - first_b
                for k in range(m_all):
                    work.at[k] = work.centre[k]
                if best == 0.0 or (not minimise and best < demand.clearance - slack):
                    return Found(MEET, best, 0.0, found_a, found_b, tests)
                limit = limit_of(best, demand)
            if distance > 0.0:
                back = seen_from_b(spread, work)
                if triangles_stay_apart(A, B, shortest, spread, back, limit + slack):
                    continue
            cut = True
        if cut:
            c, _ = box(boxes, node_b)
            centre = add(matvec(pose_b[0], c), pose_b[1])
            side = _widest(spread, centre, size_b)
            if side >= 0:
                whole = cell.high[side] - cell.low[side]
                middle = work.centre[side]
                width = work.high[top, side] - work.low[top, side]
                splits = work.low[top, side] < middle < work.high[top, side]
                if not splits or width <= demand.smallest * whole:
                    side = np.int64(-1)
            if side >= 0:
                for k in range(m_all):
                    low, high = work.low[top, k], work.high[top, k]
                    work.low[top + 1, k], work.high[top + 1, k] = low, high
                    if k == side:
                        work.low[top, k] = middle
                        work.high[top + 1, k] = middle
                work.nodes[top + 1, 0], work.nodes[top + 1, 1] = node_a, node_b
                top += 2
                continue
            if leaf_a and leaf_b:
                if minimise and moved == 0.0:
                    continue  # a single configuration: its distance is known
                doubtful = True
                if found_a < 0 or not minimise:
                    found_a, found_b = i - first_a, j - first_b
                    for k in range(m_all):
                        work.at[k] = work.centre[k]
                continue
        for k in range(m_all):
            work.low[top + 1, k], work.high[top + 1, k] = work.low[top, k], work.high[top, k]
        if leaf_b or (not leaf_a and size_a > size_b):
            far, near = np.int64(right[node_a]), np.int64(node_a + 1)
            if minimise and _nearer(boxes, far, near, pose_a, node_b, pose_b):
                far, near = near, far
            work.nodes[top, 0], work.nodes[top, 1] = far, node_b
            work.nodes[top + 1, 0], work.nodes[top + 1, 1] = near, node_b
        else:
            far, near = np.int64(right[node_b]), np.int64(node_b + 1)
            if minimise and _nearer(boxes, far, near, pose_b, node_a, pose_a):
                far, near = near, far
            work.nodes[top, 0], work.nodes[top, 1] = node_a, far
            work.nodes[top + 1, 0], work.nodes[top + 1, 1] = node_a, near
        top += 2
    code = UNDECIDED if doubtful else CLEAR
    return Found(code, best, limit, found_a, found_b, tests)


_demand = Demand(0.0, math.inf, False, 0.0, 0.0, 0.0, 0)
_starts = np.zeros((1, 2), np.int64)
warm(slack_of, NO_FOREST, 0, 0, NO_CHAIN, NO_COURSE, NO_CELL)
warm(limit_of, 0.0, _demand)
warm(pose_of_b, NO_CHAIN, np.zeros(0), np.zeros((0, 6)))
warm(
    search, NO_FOREST, 0, 0, NO_CHAIN, NO_COURSE, NO_CELL, _starts, _demand, workspace(1, 0, 0)
)  # fmt: skip
