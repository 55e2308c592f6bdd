"""Do two bodies meet at every configuration of a cell?

Either two triangles are closer than the clearance by more than they can move, or an edge crosses a
triangle with some margin: its ends at signed distances d_0 > 0 > d_1 from the plane move by at
most m, so that it still crosses, and the crossing point moves in the plane by at most
m + 2 m L / (d_0 - d_1 - 2 m), L the length of the edge.
"""

import math

import numpy as np

from dovetail.collision.bvh.forest_arrays import NO_FOREST
from dovetail.linalg.vec3 import add_scaled, cross, dot, norm, scale, sub
from dovetail.prove.motion.course import at_rest, spread_over
from dovetail.prove.motion.records import NO_CELL, NO_CHAIN, NO_COURSE, workspace
from dovetail.prove.motion.screw_motion import displacement_bound
from dovetail.prove.pairs.cell_tests import boxes_stay_apart
from dovetail.prove.pairs.search import matrix, placed, pose_of_b, slack_of, vector
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm
from dovetail.verifier.separating_direction import shortest_between


@jit
def _inside_by(x, T, normal):
    """How far [m] the point x of the plane of T lies within its sides; negative outside."""
    least = math.inf
    for k in range(3):
        p, q = T[k], T[(k + 1) % 3]
        side = sub(q, p)
        length = norm(side)
        if not length > 0.0:
            return -math.inf
        least = min(least, dot(cross(normal, side), sub(x, p)) / length)
    return least


@jit
def _edge_stays_across(p, q, T, moved):
    """Whether the edge p q crosses triangle T, and still does when all moves by `moved` [m]."""
    area = cross(sub(T[1], T[0]), sub(T[2], T[0]))
    size = norm(area)
    if not size > 0.0:
        return False
    normal = scale(1.0 / size, area)
    d_p, d_q = dot(normal, sub(p, T[0])), dot(normal, sub(q, T[0]))
    if d_p * d_q >= 0.0 or min(abs(d_p), abs(d_q)) <= moved:
        return False
    across = abs(d_p) + abs(d_q)
    x = add_scaled(p, abs(d_p) / across, sub(q, p))
    shift = moved + 2.0 * moved * norm(sub(q, p)) / (across - 2.0 * moved)
    return _inside_by(x, T, normal) > shift


@jit
def _stay_crossed(A, B, moved):
    for k in range(3):
        if _edge_stays_across(A[k], A[(k + 1) % 3], B, moved):
            return True
        if _edge_stays_across(B[k], B[(k + 1) % 3], A, moved):
            return True
    return False


@jit
def meet_throughout(forest, a, b, chain, course, cell, clearance, off, work, budget):
    """Whether two triangles of a and b meet, or are closer than `clearance`, in all of the cell.

    And still do when every point is displaced by up to `off` [m]; (they do, tests). False may also
    mean that it could not be shown.
    """
    boxes, right = forest.boxes, forest.right
    pose_a = (matrix(chain.R_a), vector(chain.x_a))
    slack = off + slack_of(forest, a, b, chain, course, cell)
    spread = at_rest(spread_over(course, cell.low, cell.high, work), work)
    pose_b = pose_of_b(chain, work.middle, work.screws)
    work.nodes[0, 0], work.nodes[0, 1] = forest.root[a], forest.root[b]
    top, tests = 1, np.int64(0)
    while top > 0 and tests < budget:
        top -= 1
        tests += 1
        node_a, node_b = work.nodes[top, 0], work.nodes[top, 1]
        apart, size_a, size_b, _ = boxes_stay_apart(
            boxes, node_a, node_b, pose_a, pose_b, spread, clearance + slack
        )
        if apart:
            continue
        leaf_a, leaf_b = right[node_a] < 0, right[node_b] < 0
        if leaf_a and leaf_b:
            A = placed(forest, -1 - right[node_a], pose_a[0], pose_a[1])
            B = placed(forest, -1 - right[node_b], pose_b[0], pose_b[1])
            spread_over(course, cell.low, cell.high, work)
            moved = slack + displacement_bound(work.screws, work.half, B[0], 0.0)
            for k in range(1, 3):
                moved = max(moved, slack + displacement_bound(work.screws, work.half, B[k], 0.0))
            at_rest(spread, work)
            if norm(shortest_between(A, B)) + moved < clearance or _stay_crossed(A, B, moved):
                return True, tests
            continue
        if leaf_b or (not leaf_a and size_a > size_b):
            work.nodes[top, 0], work.nodes[top, 1] = right[node_a], node_b
            work.nodes[top + 1, 0], work.nodes[top + 1, 1] = node_a + 1, node_b
        else:
            work.nodes[top, 0], work.nodes[top, 1] = node_a, right[node_b]
            work.nodes[top + 1, 0], work.nodes[top + 1, 1] = node_a, node_b + 1
        top += 2
    return False, tests


warm(
    meet_throughout, NO_FOREST, 0, 0, NO_CHAIN, NO_COURSE, NO_CELL, 0.0, 0.0, workspace(1, 0, 0), 0
)  # fmt: skip
