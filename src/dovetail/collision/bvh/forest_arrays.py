"""The trees of many bodies in one set of arrays, so that one kernel can go through many pairs."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.runtime.read_only import read_only


class Forest(NamedTuple):
    """Trees one after the other; numbers of vertices, simplices and nodes count through.

    Bodies that share a tree share its rows.
    """

    vertices: Any  # (n_vertices, 3) [m], each in the frame of its body
    simplices: Any  # (m, 3) int32
    boxes: Any  # (nodes, 6) lower and upper corner [m]
    right: Any  # (nodes,) int32: the right child, the left is the next node; or -1 - simplex
    root: Any  # (n_bodies,) int32 first node
    first_vertex: Any  # (n_bodies,) int32
    first_simplex: Any  # (n_bodies,) int32
    n_vertices: Any  # (n_bodies,) int32
    radius: Any  # (n_bodies,) [m] of the farthest vertex from the origin of its body


_rows, _numbers = read_only(np.empty((0, 3))), read_only(np.empty(0), np.int32)
NO_FOREST = Forest(
    _rows, read_only(_rows, np.int32), read_only(np.empty((0, 6))), _numbers, _numbers, _numbers,
    _numbers, _numbers, read_only(np.empty(0)),
)  # fmt: skip
