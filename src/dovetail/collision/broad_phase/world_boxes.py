"""Boxes around a body at each of its poses."""

import numpy as np

from dovetail.linalg.vec3 import add, load3, load33, matvec
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


@jit
def box_poses(vertices, x, R, boxes):
    """Rows (lower, upper) [m] of `boxes` (n, 6) around R_k r + x_k; as the row before at rest."""
    for k in range(x.shape[0]):
        origin, Q = load3(x, k), load33(R, k)
        if k > 0 and origin == load3(x, k - 1) and load33(R, k - 1) == Q:
            for i in range(6):
                boxes[k, i] = boxes[k - 1, i]
            continue
        for i in range(3):
            boxes[k, i], boxes[k, 3 + i] = np.inf, -np.inf
        for n in range(vertices.shape[0]):
            p = add(matvec(Q, load3(vertices, n)), origin)
            for i in range(3):
                boxes[k, i] = min(boxes[k, i], p[i])
                boxes[k, 3 + i] = max(boxes[k, 3 + i], p[i])


_rows = read_only(np.empty((0, 3)))
warm(box_poses, _rows, _rows, read_only(np.empty((0, 3, 3))), np.empty((0, 6)))
