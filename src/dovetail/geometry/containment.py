"""Is a point, or a whole part, inside a closed surface?"""

import numpy as np

from dovetail.kernels.read_only import read_only
from dovetail.kernels.solid_angle import winding_number
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array

INSIDE = 0.9  # of a turn: a point on the surface sees less, whatever the corner it sits in


def windings(vertices: Array, faces: IndexArray, points: Array) -> Array:
    """(n,) how often the surface goes around each of the points (n, 3)."""
    corners, rows = read_only(vertices), read_only(faces, np.int32)
    return np.array(
        [winding_number(corners, rows, (p[0], p[1], p[2])) for p in points.tolist()]
    ).reshape(-1)


def is_closed(faces: IndexArray) -> bool:
    """Every edge is run along as often one way as the other, so windings are integers."""
    if not len(faces):
        return False
    start = faces.astype(np.int64).ravel()
    end = np.roll(faces, -1, axis=1).astype(np.int64).ravel()
    n = int(faces.max()) + 1
    return np.array_equal(np.sort(start * n + end), np.sort(end * n + start))


def one_vertex_per_piece(n_vertices: int, simplices: IndexArray) -> IndexArray:
    """A vertex number for every connected piece of the simplices."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    start, end = simplices[:, [0, 1]].ravel(), simplices[:, [1, 2]].ravel()
    graph = coo_array((np.ones(len(start)), (start, end)), shape=(n_vertices, n_vertices))
    _, label = connected_components(graph, directed=False)
    used = np.unique(simplices)
    _, first = np.unique(label[used], return_index=True)
    return used[first].astype(np.int32)
