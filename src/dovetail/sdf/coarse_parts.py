"""Edges and faces of a body that are too long to be left to their samples."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.kernels.deepest_point import NO_PARTS, Parts
from dovetail.kernels.read_only import read_only
from dovetail.model.surface import Surface
from dovetail.model.values import Array
from dovetail.sdf.octree import Octree

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CoarseParts:
    """Edges and faces to be searched, each with an octree over their middles."""

    edges: Parts
    faces: Parts
    edge_tree: Octree
    face_tree: Octree


class PartsOfSurface:
    """The edges and faces of a surface that is sampled at distances of `spacing` [m]."""

    def __init__(self, surface: Surface, spacing: float) -> None:
        self._surface = surface
        ends = surface.vertices[surface.edges]
        self._length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        self.pieces: Numbers = np.maximum(np.ceil(self._length / spacing * (1 - 1e-9)), 1).astype(
            np.int64
        )
        self._side = _sides(surface)
        self.face_pieces: Numbers = np.max(self.pieces[self._side], axis=1, initial=1)

    def longer_than(self, limit: float) -> CoarseParts:
        """Edges with a length [m] above the limit, and the faces that have samples.

        Smaller faces are left to the corners of what they touch, which are detection points too.
        """
        surface = self._surface
        long = np.flatnonzero(self._length * (1 - 1e-9) > limit)
        edges = _parts(surface.edges[long][:, [0, 1, 1]], self.pieces[long])
        number = np.full(len(surface.edges), -1)
        number[long] = np.arange(len(long))
        large = np.flatnonzero(self.face_pieces > 1)
        faces = _parts(surface.faces[large], self.face_pieces[large], number[self._side[large]])
        return with_trees(surface.vertices, edges, faces)


def with_trees(points: Array, edges: Parts, faces: Parts = NO_PARTS) -> CoarseParts:
    """Parts with octrees over the balls around them."""
    return CoarseParts(edges, faces, _tree(points, edges), _tree(points, faces))


def _parts(corners: NDArray[np.int32], pieces: Numbers, borders: Numbers | None = None) -> Parts:
    n = len(corners)
    return Parts(
        read_only(corners, np.int32),
        read_only(pieces, np.int32),
        read_only(np.full((n, 3), -1) if borders is None else borders, np.int32),
        read_only(np.zeros(n)),
    )


def _tree(points: Array, parts: Parts) -> Octree:
    corners = points[parts.corners]
    middle = 0.5 * (corners.min(axis=1, initial=np.inf) + corners.max(axis=1, initial=-np.inf))
    far = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1, initial=0.0)
    return Octree(middle, far + parts.reach)


def _sides(surface: Surface) -> Numbers:
    """(m, 3) numbers of the edges of every face."""
    n = max(len(surface.vertices), 1)
    keys = surface.edges[:, 0].astype(np.int64) * n + surface.edges[:, 1]
    order = np.argsort(keys)
    ends = np.stack([surface.faces, np.roll(surface.faces, -1, axis=1)], axis=2)
    wanted = np.sort(ends, axis=2).astype(np.int64) @ [n, 1]
    found: Numbers = order[np.searchsorted(keys[order], wanted)]
    return found
