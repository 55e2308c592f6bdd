"""Slabs around the nodes of a tree: how thick each part of a surface is along its mean normal.

A box around a triangle that is tilted against its axes is as thick as the triangle is wide. Between
two such boxes nothing is seen of the gap of two surfaces that lie close to each other. A slab is
thin: all points x of a node, c the centre of its box, satisfy
    low <= n.(x - c) <= high,   |x - c| <= radius,
where n is the mean normal of the surface there. Two nodes are separated along u by at least
    u.(c_b - c_a) - max u.(x_a - c_a) - max -u.(x_b - c_b),
and with k = u.n the largest u.(x - c) is at most max(k low, k high) + sqrt(1 - k^2) radius. Along n
the thickness of the node itself counts only; that of the other one does, where both lie flat on
each other. Round features have a core of which all this is said, and a `rounding` that is added in
all directions. The sign of n has no meaning. Where there is no surface n is 0, and no direction is
tested.
"""

import math

import numpy as np

from dovetail.collision.bvh.tree import Bvh
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

LOW, HIGH, RADIUS, ROUNDING = 3, 4, 5, 6  # columns after those of the normal
COLUMNS = 7
ROUNDED = 1e-14  # of sizes: what the computation of a slab may be off by


def vertex_normals(vertices: Array, faces: IndexArray) -> Array:
    """(n, 3) sums of the area vectors [m^2] of the faces around each vertex."""
    sums = np.zeros((len(vertices), 3))
    if len(faces):
        corners = vertices[faces]
        area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        for k in range(3):
            np.add.at(sums, faces[:, k], area)
    return sums


def slabs_of(tree: Bvh, normals: Array, rounding: float) -> Array:
    """(n_nodes, COLUMNS) n and low, high, radius, rounding [m] of all nodes."""
    slabs = np.zeros((len(tree.right), COLUMNS))
    if len(slabs):
        parent = np.empty(len(slabs), np.int32)
        set_slabs(
            tree.boxes, tree.right, tree.vertices, tree.simplices, read_only(normals), parent, slabs
        )
        slabs[:, ROUNDING] = rounding
    return slabs


def slabs_of_boxes(boxes: Array) -> Array:
    """(n, COLUMNS) slabs of nodes (n, 6) of which nothing but their boxes is known.

    No normal, and a ball around the box about its centre. The rounding is 0: all that belongs to
    the node has to be in its box.
    """
    slabs = np.zeros((len(boxes), COLUMNS))
    size = np.linalg.norm(boxes[:, 3:] - boxes[:, :3], axis=1)
    slabs[:, RADIUS] = 0.5 * size + ROUNDED * (size + np.abs(boxes).sum(axis=1))
    return slabs


@jit
def set_slabs(boxes, right, vertices, simplices, normals, parent, slabs):
    """Normals from the leaves up, area by area; then what every vertex adds to its nodes."""
    m = right.shape[0]
    parent[0] = -1
    for n in range(m):
        if right[n] >= 0:
            parent[n + 1] = parent[right[n]] = n
    for n in range(m - 1, -1, -1):
        if right[n] < 0:
            simplex = -1 - right[n]
            i, j, k = simplices[simplex, 0], simplices[simplex, 1], simplices[simplex, 2]
            if i != j and j != k and k != i:  # a face has its own
                for r in range(3):
                    s, t = (r + 1) % 3, (r + 2) % 3
                    slabs[n, r] = (vertices[j, s] - vertices[i, s]) * (
                        vertices[k, t] - vertices[i, t]
                    ) - (vertices[j, t] - vertices[i, t]) * (vertices[k, s] - vertices[i, s])
            else:
                _add_normal(slabs, n, normals, i)
                if j != i:
                    _add_normal(slabs, n, normals, j)
        else:
            for r in range(3):
                slabs[n, r] = slabs[n + 1, r]
            _add_normal(slabs, n, slabs, right[n])
    for n in range(m):
        size = math.sqrt(slabs[n, 0] ** 2 + slabs[n, 1] ** 2 + slabs[n, 2] ** 2)
        for r in range(3):
            slabs[n, r] = slabs[n, r] / size if size > 0.0 else 0.0
        slabs[n, LOW], slabs[n, HIGH], slabs[n, RADIUS] = math.inf, -math.inf, 0.0
    for n in range(m):
        if right[n] < 0:
            for corner in range(3):
                v = simplices[-1 - right[n], corner]
                node = n
                while node >= 0:
                    height, squared = 0.0, 0.0
                    for r in range(3):
                        off = vertices[v, r] - 0.5 * (boxes[node, r] + boxes[node, 3 + r])
                        height += slabs[node, r] * off
                        squared += off * off
                    slabs[node, LOW] = min(slabs[node, LOW], height)
                    slabs[node, HIGH] = max(slabs[node, HIGH], height)
                    slabs[node, RADIUS] = max(slabs[node, RADIUS], math.sqrt(squared))
                    node = parent[node]
    for n in range(m):
        off = ROUNDED * (slabs[n, RADIUS] + abs(boxes[n, 0]) + abs(boxes[n, 1]) + abs(boxes[n, 2]))
        slabs[n, LOW] -= off
        slabs[n, HIGH] += off
        slabs[n, RADIUS] += off


@jit
def _add_normal(slabs, n, normals, k):
    """Add row k, of either sign, so that both sides of a thin plate do not cancel."""
    along = 0.0
    for r in range(3):
        along += slabs[n, r] * normals[k, r]
    sign = -1.0 if along < 0.0 else 1.0
    for r in range(3):
        slabs[n, r] += sign * normals[k, r]


_points, _rows = read_only(np.empty((0, 3))), read_only(np.empty((0, 3)), np.int32)
_slabs = np.empty((0, COLUMNS))
_boxes, _right = read_only(np.empty((0, 6))), read_only(np.empty(0), np.int32)
warm(set_slabs, _boxes, _right, _points, _rows, _points, np.empty(1, np.int32), _slabs)
