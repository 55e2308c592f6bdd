"""What a mesh file holds, before anything is judged."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dovetail.errors import InputError
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array

MOST_VERTICES = MOST_TRIANGLES = 20_000_000


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

    def welded(self) -> "RawMesh":
        """Vertices at exactly the same place made one, in the order of their first use."""
        if len(self.vertices) == 0:
            return self
        keys = np.ascontiguousarray(self.vertices + 0.0)  # -0.0 and 0.0 are one place
        packed = keys.view(np.dtype((np.void, keys.dtype.itemsize * 3))).ravel()
        _, first, number = np.unique(packed, return_index=True, return_inverse=True)
        if len(first) == len(keys):
            return self
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        new = rank[number.ravel()].astype(np.int32)
        edges = new[self.edges]
        return RawMesh(
            self.vertices[first[order]], new[self.faces], edges[edges[:, 0] != edges[:, 1]]
        )


def refuse_too_many(n_vertices: int, n_triangles: int, what: str) -> None:
    """Limits that keep a file from exhausting memory."""
    for count, most, kind in (
        (n_vertices, MOST_VERTICES, "vertices"),
        (n_triangles, MOST_TRIANGLES, "triangles"),
    ):
        if count > most:
            raise InputError(
                f"{what} must have at most {most:,} {kind}, got {count:,}; simplify the mesh"
            )
