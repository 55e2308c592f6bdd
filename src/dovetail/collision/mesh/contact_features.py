"""The features of a body that can be in contact: points, edges and faces, each with a tree."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.tree import Bvh, PairBuffer, build_bvh, overlapping_pairs
from dovetail.collision.mesh.patch_features import PatchFeatures
from dovetail.collision.relative_pose import RelativePose
from dovetail.model.surface import IndexArray, Surface
from dovetail.runtime.read_only import read_only

Pairs = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ContactFeatures:
    """A surface with trees over its vertices, edges and faces, in the body's frame."""

    surface: Surface

    @cached_property
    def corners(self) -> IndexArray:
        """Vertices that belong to something that can touch: all of them."""
        return read_only(np.arange(len(self.surface.vertices)), np.int32)

    @cached_property
    def corner_tree(self) -> Bvh:
        return build_bvh(self.surface.vertices, self.corners[:, None])

    @cached_property
    def edge_tree(self) -> Bvh:
        return build_bvh(self.surface.vertices, self.surface.edges)

    @cached_property
    def face_tree(self) -> Bvh:
        return build_bvh(self.surface.vertices, self.surface.faces)

    @cached_property
    def wire_tree(self) -> Bvh:
        return build_bvh(self.surface.vertices, self.surface.wires)

    @cached_property
    def point_tree(self) -> Bvh:
        return build_bvh(self.surface.vertices, self.surface.points[:, None])

    @cached_property
    def patches(self) -> PatchFeatures:
        """Its coplanar patches."""
        return PatchFeatures(self.surface)

    @cached_property
    def radius(self) -> float:
        """[m] largest distance of a vertex from the centre."""
        return self.corner_tree.radius


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of features (n, 2) that come within a reach, numbered within their own kind.

    Every other contact of closed simplices is one of these: a vertex against a wire's end is in
    point_edge, against a face's corner in point_face, and so on. Crossed edges lose their weight
    when parallel, so vertices are tested against faces and wires from both sides.
    """

    point_face: Pairs  # vertex of a, face of b
    face_point: Pairs  # face of a, vertex of b
    edge_edge: Pairs
    point_wire: Pairs  # vertex of a, wire of b
    wire_point: Pairs
    point_point: Pairs  # of point clouds: rows of Surface.points

    @property
    def arrays(self) -> tuple[Pairs, ...]:
        """All six, as kernels take them."""
        return (
            self.point_face,
            self.face_point,
            self.edge_edge,
            self.point_wire,
            self.wire_point,
            self.point_point,
        )

    @property
    def count(self) -> int:
        return sum(len(rows) for rows in self.arrays)


def candidates_between(
    a: ContactFeatures,
    b: ContactFeatures,
    pose: RelativePose,
    reach: float,
    buffer: PairBuffer | None = None,
) -> Candidates:
    """All pairs of features within `reach` [m] of each other, in an order of the trees only."""
    buffer = buffer or PairBuffer()

    def within(tree_a: Bvh, tree_b: Bvh) -> Pairs:
        found = overlapping_pairs(tree_a, tree_b, pose, reach, buffer).copy()
        return read_only(found, np.int32)

    return Candidates(
        within(a.corner_tree, b.face_tree),
        within(a.face_tree, b.corner_tree),
        within(a.edge_tree, b.edge_tree),
        within(a.corner_tree, b.wire_tree),
        within(a.wire_tree, b.corner_tree),
        within(a.point_tree, b.point_tree),
    )
