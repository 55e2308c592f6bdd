"""The nearest of many pairs of simplices."""

import math

import numpy as np

from dovetail.collision.distance.closest_points import (
    edge_edge,
    point_edge,
    point_triangle,
    triangle_point,
)
from dovetail.linalg.vec3 import ZERO, add_scaled, load3, norm_squared, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

POINT_FACE, EDGE_EDGE, POINT_EDGE, POINT_POINT = range(4)


@jit
def nearest_of(kind, a, b, rows_a, rows_b, pairs):
    """(least squared distance [m^2] of the pairs (n, 2) of simplices, its vector from b to a)."""
    least, apart = math.inf, ZERO
    for k in range(pairs.shape[0]):
        i, j = pairs[k, 0], pairs[k, 1]
        p, q = load3(a, rows_a[i, 0]), load3(b, rows_b[j, 0])
        if kind == POINT_FACE:
            q1, q2 = load3(b, rows_b[j, 1]), load3(b, rows_b[j, 2])
            _, s, t = point_triangle(p, q, q1, q2)
            q = triangle_point(q, q1, q2, s, t)
        elif kind == POINT_EDGE:
            q1 = load3(b, rows_b[j, 1])
            _, t, _ = point_edge(p, q, q1)
            q = add_scaled(q, t, sub(q1, q))
        elif kind == EDGE_EDGE:
            p1, q1 = load3(a, rows_a[i, 1]), load3(b, rows_b[j, 1])
            _, s, t = edge_edge(p, p1, q, q1)
            p, q = add_scaled(p, s, sub(p1, p)), add_scaled(q, t, sub(q1, q))
        d = sub(p, q)
        if norm_squared(d) < least:
            least, apart = norm_squared(d), d
    return least, apart


_points, _rows = read_only(np.zeros((1, 3))), read_only(np.zeros((1, 3)), np.int32)
warm(nearest_of, 0, _points, _points, _rows, _rows, read_only(np.zeros((0, 2)), np.int32))
