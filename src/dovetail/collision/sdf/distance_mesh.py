"""A triangle mesh made ready for exact signed distances."""

from dataclasses import dataclass

import numpy as np

from dovetail.collision.bvh.tree import build_bvh
from dovetail.collision.sdf.mesh_distance import (
    DIPOLE_COLUMNS,
    DistanceMesh,
    distances,
    fill_dipoles,
    unsigned,
)
from dovetail.errors import InputError
from dovetail.model.shapes.winding import shared_edges
from dovetail.model.surface import IndexArray, Surface
from dovetail.model.values import Array
from dovetail.runtime.options import named_options
from dovetail.runtime.parallel import over_ranges
from dovetail.runtime.read_only import read_only

GRAIN = 4096  # points per piece of work
NO_DIPOLES = read_only(np.zeros((0, DIPOLE_COLUMNS)))
FLAT = 1e-12  # of the squared longest edge: twice the area below which a triangle has no normal


@dataclass(frozen=True, eq=False)
class ExactDistance:
    """Signed distance from a mesh, exact up to rounding: < 0 inside.

    The sign comes from pseudonormals where the mesh is closed, else from winding numbers, which
    take holes for closed by the smoothest cap; `closed` says which.
    """

    arrays: DistanceMesh
    closed: bool

    def by_windings(self) -> "ExactDistance":
        """The same with signs from winding numbers: right also where a mesh cuts itself."""
        dipoles = np.empty((len(self.arrays.right), DIPOLE_COLUMNS))
        fill_dipoles(self.arrays, np.empty(len(dipoles)), dipoles)
        return ExactDistance(self.arrays._replace(dipoles=read_only(dipoles)), self.closed)

    def value(self, points: Array) -> Array:
        """(n,) [m]."""
        return self.with_gradient(points)[0]

    def with_gradient(self, points: Array) -> tuple[Array, Array]:
        """Values (n,) [m] and gradients (n, 3) of length 1."""
        rows = read_only(np.reshape(points, (-1, 3)))
        values, gradients = np.empty(len(rows)), np.empty((len(rows), 3))
        over_ranges(
            lambda begin, end: distances(self.arrays, rows, begin, end, values, gradients),
            len(rows),
            GRAIN,
        )
        return values, gradients


@named_options
def exact_distance(surface: Surface) -> ExactDistance:
    """Prepare a surface; its triangles without area are left out."""
    corners = surface.vertices[surface.faces]
    twice_area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    longest = np.max(np.sum((corners - np.roll(corners, 1, axis=1)) ** 2, axis=2), axis=1)
    usable = np.linalg.norm(twice_area, axis=1) > FLAT * longest
    faces = surface.faces[usable]
    if not len(faces):
        raise InputError("a signed distance needs a mesh with faces that have an area")
    closed = bool(usable.all()) and shared_edges(faces).closed
    tree = build_bvh(surface.vertices, faces)
    leaf = tree.right < 0  # triangles in the order of the leaves lie side by side in memory
    faces = faces[-1 - tree.right[leaf]]
    right = np.array(tree.right)
    right[leaf] = -1 - np.arange(len(faces), dtype=np.int32)
    arrays = DistanceMesh(
        read_only(surface.vertices[faces].reshape(-1, 9)),
        tree.boxes,
        read_only(right, np.int32),
        read_only(pseudonormals(surface.vertices, faces)),
        NO_DIPOLES,
    )
    exact = ExactDistance(arrays, closed)
    return exact if closed else exact.by_windings()


def nearest_distances(surface: Surface, points: Array) -> Array:
    """(n,) [m] of points from the triangles of any surface, closed or not, without a sign."""
    tree = build_bvh(surface.vertices, surface.faces)
    arrays = DistanceMesh(
        read_only(surface.vertices[surface.faces].reshape(-1, 9)), tree.boxes, tree.right,
        np.zeros((0, 7, 3)), NO_DIPOLES,
    )  # fmt: skip
    rows, values = read_only(np.reshape(points, (-1, 3))), np.empty(np.size(points) // 3)
    over_ranges(lambda begin, end: unsigned(arrays, rows, begin, end, values), len(rows), GRAIN)
    return values


def pseudonormals(vertices: Array, faces: IndexArray) -> Array:
    """(m, 7, 3) normals of each face, its edges ab, bc, ca and its vertices a, b, c.

    An edge takes the sum of its faces' unit normals, a vertex their sum weighted by the angle of
    the face there (Baerentzen and Aanaes 2005, eqs. 1 and 2).
    """
    corners = vertices[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    at_vertex = np.zeros_like(vertices)
    for k in range(3):
        u = corners[:, (k + 1) % 3] - corners[:, k]
        v = corners[:, (k + 2) % 3] - corners[:, k]
        angle = np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), np.einsum("ij,ij->i", u, v))
        for axis in range(3):
            weights = angle * normal[:, axis]
            at_vertex[:, axis] += np.bincount(faces[:, k], weights, len(vertices))
    start, end = faces.astype(np.int64), np.roll(faces, -1, axis=1).astype(np.int64)
    keys = (np.minimum(start, end) * len(vertices) + np.maximum(start, end)).ravel()
    _, edge = np.unique(keys, return_inverse=True)
    of_edge = [
        np.bincount(edge, np.repeat(normal[:, axis], 3))[edge].reshape(-1, 3) for axis in range(3)
    ]
    return np.concatenate([normal[:, None], np.stack(of_edge, axis=2), at_vertex[faces]], axis=1)
