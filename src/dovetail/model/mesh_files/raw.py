"""What a mesh file contains, before anything is checked."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dovetail.errors import InputError
from dovetail.model.connected import component_labels, links_within
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array

MAX_VERTICES = MAX_TRIANGLES = 5_000_000  # about 1.5 GB while a mesh is read and put in order


@dataclass(frozen=True, eq=False)
class RawMesh:
    """Vertices (n, 3), triangles (m, 3) and free edges (k, 2) as vertex numbers from 0."""

    vertices: Array
    faces: IndexArray
    edges: IndexArray

    @staticmethod
    def of(vertices: ArrayLike, faces: ArrayLike = (), edges: ArrayLike = ()) -> "RawMesh":
        def indices(rows: ArrayLike, width: int) -> IndexArray:
            if np.size(rows) == 0:
                return np.zeros((0, width), dtype=np.int32)
            return np.asarray(rows, dtype=np.int32).reshape(-1, width)

        array = np.asarray(vertices, dtype=np.float64).reshape(-1, 3)
        return RawMesh(array, indices(faces, 3), indices(edges, 2))

    def welded(self, within: float = 0.0) -> "RawMesh":
        """Vertices at one place made one, in the order of their first use.

        At exactly one place, or `within` so many metres of each other; the first of them stays.
        """
        if len(self.vertices) == 0:
            return self
        if within > 0.0:
            return self._joined(
                component_labels(len(self.vertices), links_within(self.vertices, within))
            )
        x, y, z = (self.vertices + 0.0).T  # -0.0 and 0.0 are one place
        order = np.lexsort((z, y, x))  # stable: among equals the first comes first
        starts = np.ones(len(order), dtype=bool)
        starts[1:] = np.any(np.diff(np.column_stack([x, y, z])[order], axis=0) != 0, axis=1)
        if starts.all():
            return self
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.cumsum(starts) - 1
        return self._joined(place)

    def _joined(self, place: NDArray[np.int64]) -> "RawMesh":
        """Vertices with the same `place` (n,) made one."""
        first = np.unique(place, return_index=True)[1]
        if len(first) == len(place):
            return self
        by_use = np.argsort(first)
        rank = np.empty(len(first), dtype=np.int32)
        rank[by_use] = np.arange(len(first))
        new = rank[place]
        edges = new[self.edges]
        return RawMesh(
            self.vertices[first[by_use]], new[self.faces], edges[edges[:, 0] != edges[:, 1]]
        )


def refuse_too_many(n_vertices: int, n_triangles: int, what: str) -> None:
    """Limits that keep a file from exhausting memory."""
    for count, most, kind in (
        (n_vertices, MAX_VERTICES, "vertices"),
        (n_triangles, MAX_TRIANGLES, "triangles"),
    ):
        if count > most:
            raise InputError(
                f"{what} must have at most {most:,} {kind}, got {count:,}; simplify the mesh"
            )
