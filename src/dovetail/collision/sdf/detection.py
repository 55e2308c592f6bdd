"""Which detection points of one body are inside another, and how deep."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.sdf.distance_mesh import ExactDistance
from dovetail.collision.sdf.field import Field
from dovetail.collision.sdf.field_octree import OctreeField
from dovetail.collision.sdf.octree import Octree
from dovetail.collision.sdf.points_inside import (
    Found,
    detect_all,
    detect_brute,
    detect_closest,
    detect_in_cells,
    detect_octree,
)
from dovetail.errors import InputError
from dovetail.model.values import Array, finite_array, quote, rotation_matrix, shape_of, vector3
from dovetail.runtime.options import named_options

Method = Literal["brute", "sdf_octree_grid", "sdf", "sdf_octree"]
METHODS: tuple[Method, ...] = ("brute", "sdf_octree_grid", "sdf", "sdf_octree")
Triple = tuple[float, float, float]
PoseRows = tuple[tuple[Triple, Triple, Triple], Triple]


class Detection(NamedTuple):
    """Points inside, by their numbers."""

    indices: NDArray[np.int32]  # (m,)
    depths: Array  # (m,) [m] > 0


@dataclass
class FoundBuffer:
    """Rows of found points, kept between calls and grown when they were too few."""

    rows: Found = field(default_factory=lambda: _found(256))

    def fill(self, kernel: Callable[..., int], *arguments: Any) -> int:
        """Run a detection kernel; returns how many rows are filled."""
        while True:
            count = int(kernel(*arguments, self.rows))
            if count <= len(self.rows.point):
                return count
            self.rows = _found(count + count // 4)


def _found(capacity: int) -> Found:
    return Found(np.empty(capacity, np.int32), np.empty(capacity), np.empty((capacity, 3)))


DistanceField = Field | OctreeField | ExactDistance


def run_detection(
    field: DistanceField, octree: Octree, pose: PoseRows, buffer: FoundBuffer, method: str
) -> int:
    """Fill `buffer` by the kernel that belongs to the kind of field and the method."""
    if isinstance(field, OctreeField):
        return buffer.fill(detect_in_cells, field.arrays, octree.tree, *pose)
    if isinstance(field, ExactDistance):
        kernel = detect_brute if method == "brute" else detect_closest
        return buffer.fill(kernel, field.arrays, octree.tree, *pose)
    kernel = detect_all if method == "sdf" else detect_octree
    return buffer.fill(kernel, field.arrays, octree.tree, *pose)


@named_options
def detect(
    field: DistanceField, octree: Octree, pose: Any = None, method: str | None = None
) -> Detection:
    """Points of `octree` inside `field`, each point p placed at R p + t in the field's frame.

    Args:
        field: a field on a grid or analytic; an OctreeField; or exact distances of a mesh.
        octree: the other body's detection points.
        pose: (R, t) with R (3, 3) and t (3,) [m], or a (4, 4) matrix; default: the same frame.
        method: for a field "sdf_octree" (default) or "sdf" (every point); for exact distances
            "brute" (every triangle) or "bvh" (default, nearest triangle by a tree).
    """
    if not isinstance(octree, Octree):
        raise InputError(f"`octree` must be a dt.sdf.Octree(points), got {quote(octree)}")
    if not isinstance(field, DistanceField):
        raise InputError(f"`field` must come from dt.sdf.build or be analytic, got {quote(field)}")
    buffer = FoundBuffer()
    count = run_detection(field, octree, pose_rows(pose), buffer, method or "")
    order = np.argsort(buffer.rows.point[:count], kind="stable")
    return Detection(buffer.rows.point[:count][order], buffer.rows.depth[:count][order])


def pose_rows(pose: Any) -> PoseRows:
    """A pose as kernels take it."""
    if pose is None:
        pose = np.eye(3), np.zeros(3)
    elif shape_of(pose) == (4, 4):
        matrix = finite_array(pose, "`pose`", (4, 4))
        pose = matrix[:3, :3], matrix[:3, 3]
    try:
        R, t = pose
    except (TypeError, ValueError):
        raise InputError(f"`pose` must be (R, t) or a 4x4 matrix, got {quote(pose)}") from None
    return plain_rows(rotation_matrix(R, "rotation of `pose`"), vector3(t, "`pose`", "m"))


def plain_rows(R: Array, t: Array) -> PoseRows:
    """Arrays as tuples."""
    a, b, c = R.tolist()
    x, y, z = t.tolist()
    return ((a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2])), (x, y, z)
