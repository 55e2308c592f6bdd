"""Which points of one body lie inside another: four methods with the same answer.

Every kernel places the points at R p + t in the frame of the field, and writes the number, depth
[m] > 0 and gradient of each point inside, returning how many there are; that may be more than
fit: then grow the rows and call again. A point with a reach stands for a sphere.
"""

from typing import NamedTuple

import numpy as np

from dovetail.collision.sdf import mesh_distance, octree_cells, point_octree
from dovetail.collision.sdf.evaluate import EMPTY, certain_gap, evaluate
from dovetail.collision.sdf.mesh_distance import STACK, nearest, nearest_of_all, with_gradient
from dovetail.collision.sdf.octree_cells import evaluate_octree
from dovetail.linalg.vec3 import IDENTITY, ZERO, add, load3, matvec
from dovetail.runtime.jit import jit
from dovetail.runtime.records import FloatArray, Int32Array
from dovetail.runtime.warmup import warm


class Found(NamedTuple):
    """Rows for what a detection finds."""

    point: Int32Array  # (capacity,) its number
    depth: FloatArray  # (capacity,) [m]
    gradient: FloatArray  # (capacity, 3) in the frame of the field


@jit
def _keep(found, count, point, depth, gradient):
    if count < found.point.shape[0]:
        found.point[count] = point
        found.depth[count] = depth
        found.gradient[count, 0] = gradient[0]
        found.gradient[count, 1] = gradient[1]
        found.gradient[count, 2] = gradient[2]
    return count + 1


@jit
def detect_octree(field, tree, R, t, found):
    """Skips every node of the octree that the field shows to be outside altogether."""
    count, n = 0, 0
    while n < tree.after.shape[0]:
        p = add(matvec(R, load3(tree.centre, n)), t)
        if certain_gap(field, p, tree.radius[n]) >= 0.0:
            n = tree.after[n]
            continue
        if tree.leaf[n]:
            for s in range(tree.start[n], tree.end[n]):
                value, g = evaluate(field, add(matvec(R, load3(tree.points, s)), t))
                if value < tree.reach[s]:
                    count = _keep(found, count, tree.order[s], tree.reach[s] - value, g)
        n += 1
    return count


@jit
def least_gap(field, tree, R, t, gap):
    """The least value [m] of the field at the points, less their reach; `gap` if none is less."""
    n = 0
    while n < tree.after.shape[0]:
        p = add(matvec(R, load3(tree.centre, n)), t)
        if certain_gap(field, p, tree.radius[n]) >= gap:
            n = tree.after[n]
            continue
        if tree.leaf[n]:
            for s in range(tree.start[n], tree.end[n]):
                value, _ = evaluate(field, add(matvec(R, load3(tree.points, s)), t))
                gap = min(gap, value - tree.reach[s])
        n += 1
    return gap


def _at_every_point(value_at, name, doc):
    """The kernel that takes (value, gradient) = value_at(field, p) at every point."""

    def detect(field, tree, R, t, found):
        count = 0
        for s in range(tree.points.shape[0]):
            value, g = value_at(field, add(matvec(R, load3(tree.points, s)), t))
            if value < tree.reach[s]:
                count = _keep(found, count, tree.order[s], tree.reach[s] - value, g)
        return count

    detect.__name__ = detect.__qualname__ = name
    detect.__doc__ = doc
    return jit(detect)


@jit
def _by_every_triangle(mesh, p):
    squared, q, triangle, part = nearest_of_all(mesh, p)
    return with_gradient(mesh, p, squared, q, triangle, part)


detect_all = _at_every_point(evaluate, "detect_all", "Evaluates the field at every point.")
detect_in_cells = _at_every_point(
    evaluate_octree, "detect_in_cells", "Evaluates a field stored in an octree at every point."
)
detect_brute = _at_every_point(
    _by_every_triangle, "detect_brute", "Measures every point against every triangle."
)


@jit
def detect_closest(mesh, tree, R, t, found):
    """Finds the triangle nearest to every point through the tree of boxes."""
    count, guess, stack, bounds = 0, 0, np.empty(STACK, np.int32), np.empty(STACK)
    for s in range(tree.points.shape[0]):
        p = add(matvec(R, load3(tree.points, s)), t)
        squared, q, guess, part = nearest(mesh, p, guess, stack, bounds)
        value, g = with_gradient(mesh, p, squared, q, guess, part)
        if value < tree.reach[s]:
            count = _keep(found, count, tree.order[s], tree.reach[s] - value, g)
    return count


_found = Found(np.empty(0, np.int32), np.empty(0), np.empty((0, 3)))
for _kernel, _field in (
    (detect_octree, EMPTY),
    (detect_all, EMPTY),
    (detect_in_cells, octree_cells.EMPTY),
    (detect_brute, mesh_distance.EMPTY),
    (detect_closest, mesh_distance.EMPTY),
):
    warm(_kernel, _field, point_octree.EMPTY, IDENTITY, ZERO, _found)
warm(least_gap, EMPTY, point_octree.EMPTY, IDENTITY, ZERO, 1.0)
