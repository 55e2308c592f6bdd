"""Which triangles of two bodies may come near to each other in a cell? All others stay apart."""

import numpy as np

from dovetail.collision.bvh.forest_arrays import NO_FOREST
from dovetail.linalg.vec3 import norm
from dovetail.prove.motion.course import seen_from_b, spread_over
from dovetail.prove.motion.records import NO_CELL, NO_CHAIN, NO_COURSE, workspace
from dovetail.prove.pairs.cell_tests import boxes_stay_apart, triangles_stay_apart
from dovetail.prove.pairs.search import matrix, placed, pose_of_b, slack_of, vector
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm
from dovetail.verifier.separating_direction import shortest_between


@jit
def mark_near(forest, a, b, chain, course, cell, least, near_a, near_b, work, budget):
    """Marks the simplices that are not shown to keep `least` [m]; (all were examined, tests)."""
    boxes, right = forest.boxes, forest.right
    pose_a = (matrix(chain.R_a), vector(chain.x_a))
    needed = least + slack_of(forest, a, b, chain, course, cell)
    first_a, first_b = forest.first_simplex[a], forest.first_simplex[b]
    spread = spread_over(course, cell.low, cell.high, work)
    pose_b = pose_of_b(chain, work.middle, work.screws)
    back = seen_from_b(spread, work)
    work.nodes[0, 0], work.nodes[0, 1] = forest.root[a], forest.root[b]
    top, tests = 1, np.int64(0)
    while top > 0:
        top -= 1
        if tests >= budget or top + 2 > work.nodes.shape[0]:
            return False, tests
        tests += 1
        node_a, node_b = work.nodes[top, 0], work.nodes[top, 1]
        apart, size_a, size_b, _ = boxes_stay_apart(
            boxes, node_a, node_b, pose_a, pose_b, spread, needed
        )
        if apart:
            continue
        leaf_a, leaf_b = right[node_a] < 0, right[node_b] < 0
        if leaf_a and leaf_b:
            i, j = -1 - right[node_a], -1 - right[node_b]
            if near_a[i - first_a] and near_b[j - first_b]:
                continue
            A = placed(forest, i, pose_a[0], pose_a[1])
            B = placed(forest, j, pose_b[0], pose_b[1])
            shortest = shortest_between(A, B)
            if norm(shortest) > needed and triangles_stay_apart(
                A, B, shortest, spread, back, needed
            ):
                continue
            near_a[i - first_a] = True
            near_b[j - first_b] = True
            continue
        if leaf_b or (not leaf_a and size_a > size_b):
            work.nodes[top, 0], work.nodes[top, 1] = right[node_a], node_b
            work.nodes[top + 1, 0], work.nodes[top + 1, 1] = node_a + 1, node_b
        else:
            work.nodes[top, 0], work.nodes[top, 1] = node_a, right[node_b]
            work.nodes[top + 1, 0], work.nodes[top + 1, 1] = node_a, node_b + 1
        top += 2
    return True, tests


_marks = np.zeros(0, np.bool_)
warm(
    mark_near, NO_FOREST, 0, 0, NO_CHAIN, NO_COURSE, NO_CELL, 0.0, _marks, _marks,
    workspace(1, 0, 0), 0,
)  # fmt: skip
