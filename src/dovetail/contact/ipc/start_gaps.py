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
from dovetail.collision.distance.revolution import Solid
from dovetail.collision.distance.solid_mesh import nearest_to_mesh, normals_within
from dovetail.collision.distance.solids import certain_distance, reach_along
from dovetail.collision.intersection.surfaces import PlacedTree
from dovetail.collision.mesh.contact_features import ContactFeatures, candidates_between
from dovetail.collision.relative_pose import relative_pose
from dovetail.contact.ipc.records import EVERYWHERE, ONLY_OVER_PLANES
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only

AS_NEAR = 1e-9  # of the diagonal: simplices whose distances differ by less, and rounding
MAX_NORMALS = 24


@dataclass(frozen=True, eq=False)
class StartBody(PlacedTree):
    """A body's tree at its first pose; of round shapes that of the core."""

    features: ContactFeatures
    radius: float  # [m] of its features
    row: Array | None = None  # (7,) of a solid of revolution, see `round_shapes.solid_of`

    @property
    def is_solid(self) -> bool:
        """Whether it is a solid of revolution against all else."""
        return self.row is not None and self.row[0] == EVERYWHERE

    @property
    def is_ring(self) -> bool:
        """Whether it is a ring, which rolls on flat faces as it is."""
        return self.row is not None and bool(self.row[0] == ONLY_OVER_PLANES)

    @property
    def is_round(self) -> bool:
        """Whether its triangles are not what it is."""
        return self.radius > 0.0 or self.is_solid

    @property
    def solid(self) -> Solid:
        """The solid at its pose."""
        assert self.row is not None
        return Solid(_triple(self.R[:, 2]), *(float(value) for value in self.row[1:6]))

    @cached_property
    def box_world(self) -> Array:
        """(6,) lower and upper corner of the body [m]."""
        if self.row is not None:
            reach = [reach_along(self.solid, _triple(n)) for n in (*-np.eye(3), *np.eye(3))]
            return np.concatenate([self.x - reach[:3], self.x + reach[3:]])
        world = self.vertices_world
        return np.concatenate([world.min(axis=0) - self.radius, world.max(axis=0) + self.radius])

    @property
    def own_bounds(self) -> Array:
        """(2, 3) lower and upper corner [m] of a box around the body in its own axes."""
        if self.row is not None:
            _, z0, r0, z1, r1, tube, _ = self.row.tolist()
            r = max(r0, r1) + tube
            return np.array([(-r, -r, min(z0, z1) - tube), (r, r, max(z0, z1) + tube)])
        bounds: Array = self.features.surface.bounds + np.array([[-self.radius], [self.radius]])
        return bounds

    def heights(self, point: Array, normal: Array) -> Array:
        """[m] of its vertices' lowest points over a plane, or of the lowest point of a solid."""
        if self.row is not None:
            return np.array([(self.x - point) @ normal - reach_along(self.solid, _triple(-normal))])
        heights: Array = (self.vertices_world - point) @ normal - self.radius
        return heights


def round_gap(
    one: StartBody, other: StartBody, reach: float, crossed: float = 0.0
) -> tuple[float, Array]:
    """The gap [m] of two bodies, of which one is round, and the normal from `other` to `one`.

    Infinite beyond `reach` [m]. They may cross by `crossed` [m].
    """
    if other.is_solid and not one.is_solid:
        gap, normal = round_gap(other, one, reach, crossed)
        return gap, -normal
    if one.is_solid:
        return _solid_gap(one, other, reach, crossed)
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


def _solid_gap(
    one: StartBody, other: StartBody, reach: float, crossed: float
) -> tuple[float, Array]:
    """As `round_gap`, of a solid of revolution.

    What touches along an edge meets faces on both sides of it, at no distance: the normal is the
    one along which a way of `reach` opens it most.
    """
    if other.is_solid:
        gap, towards = certain_distance(one.solid, other.solid, _triple(other.x - one.x))
        return float(gap), -np.array(towards)
    solid, features = one.solid, other.features.surface
    simplices = (features.faces, features.wires, features.points)
    size = float(np.linalg.norm(one.box_world[3:] - one.box_world[:3]))
    depth, vertices = max(1e-6 * size, 2.0 * crossed), other.vertices_world - one.x
    gap, towards = nearest_to_mesh(solid, read_only(vertices), *simplices, depth)
    if gap < reach + other.radius:
        within, normals = gap + AS_NEAR * size, np.zeros((MAX_NORMALS, 3))
        count = normals_within(solid, read_only(vertices), *simplices, depth, within, normals)
        widest = -math.inf
        for n in normals[: count if count > 1 else 0]:
            opened = nearest_to_mesh(solid, read_only(vertices + reach * n), *simplices, depth)[0]
            if opened > widest:
                widest, towards = opened, _triple(n)
    return float(gap) - other.radius, -np.array(towards)


def _triple(v: Array) -> tuple[float, float, float]:
    return (float(v[0]), float(v[1]), float(v[2]))


def _turned(found: tuple[float, tuple[float, ...]]) -> tuple[float, tuple[float, ...]]:
    squared, d = found
    return squared, (-d[0], -d[1], -d[2])


def _flipped(pairs: IndexArray) -> IndexArray:
    return read_only(pairs[:, ::-1], np.int32)


def _columns(rows: IndexArray) -> IndexArray:
    """Simplices with three columns, as a kernel takes them."""
    width = rows.shape[1]
    return read_only(rows[:, [0, min(1, width - 1), width - 1]], np.int32)
