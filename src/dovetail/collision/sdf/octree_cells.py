"""A distance field stored in an octree of cells, each with its eight corner values.

Cells are small where the field bends and large where it does not, at the price of a descent for
every query; kept to compare with the uniform grid (Zhang, You and Liu 2024, fig. 4).
"""

from typing import NamedTuple

import numpy as np

from dovetail.collision.sdf.evaluate import extended, grid_value
from dovetail.linalg.vec3 import ZERO, norm
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import Float32Array, Int32Array
from dovetail.runtime.warmup import warm


class FieldOctree(NamedTuple):
    """Cells of a cube; child[c] is the first of eight children, -1 for a leaf."""

    child: Int32Array  # (m,)
    corners: Float32Array  # (m, 2, 2, 2) [m]
    origin: tuple[float, float, float]  # [m]
    size: float  # [m] of the cube


@jit
def evaluate_octree(cells, p):
    """(value [m], gradient) at p; outside the cube as on a grid."""
    per = 1.0 / cells.size
    x, y, z = (
        (p[0] - cells.origin[0]) * per,
        (p[1] - cells.origin[1]) * per,
        (p[2] - cells.origin[2]) * per,
    )
    u, v, w = min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0), min(max(z, 0.0), 1.0)
    out = ((x - u) * cells.size, (y - v) * cells.size, (z - w) * cells.size)
    n = 0
    while cells.child[n] >= 0:
        u, v, w, per = 2.0 * u, 2.0 * v, 2.0 * w, 2.0 * per
        i, j, k = int(u >= 1.0), int(v >= 1.0), int(w >= 1.0)
        u, v, w = u - i, v - j, w - k
        n = cells.child[n] + 4 * i + 2 * j + k
    value, g = grid_value(cells.corners[n], u, v, w)
    return extended(value, (g[0] * per, g[1] * per, g[2] * per), norm(out), out)


@jit
def evaluate_octree_many(cells, points, values, gradients):
    """Value and gradient of all points."""
    for i in range(points.shape[0]):
        values[i], g = evaluate_octree(cells, (points[i, 0], points[i, 1], points[i, 2]))
        gradients[i, 0], gradients[i, 1], gradients[i, 2] = g[0], g[1], g[2]


EMPTY = FieldOctree(
    read_only(np.empty(0), np.int32), read_only(np.empty((0, 2, 2, 2)), np.float32), ZERO, 1.0
)
_rows = np.empty((0, 3))
warm(evaluate_octree_many, EMPTY, read_only(_rows), np.empty(0), _rows)
