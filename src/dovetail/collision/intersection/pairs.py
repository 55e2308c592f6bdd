"""Which of many candidate pairs of simplices meet, exactly.

A simplex is a row of three vertex numbers: a face, a wire (i, j, j) or a point (i, i, i).
"""

import numpy as np

from dovetail.collision.intersection.simplices import (
    overlap_beyond_edge,
    overlap_beyond_vertex,
    spread_axis,
    triangles_meet,
)
from dovetail.linalg.vec3 import load3
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


@jit
def keep_meeting(vertices_a, simplices_a, vertices_b, simplices_b, pairs, n_pairs):
    """Move the pairs that meet to the front of `pairs` and return how many they are.

    Vertices (n, 3) of both in one frame; pairs (>= n_pairs, 2) of simplex numbers.
    """
    kept = 0
    for k in range(n_pairs):
        i, j = pairs[k, 0], pairs[k, 1]
        if triangles_meet(
            load3(vertices_a, simplices_a[i, 0]),
            load3(vertices_a, simplices_a[i, 1]),
            load3(vertices_a, simplices_a[i, 2]),
            load3(vertices_b, simplices_b[j, 0]),
            load3(vertices_b, simplices_b[j, 1]),
            load3(vertices_b, simplices_b[j, 2]),
        ):
            pairs[kept, 0] = i
            pairs[kept, 1] = j
            kept += 1
    return kept


@jit
def _corner_of(simplices, j, vertex):
    """At which corner simplex j has this vertex; -1 where it has not."""
    for k in range(3):
        if simplices[j, k] == vertex:
            return k
    return -1


@jit
def _overlap_in_mesh(vertices, faces, i, j):
    """Proper faces i and j of one mesh meet elsewhere than in the corners and edges they share.

    Faces with the same three corners are one face given twice, not an intersection.
    """
    n_shared = 0
    last_i = lone_i = last_j = 0
    shared_j = 0  # sum of the corner numbers of j that are shared
    for k in range(3):
        other = _corner_of(faces, j, faces[i, k])
        if other >= 0:
            n_shared += 1
            last_i, last_j = k, other
            shared_j += other
        else:
            lone_i = k
    if n_shared == 3:
        return False
    if n_shared == 2:
        lone_j = 3 - shared_j
        return overlap_beyond_edge(
            load3(vertices, faces[i, (lone_i + 1) % 3]),
            load3(vertices, faces[i, (lone_i + 2) % 3]),
            load3(vertices, faces[i, lone_i]),
            load3(vertices, faces[j, lone_j]),
        )
    if n_shared == 1:
        return overlap_beyond_vertex(
            load3(vertices, faces[i, last_i]),
            load3(vertices, faces[i, (last_i + 1) % 3]),
            load3(vertices, faces[i, (last_i + 2) % 3]),
            load3(vertices, faces[j, (last_j + 1) % 3]),
            load3(vertices, faces[j, (last_j + 2) % 3]),
        )
    return triangles_meet(
        load3(vertices, faces[i, 0]),
        load3(vertices, faces[i, 1]),
        load3(vertices, faces[i, 2]),
        load3(vertices, faces[j, 0]),
        load3(vertices, faces[j, 1]),
        load3(vertices, faces[j, 2]),
    )


@jit
def keep_self_meeting(vertices, faces, proper, pairs, n_pairs):
    """Move the pairs of faces of one mesh that meet beyond what they share to the front.

    Faces that are not `proper` (zero area) are passed over. Returns how many pairs were kept.
    """
    kept = 0
    for k in range(n_pairs):
        i, j = pairs[k, 0], pairs[k, 1]
        if proper[i] and proper[j] and _overlap_in_mesh(vertices, faces, i, j):
            pairs[kept, 0] = i
            pairs[kept, 1] = j
            kept += 1
    return kept


@jit
def mark_proper(vertices, faces, proper):
    """proper[i] is set where the corners of face i are not collinear, exactly."""
    for i in range(faces.shape[0]):
        a = load3(vertices, faces[i, 0])
        b = load3(vertices, faces[i, 1])
        c = load3(vertices, faces[i, 2])
        proper[i] = spread_axis(a, b, c) >= 0


_points, _rows = read_only(np.empty((0, 3))), read_only(np.empty((0, 3)), np.int32)
_flags, _pairs = np.empty(0, np.bool_), np.empty((0, 2), np.int32)
warm(keep_meeting, _points, _rows, _points, _rows, _pairs, 0)
warm(keep_self_meeting, _points, _rows, _flags, _pairs, 0)
warm(mark_proper, _points, _rows, _flags)
