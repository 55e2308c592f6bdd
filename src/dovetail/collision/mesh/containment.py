"""Is a point, or a whole part, inside a closed surface?"""

import numpy as np

from dovetail.collision.mesh.solid_angle import winding_number
from dovetail.model.connected import component_labels
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only

INSIDE = 0.9  # winding number: that of a point on the surface is less, at any corner


def windings(vertices: Array, faces: IndexArray, points: Array) -> Array:
    """(n,) how often the surface goes around each of the points (n, 3)."""
    corners, rows = read_only(vertices), read_only(faces, np.int32)
    return np.array(
        [winding_number(corners, rows, (p[0], p[1], p[2])) for p in points.tolist()]
    ).reshape(-1)


def one_vertex_per_piece(n_vertices: int, simplices: IndexArray) -> IndexArray:
    """A vertex number for every connected piece of the simplices."""
    label = component_labels(n_vertices, simplices[:, [0, 1, 1, 2]].reshape(-1, 2))
    used = np.unique(simplices)
    _, first = np.unique(label[used], return_index=True)
    return used[first].astype(np.int32)
