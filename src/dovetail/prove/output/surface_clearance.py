"""How near each triangle of a body comes to another body."""

import math

import numpy as np

from dovetail.collision.bvh.forest_arrays import NO_FOREST
from dovetail.collision.intersection.simplices import triangles_meet
from dovetail.linalg.vec3 import IDENTITY, ZERO, add, mat_t_vec, norm, scale, sub
from dovetail.prove.pairs.cell_tests import box
from dovetail.prove.pairs.search import placed
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm
from dovetail.verifier.separating_direction import shortest_between

DEPTH = 256  # of the stack


@jit
def nearest_distances(forest, a, b, pose_a, pose_b, cutoff, least, stack):
    """Lowers `least` [m] of the triangles of a to their distances from b, where below `cutoff`."""
    right, first = forest.right, forest.first_simplex[a]
    last = first + least.shape[0]
    R_b, x_b = pose_b
    for i in range(first, last):
        T = placed(forest, i, pose_a[0], pose_a[1])
        centre = scale(1.0 / 3.0, add(T[0], add(T[1], T[2])))
        radius = max(norm(sub(T[0], centre)), max(norm(sub(T[1], centre)), norm(sub(T[2], centre))))
        p = mat_t_vec(R_b, sub(centre, x_b))
        best = min(cutoff, least[i - first])
        stack[0] = forest.root[b]
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            c, h = box(forest.boxes, node)
            off = math.sqrt(
                max(0.0, abs(p[0] - c[0]) - h[0]) ** 2
                + max(0.0, abs(p[1] - c[1]) - h[1]) ** 2
                + max(0.0, abs(p[2] - c[2]) - h[2]) ** 2
            )
            if off - radius >= best:
                continue
            if right[node] < 0:
                other = placed(forest, -1 - right[node], R_b, x_b)
                best = min(best, norm(shortest_between(T, other)))
                if triangles_meet(T[0], T[1], T[2], other[0], other[1], other[2]):
                    best = 0.0
                continue
            if top + 2 <= stack.shape[0]:
                stack[top], stack[top + 1] = right[node], node + 1
                top += 2
        least[i - first] = best


_pose = (IDENTITY, ZERO)
_stack = np.zeros(1, np.int64)
warm(nearest_distances, NO_FOREST, 0, 0, _pose, _pose, 0.0, np.zeros(0), _stack)
