"""A shape's surface as triangles, edges and points: what contact and pictures are made of."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dovetail.model.values import Array

IndexArray = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Surface:
    """Vertices [m] with the edges and faces between them, in one frame.

    `edges` holds every edge once, those of the faces and free ones (wires) alike;
    `points` are the vertices no edge or face uses (point clouds).
    """

    vertices: Array  # (n_vertices, 3)
    edges: IndexArray  # (n_edges, 2), each row ascending
    faces: IndexArray  # (n_faces, 3), counter-clockwise seen from outside

    @staticmethod
    def of(
        vertices: ArrayLike, faces: ArrayLike | None = None, edges: ArrayLike | None = None
    ) -> "Surface":
        """Build from vertices, faces and free edges; the faces' own edges are added."""
        face_array = _indices(faces, 3)
        loose = _indices(edges, 2)
        every = np.concatenate([np.sort(loose, axis=1), sides_of(face_array)])
        vertex_array = np.array(vertices, dtype=np.float64).reshape(-1, 3)
        n = max(len(vertex_array), 1)
        keys = np.sort(every[:, 0] * n + every[:, 1])  # far faster than unique rows
        keys = keys[np.diff(keys, prepend=-1) > 0]
        edge_array = np.column_stack([keys // n, keys % n]).astype(np.int32)
        for array in (vertex_array, edge_array, face_array):
            array.flags.writeable = False
        return Surface(vertex_array, edge_array, face_array)

    def moved(self, rotation: Array, translation: Array) -> "Surface":
        """The surface with every vertex at R v + x."""
        vertices = self.vertices @ rotation.T + translation
        vertices.flags.writeable = False
        return Surface(vertices, self.edges, self.faces)

    def about(self, centre: Array) -> "Surface":
        """The surface with its origin at `centre`: the same object as last time, if it is the same.

        Bodies of equal shapes so share what follows from their surface.
        """
        key = centre.tobytes()
        known = self._last_about.get(key)
        if known is None:
            known = self.moved(np.eye(3), -centre)
            self._last_about.clear()
            self._last_about[key] = known
        return known

    @cached_property
    def _last_about(self) -> "dict[bytes, Surface]":
        """What `about` returned last, by centre."""
        return {}

    @cached_property
    def wires(self) -> IndexArray:
        """Edges that are no side of a face, (n, 2)."""
        n = len(self.vertices)
        of_faces = np.isin(self.edges @ [n, 1], sides_of(self.faces) @ [n, 1])
        wires = self.edges[~of_faces]
        wires.flags.writeable = False
        return wires

    @cached_property
    def points(self) -> IndexArray:
        """Vertices that belong to no edge and no face."""
        used = np.zeros(len(self.vertices), dtype=bool)
        used[self.edges.ravel()] = True
        used[self.faces.ravel()] = True
        points = np.flatnonzero(~used).astype(np.int32)
        points.flags.writeable = False
        return points

    @cached_property
    def bounds(self) -> Array:
        """Lower and upper corner of the axis-aligned box, (2, 3)."""
        corners = np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)])
        corners.flags.writeable = False
        return corners

    @cached_property
    def diagonal(self) -> float:
        """[m] of the axis-aligned box; 0 without vertices."""
        if not len(self.vertices):
            return 0.0
        lower, upper = self.bounds
        return float(np.linalg.norm(upper - lower))

    @cached_property
    def radius(self) -> float:
        """[m] of the farthest vertex from the origin; 0 without vertices."""
        return float(np.linalg.norm(self.vertices, axis=1).max(initial=0.0))


def _indices(rows: ArrayLike | None, width: int) -> IndexArray:
    if rows is None:
        return np.zeros((0, width), dtype=np.int32)
    return np.array(rows, dtype=np.int32).reshape(-1, width)


def sides_of(faces: IndexArray) -> NDArray[np.int64]:
    """The three sides of every face in turn, smaller vertex first, (3 n_faces, 2)."""
    return np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).astype(np.int64)


def joined(surfaces: "list[Surface]") -> Surface:
    """Several surfaces of one frame as one."""
    offsets = np.cumsum([0] + [len(s.vertices) for s in surfaces])
    return Surface.of(
        np.concatenate([s.vertices for s in surfaces]),
        np.concatenate([s.faces + o for s, o in zip(surfaces, offsets)]),
        np.concatenate([s.edges + o for s, o in zip(surfaces, offsets)]),
    )
