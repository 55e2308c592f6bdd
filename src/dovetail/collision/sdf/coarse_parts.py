"""Edges and faces of a body that are too long to be left to their samples."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.sdf.deepest_point import NO_PARTS, PartArrays
from dovetail.collision.sdf.octree import Octree
from dovetail.model.surface import Surface
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only

Numbers = NDArray[np.int64]
SHARP = 0.35  # [rad] between two faces: a smaller angle is a tessellated smooth surface


@dataclass(frozen=True, eq=False)
class CoarseParts:
    """Edges and faces to be searched, each with an octree over their middles."""

    edges: PartArrays
    faces: PartArrays
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
        self._side = sides_of_faces(surface)
        self._sharp = sharp_edges(surface, self._side)
        self.face_pieces: Numbers = np.max(self.pieces[self._side], axis=1, initial=1)

    def longer_than(self, limit: float) -> CoarseParts:
        """Edges and faces that have samples, and sharp edges with a length [m] above the limit.

        Smaller faces and flat or hollow edges are left to the corners and sharp edges of what
        they touch, which are looked for too.
        """
        surface = self._surface
        short = self._sharp & (self._length * (1 - 1e-9) > limit)
        long = np.flatnonzero((self.pieces > 1) | short)
        edges = _parts(surface.edges[long][:, [0, 1, 1]], self.pieces[long])
        number = np.full(len(surface.edges), -1)
        number[long] = np.arange(len(long))
        large = np.flatnonzero(self.face_pieces > 1)
        faces = _parts(surface.faces[large], self.face_pieces[large], number[self._side[large]])
        return with_trees(surface.vertices, edges, faces)


def with_trees(points: Array, edges: PartArrays, faces: PartArrays = NO_PARTS) -> CoarseParts:
    """Parts with octrees over the balls around them."""
    return CoarseParts(edges, faces, _tree(points, edges), _tree(points, faces))


def _parts(
    corners: NDArray[np.int32], pieces: Numbers, borders: Numbers | None = None
) -> PartArrays:
    n = len(corners)
    return PartArrays(
        read_only(corners, np.int32),
        read_only(pieces, np.int32),
        read_only(np.full((n, 3), -1) if borders is None else borders, np.int32),
        read_only(np.zeros(n)),
    )


def _tree(points: Array, parts: PartArrays) -> Octree:
    corners = points[parts.corners]
    middle = 0.5 * (corners.min(axis=1, initial=np.inf) + corners.max(axis=1, initial=-np.inf))
    far = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1, initial=0.0)
    return Octree(middle, far + parts.reach)


def sides_of_faces(surface: Surface) -> Numbers:
    """(m, 3) numbers of the edges of every face."""
    n = max(len(surface.vertices), 1)
    keys = surface.edges[:, 0].astype(np.int64) * n + surface.edges[:, 1]
    order = np.argsort(keys)
    ends = np.stack([surface.faces, np.roll(surface.faces, -1, axis=1)], axis=2)
    wanted = np.sort(ends, axis=2).astype(np.int64) @ [n, 1]
    found: Numbers = order[np.searchsorted(keys[order], wanted)]
    return found


def sharp_edges(surface: Surface, side: Numbers) -> NDArray[np.bool_]:
    """Which edges stick out by more than `SHARP`; those without two faces always do."""
    corners = surface.vertices[surface.faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)
    order = np.argsort(side.ravel(), kind="stable")
    edge, face = side.ravel()[order], order // 3
    opposite = surface.faces.ravel()[3 * face + (order % 3 + 2) % 3]
    first = np.searchsorted(edge, np.arange(len(surface.edges)))
    paired = np.bincount(side.ravel(), minlength=len(surface.edges)) == 2
    sharp: NDArray[np.bool_] = ~paired
    one = first[paired]
    a, b, tip = face[one], face[one + 1], opposite[one + 1]
    out = surface.vertices[tip] - surface.vertices[surface.edges[paired, 0]]
    convex = np.einsum("ij,ij->i", out, normal[a]) < 0
    sharp[paired] = convex & (np.einsum("ij,ij->i", normal[a], normal[b]) < np.cos(SHARP))
    return sharp
