"""Points of a body in an octree, ready for detection."""

import numpy as np
from numpy.typing import ArrayLike

from dovetail.collision.sdf.point_octree import PointTree, build_point_octree
from dovetail.errors import InputError
from dovetail.model.values import finite_array, quote, shape_of
from dovetail.runtime.options import named_parameters
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import FloatArray

LEAF_SIZE = 16


@named_parameters
class Octree:
    """An octree over detection points (n, 3) [m].

    `reach` [m] is the radius of the sphere that each point stands for: one point is a whole ball.
    """

    def __init__(self, points: ArrayLike, reach: ArrayLike = 0.0, leaf_size: int = LEAF_SIZE):
        shape = shape_of(points)
        if len(shape) != 2 or shape[1] != 3:
            raise InputError(f"`points` must be (n, 3) coordinates in m, got {quote(points)}")
        rows = read_only(finite_array(points, "`points`", shape, "m"))
        n = len(rows)
        balls = read_only(np.broadcast_to(np.asarray(reach, dtype=np.float64), (n,)))
        self.points = rows
        self.reach = balls
        self.tree = _built(rows, balls, leaf_size)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        return f"<Octree of {len(self)} points in {len(self.tree.after)} nodes>"


def _built(points: FloatArray, reach: FloatArray, leaf_size: int) -> PointTree:
    n = len(points)
    capacity = 64 + n
    while True:
        order = np.empty(n, np.int32)
        centre, radius = np.empty((capacity, 3)), np.empty(capacity)
        start, end, after = (np.empty(capacity, np.int32) for _ in range(3))
        leaf = np.empty(capacity, np.bool_)
        count = 0
        if n:
            count = build_point_octree(
                points, reach, leaf_size, order, centre, radius, start, end, after, leaf
            )
        if count >= 0:
            break
        capacity *= 2
    return PointTree(
        read_only(points[order]), read_only(reach[order]), read_only(order, np.int32),
        read_only(centre[:count]), read_only(radius[:count]), read_only(start[:count], np.int32),
        read_only(end[:count], np.int32), read_only(after[:count], np.int32),
        read_only(leaf[:count], np.bool_),
    )  # fmt: skip
