"""An octree over points, as arrays in depth-first order.

Node n holds points start[n]:end[n] of the reordered points within `radius` of `centre`; its first
child, if it has any, is n + 1, and after[n] is the node that follows its whole subtree.
"""

import math
from typing import NamedTuple

import numpy as np

from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import BoolArray, FloatArray, Int32Array
from dovetail.runtime.warmup import warm

DEEPEST = 24


class PointTree(NamedTuple):
    """Points with their octree; `reach` is the radius of the sphere each point stands for."""

    points: FloatArray  # (n, 3) [m] in the order of the leaves
    reach: FloatArray  # (n,) [m]
    order: Int32Array  # (n,) their numbers as given
    centre: FloatArray  # (m, 3) [m]
    radius: FloatArray  # (m,) [m], reach included
    start: Int32Array  # (m,) first of its points
    end: Int32Array  # (m,) behind the last
    after: Int32Array  # (m,) node behind its subtree
    leaf: BoolArray  # (m,)


@jit
def build_point_octree(points, reach, leaf_size, order, centre, radius, start, end, after, leaf):
    """Fill the arrays of a `PointTree`; returns the number of nodes, -1 if they do not fit.

    A node is cut into eight at the middle of its points' box.
    """
    n = points.shape[0]
    capacity = centre.shape[0]
    stack = np.empty((8 * DEEPEST + 8, 3), np.int64)  # start, end, depth
    open_nodes = np.empty((DEEPEST + 2, 2), np.int64)  # node, end of its points
    sorted_order = np.empty(n, np.int32)
    for i in range(n):
        order[i] = i
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, 0
    top, node, opened = 1, 0, 0
    low, high = np.empty(3), np.empty(3)
    counts, places = np.empty(8, np.int64), np.empty(9, np.int64)
    while top > 0:
        top -= 1
        first, last, depth = stack[top, 0], stack[top, 1], stack[top, 2]
        while opened > 0 and open_nodes[opened - 1, 1] <= first:
            opened -= 1
            after[open_nodes[opened, 0]] = node
        if node >= capacity:
            return -1
        for k in range(3):
            low[k], high[k] = np.inf, -np.inf
        for s in range(first, last):
            for k in range(3):
                low[k] = min(low[k], points[order[s], k])
                high[k] = max(high[k], points[order[s], k])
        far = 0.0
        for k in range(3):
            centre[node, k] = 0.5 * (low[k] + high[k])
        for s in range(first, last):
            i = order[s]
            d = 0.0
            for k in range(3):
                d += (points[i, k] - centre[node, k]) ** 2
            far = max(far, math.sqrt(d) + reach[i])
        radius[node] = far * (1.0 + 1e-14)
        start[node], end[node] = first, last
        size = max(high[0] - low[0], max(high[1] - low[1], high[2] - low[2]))
        leaf[node] = last - first <= leaf_size or depth >= DEEPEST or size == 0.0
        if leaf[node]:
            after[node] = node + 1
            node += 1
            continue
        for c in range(8):
            counts[c] = 0
        for s in range(first, last):
            counts[_octant(points, order[s], centre, node)] += 1
        places[0] = first
        for c in range(8):
            places[c + 1] = places[c] + counts[c]
            counts[c] = places[c]
        for s in range(first, last):
            c = _octant(points, order[s], centre, node)
            sorted_order[counts[c]] = order[s]
            counts[c] += 1
        for s in range(first, last):
            order[s] = sorted_order[s]
        open_nodes[opened, 0], open_nodes[opened, 1] = node, last
        opened += 1
        for c in range(7, -1, -1):
            if places[c + 1] > places[c]:
                stack[top, 0], stack[top, 1], stack[top, 2] = places[c], places[c + 1], depth + 1
                top += 1
        node += 1
    while opened > 0:
        opened -= 1
        after[open_nodes[opened, 0]] = node
    return node


@jit
def _octant(points, i, centre, node):
    return (
        4 * (points[i, 0] > centre[node, 0])
        + 2 * (points[i, 1] > centre[node, 1])
        + 1 * (points[i, 2] > centre[node, 2])
    )


_rows, _numbers = read_only(np.empty((0, 3))), read_only(np.empty(0), np.int32)
EMPTY = PointTree(
    _rows, read_only(np.empty(0)), _numbers, _rows, read_only(np.empty(0)),
    _numbers, _numbers, _numbers, read_only(np.empty(0), np.bool_),
)  # fmt: skip
warm(
    build_point_octree, _rows, read_only(np.empty(0)), 1, np.empty(0, np.int32), np.empty((0, 3)),
    np.empty(0), np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int32),
    np.empty(0, np.bool_),
)  # fmt: skip
