"""The bodies at the start of a run, and the gap between two of which one is round."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.distance.nearest_pair import (
    EDGE_EDGE,
    POINT_EDGE,
    POINT_FACE,
    POINT_POINT,
    nearest_of,
)
from dovetail.collision.intersection.surfaces import PlacedTree
from dovetail.collision.mesh.contact_features import ContactFeatures, candidates_between
from dovetail.collision.relative_pose import relative_pose
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only


@dataclass(frozen=True, eq=False)
class StartBody(PlacedTree):
    """A body's tree at its first pose; of round shapes that of the core."""

    features: ContactFeatures
    radius: float  # [m] of its features

    @cached_property
    def box_world(self) -> Array:
        """(6,) lower and upper corner of the body [m]."""
        world = self.vertices_world
        return np.concatenate([world.min(axis=0) - self.radius, world.max(axis=0) + self.radius])

    def heights(self, point: Array, normal: Array) -> Array:
        """[m] of its vertices' lowest points over a plane."""
        heights: Array = (self.vertices_world - point) @ normal - self.radius
        return heights


def round_gap(one: StartBody, other: StartBody, reach: float) -> tuple[float, Array]:
    """The gap [m] of two bodies, of which one is round, and the normal from `other` to `one`.

    Infinite beyond `reach` [m].
    """
    offset = one.radius + other.radius
    a, b = one.features, other.features
    pose = relative_pose(one.x, one.R, other.x, other.R, one.tree.radius, other.tree.radius)
    near = candidates_between(a, b, pose, offset + reach, PairBuffer())
    here, there = one.vertices_world, other.vertices_world
    corners_a, corners_b = _columns(a.corners[:, None]), _columns(b.corners[:, None])
    faces_a, faces_b = a.surface.faces, b.surface.faces
    wires_a, wires_b = _columns(a.surface.wires), _columns(b.surface.wires)
    found = [
        nearest_of(POINT_FACE, here, there, corners_a, faces_b, near.point_face),
        _turned(nearest_of(POINT_FACE, there, here, corners_b, faces_a, _flipped(near.face_point))),
        nearest_of(
            EDGE_EDGE, here, there, _columns(a.surface.edges), _columns(b.surface.edges),
            near.edge_edge,
        ),
        nearest_of(POINT_EDGE, here, there, corners_a, wires_b, near.point_wire),
        _turned(nearest_of(POINT_EDGE, there, here, corners_b, wires_a, _flipped(near.wire_point))),
        nearest_of(
            POINT_POINT, here, there, _columns(a.surface.points[:, None]),
            _columns(b.surface.points[:, None]), near.point_point,
        ),
    ]  # fmt: skip
    squared, apart = min(found, key=lambda one: one[0])
    if not squared < math.inf:
        return math.inf, np.zeros(3)
    distance = math.sqrt(squared)
    normal = np.array(apart) / distance if distance > 0.0 else np.zeros(3)
    return distance - offset, normal


def _turned(found: tuple[float, tuple[float, ...]]) -> tuple[float, tuple[float, ...]]:
    squared, d = found
    return squared, (-d[0], -d[1], -d[2])


def _flipped(pairs: IndexArray) -> IndexArray:
    return read_only(pairs[:, ::-1], np.int32)


def _columns(rows: IndexArray) -> IndexArray:
    """Simplices with three columns, as a kernel takes them."""
    width = rows.shape[1]
    return read_only(rows[:, [0, min(1, width - 1), width - 1]], np.int32)
