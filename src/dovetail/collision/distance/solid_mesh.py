"""The distance of a solid of revolution from all of a surface, for the start of a run."""

import math

import numpy as np

from dovetail.collision.distance.revolution import (
    Solid,
    edge_solid,
    point_solid,
    triangle_solid,
)
from dovetail.linalg.vec3 import ZERO, add_scaled, load3, norm, store3, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm

SAME = 1e-6  # unit vectors that differ by less


@jit
def nearest_to_mesh(solid, vertices, faces, edges, points, depth):
    """(signed distance [m], unit vector from the solid): the least over all simplices.

    `vertices` seen from the centre of the solid. Triangles may be up to `depth` [m] within it.
    """
    best, normal = math.inf, ZERO
    size = max(abs(solid.z0) + solid.r0, abs(solid.z1) + solid.r1)
    for f in range(faces.shape[0]):
        t0, t1, t2 = (
            load3(vertices, faces[f, 0]), load3(vertices, faces[f, 1]), load3(vertices, faces[f, 2])
        )  # fmt: skip
        if norm(t0) - max(norm(sub(t1, t0)), norm(sub(t2, t0))) - size > best:
            continue
        d, n = triangle_solid(t0, t1, t2, solid, depth)
        if d < best:
            best, normal = d, n
    for e in range(edges.shape[0]):
        p, q = load3(vertices, edges[e, 0]), load3(vertices, edges[e, 1])
        near = point_solid(add_scaled(p, edge_solid(p, q, solid, 0.0), sub(q, p)), solid)
        if near.distance < best:
            best, normal = near.distance, near.normal
    for v in range(points.shape[0]):
        near = point_solid(load3(vertices, points[v]), solid)
        if near.distance < best:
            best, normal = near.distance, near.normal
    return best, normal


@jit
def normals_within(solid, vertices, faces, edges, points, depth, within, normals):
    """How many directions from the solid to simplices that are nearer than `within` [m].

    Each once, in the rows of `normals`, as many as there are rows.
    """
    count, n_faces, n_edges = 0, faces.shape[0], edges.shape[0]
    for k in range(n_faces + n_edges + points.shape[0]):
        if k < n_faces:
            t0, t1, t2 = (
                load3(vertices, faces[k, 0]), load3(vertices, faces[k, 1]),
                load3(vertices, faces[k, 2]),
            )  # fmt: skip
            d, n = triangle_solid(t0, t1, t2, solid, depth)
        elif k < n_faces + n_edges:
            e = k - n_faces
            p, q = load3(vertices, edges[e, 0]), load3(vertices, edges[e, 1])
            near = point_solid(add_scaled(p, edge_solid(p, q, solid, 0.0), sub(q, p)), solid)
            d, n = near.distance, near.normal
        else:
            near = point_solid(load3(vertices, points[k - n_faces - n_edges]), solid)
            d, n = near.distance, near.normal
        if not d < within or count == normals.shape[0]:
            continue
        known = False
        for row in range(count):
            known = known or norm(sub(n, load3(normals, row))) < SAME
        if not known:
            store3(normals, count, n)
            count += 1
    return count


_solid = Solid((0.0, 0.0, 1.0), -1.0, 1.0, 1.0, 1.0, 0.0)
_rows, _index = read_only(np.zeros((0, 3))), read_only(np.zeros((0, 3)), np.int32)
warm(
    nearest_to_mesh, _solid, _rows, _index, read_only(np.zeros((0, 2)), np.int32),
    read_only(np.zeros(0), np.int32), 0.0,
)  # fmt: skip
warm(
    normals_within, _solid, _rows, _index, read_only(np.zeros((0, 2)), np.int32),
    read_only(np.zeros(0), np.int32), 0.0, 0.0, np.zeros((1, 3)),
)  # fmt: skip
