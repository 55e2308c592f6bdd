"""Which triangles, wires and points of two bodies, or of one mesh, meet: exact answers.

Vertices are taken as the exact doubles they are. Sets are closed: touching is meeting.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.tree import (
    Bvh,
    PairBuffer,
    build_bvh,
    overlapping_pairs,
    self_overlapping_pairs,
)
from dovetail.collision.intersection.pairs import keep_meeting, keep_self_meeting, mark_proper
from dovetail.collision.relative_pose import relative_pose
from dovetail.errors import InputError
from dovetail.model.surface import IndexArray, Surface
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only

SMALLEST, LARGEST = (
    2.0**-300,
    2.0**300,
)  # [m], where the exact predicates neither over- nor underflow


@dataclass(frozen=True, eq=False)
class PlacedTree:
    """A body's tree at a pose: world = R r + x."""

    tree: Bvh
    x: Array  # (3,) [m]
    R: Array  # (3, 3)

    @cached_property
    def vertices_world(self) -> Array:
        """(n_vertices, 3) [m], the doubles on which the exact tests decide."""
        return exact_coordinates(self.tree.vertices @ self.R.T + self.x)

    @cached_property
    def box_world(self) -> Array:
        """(6,) lower and upper corner of the vertices [m]."""
        world = self.vertices_world
        return np.concatenate([world.min(axis=0), world.max(axis=0)])


def exact_coordinates(vertices: Array) -> Array:
    """Coordinates within the domain of the exact predicates.

    Magnitudes below 2^-300 m (5e-91 m) count as zero; above 2^300 m (2e90 m) they are refused.
    """
    size = np.abs(vertices)
    if not np.all(size <= LARGEST):
        raise InputError(
            f"coordinates must be finite and at most {LARGEST:.1e} m, got {np.max(size):g}"
        )
    return read_only(np.where(size < SMALLEST, 0.0, vertices))


def intersecting_pairs(
    a: PlacedTree, b: PlacedTree, buffer: PairBuffer | None = None
) -> NDArray[np.int32]:
    """Pairs (simplex of a, simplex of b) that have a common point, (n, 2)."""
    pose = relative_pose(a.x, a.R, b.x, b.R, a.tree.radius, b.tree.radius)
    buffer = buffer or PairBuffer()
    candidates = overlapping_pairs(a.tree, b.tree, pose, 0.0, buffer)
    if not len(candidates):
        return candidates
    count = keep_meeting(
        a.vertices_world,
        a.tree.simplices,
        b.vertices_world,
        b.tree.simplices,
        buffer.rows,
        len(candidates),
    )
    return buffer.rows[:count].copy()


def self_intersecting_pairs(surface: Surface) -> NDArray[np.int32]:
    """Pairs of faces of one surface that meet beyond the corners and edges they share, (n, 2).

    Vertices at exactly the same place count as one. Faces without area are left out, and so are
    those with the three corners of an earlier one.
    """
    vertices = exact_coordinates(surface.vertices)
    every = _same_place(vertices)[surface.faces]
    kept = _once_each(every, np.flatnonzero(proper_faces(vertices, every)))
    tree = build_bvh(vertices, every[kept])
    buffer = PairBuffer()
    candidates = self_overlapping_pairs(tree, 0.0, buffer)
    proper = np.ones(len(kept), dtype=np.bool_)
    count = keep_self_meeting(vertices, tree.simplices, proper, buffer.rows, len(candidates))
    pairs = np.sort(kept[buffer.rows[:count]], axis=1).astype(np.int32)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _once_each(faces: IndexArray, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of the faces `numbers` those with corners no earlier one has, ascending."""
    corners = np.sort(faces[numbers], axis=1)
    order = np.lexsort(corners.T)  # stable: among equals the first comes first
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any(np.diff(corners[order], axis=0) != 0, axis=1)
    return np.sort(numbers[order[new]])


def proper_faces(vertices: Array, faces: IndexArray) -> NDArray[np.bool_]:
    """Which faces have an area, that is corners not on one line, exactly."""
    proper = np.empty(len(faces), dtype=np.bool_)
    mark_proper(read_only(vertices), read_only(faces, np.int32), proper)
    return proper


def _same_place(vertices: Array) -> IndexArray:
    """For each vertex the first one in sorted order at exactly its place, (n,)."""
    order = np.lexsort(vertices.T)
    if not len(order):
        return order.astype(np.int32)
    new = np.any(np.diff(vertices[order], axis=0) != 0, axis=1)
    group = np.concatenate([[0], np.cumsum(new)])
    first = order[np.concatenate([[True], new])]
    result = np.empty(len(order), dtype=np.int32)
    result[order] = first[group]
    return result
