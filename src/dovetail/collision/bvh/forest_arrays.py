"""The trees of many bodies in one set of arrays, so that one kernel can go through many pairs."""

from typing import NamedTuple

import numpy as np

from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import FloatArray, Int32Array


class Forest(NamedTuple):
    """Trees one after the other; numbers of vertices, simplices and nodes count through.

    Bodies that share a tree share its rows.
    """

    vertices: FloatArray  # (n_vertices, 3) [m], each in the frame of its body
    simplices: Int32Array  # (m, 3)
    boxes: FloatArray  # (nodes, 6) lower and upper corner [m]
    right: Int32Array  # (nodes,) the right child, the left is the next node; or -1 - simplex
    root: Int32Array  # (n_bodies,) first node
    first_vertex: Int32Array  # (n_bodies,)
    first_simplex: Int32Array  # (n_bodies,)
    n_vertices: Int32Array  # (n_bodies,)
    radius: FloatArray  # (n_bodies,) [m] of the farthest vertex from the origin of its body


_rows, _numbers = read_only(np.empty((0, 3))), read_only(np.empty(0), np.int32)
NO_FOREST = Forest(
    _rows, read_only(_rows, np.int32), read_only(np.empty((0, 6))), _numbers, _numbers, _numbers,
    _numbers, _numbers, read_only(np.empty(0)),
)  # fmt: skip
