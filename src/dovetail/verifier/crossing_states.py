"""Which pairs of many bodies meet at one instant, exactly: for the verifier.

Corners are the doubles they were rounded to in the world; boxes of trees only leave out what cannot
meet.
"""

import math

import numpy as np

from dovetail.collision.bvh.forest_arrays import NO_FOREST
from dovetail.collision.bvh.pairs import BATCH, STACK, next_leaves
from dovetail.collision.intersection.simplices import triangles_meet
from dovetail.linalg.vec3 import (
    add,
    load3,
    load33,
    mat_t_vec,
    matmul,
    matvec,
    norm,
    sub,
    transpose,
)
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

UNIT = 2.0**-53
COUNT, FIRST_A, FIRST_B = 0, 1, 2  # columns of what `count_meetings` finds
N_COLUMNS = 3


@jit
def place_bodies(forest, x, R, start, world):
    """Rows start[k]... of `world` [m] are R_k r + x_k of the vertices of body k."""
    for k in range(x.shape[0]):
        Q, origin = load33(R, k), load3(x, k)
        for i in range(forest.n_vertices[k]):
            p = add(matvec(Q, load3(forest.vertices, forest.first_vertex[k] + i)), origin)
            world[start[k] + i, 0], world[start[k] + i, 1], world[start[k] + i, 2] = p


@jit
def _slack(x_a, R_a, x_b, radius_a, radius_b):
    """How far [m] rounding can have moved points of a and b: see `collision.relative_pose`."""
    G = matmul(transpose(R_a), R_a)
    defect = 0.0
    for i in range(3):
        for j in range(3):
            defect += (G[i][j] - (1.0 if i == j else 0.0)) ** 2
    size = norm(x_a) + norm(x_b) + radius_a + radius_b
    return 2.0 * ((math.sqrt(defect) + 8.0 * UNIT) * radius_a + 8.0 * math.sqrt(3.0) * UNIT * size)


@jit
def count_meetings(forest, pairs, x, R, start, world, found):
    """Rows (COUNT, FIRST_A, FIRST_B) of `found` (n, N_COLUMNS): simplices of each pair that meet.

    `world` is from `place_bodies`.
    """
    stack, leaves = np.empty((STACK, 2), np.int64), np.empty((BATCH, 2), np.int32)
    boxes, right, simplices = forest.boxes, forest.right, forest.simplices
    for k in range(pairs.shape[0]):
        a, b = pairs[k, 0], pairs[k, 1]
        x_a, R_a, x_b = load3(x, a), load33(R, a), load3(x, b)
        M, t = matmul(transpose(R_a), load33(R, b)), mat_t_vec(R_a, sub(x_b, x_a))
        reach = _slack(x_a, R_a, x_b, forest.radius[a], forest.radius[b])
        to_a, to_b = start[a] - forest.first_vertex[a], start[b] - forest.first_vertex[b]
        found[k, COUNT] = found[k, FIRST_A] = found[k, FIRST_B] = 0
        stack[0, 0], stack[0, 1] = forest.root[a], forest.root[b]
        top = 1
        while top > 0:
            top, count = next_leaves(boxes, right, boxes, right, M, t, reach, stack, top, leaves)
            for c in range(count):
                i, j = leaves[c, 0], leaves[c, 1]
                if triangles_meet(
                    load3(world, simplices[i, 0] + to_a),
                    load3(world, simplices[i, 1] + to_a),
                    load3(world, simplices[i, 2] + to_a),
                    load3(world, simplices[j, 0] + to_b),
                    load3(world, simplices[j, 1] + to_b),
                    load3(world, simplices[j, 2] + to_b),
                ):
                    if found[k, COUNT] == 0:
                        found[k, FIRST_A] = i - forest.first_simplex[a]
                        found[k, FIRST_B] = j - forest.first_simplex[b]
                    found[k, COUNT] += 1


_rows, _rotations = read_only(np.empty((0, 3))), read_only(np.empty((0, 3, 3)))
_numbers = read_only(np.empty(0), np.int32)
warm(place_bodies, NO_FOREST, _rows, _rotations, _numbers, np.empty((0, 3)))
warm(
    count_meetings, NO_FOREST, read_only(np.empty((0, 2)), np.int32), _rows, _rotations, _numbers,
    _rows, np.empty((0, N_COLUMNS), np.int64),
)  # fmt: skip
