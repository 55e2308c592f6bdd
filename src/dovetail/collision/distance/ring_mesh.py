"""The distance of a whole ring from what there is, for the start of a run."""

import math

import numpy as np

from dovetail.collision.distance.revolution import Solid
from dovetail.collision.distance.rings import (
    ARCS,
    EDGE,
    NO_RING,
    NO_SOLID,
    POINT,
    RING,
    SOLID,
    TRIANGLE,
    WIDTH,
    Ring,
    Target,
    arc_nearest,
)
from dovetail.linalg.vec3 import ZERO, load3, neg, norm, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


@jit
def _from_ring(ring, target, best, normal):
    """(distance, unit vector from the ring) of the nearer one of a target and what is known."""
    for k in range(ARCS):
        found = arc_nearest(ring, (k - 0.5) * WIDTH, (k + 0.5) * WIDTH, 0.0, target)
        distance = found.distance - ring.tube
        if distance < best:
            best, normal = distance, neg(found.near.normal)
    return best, normal


@jit
def ring_to_mesh(ring, vertices, faces, edges, points):
    """(distance [m], unit vector from the ring): the least over all simplices.

    `vertices` seen from the centre of the ring's body.
    """
    best, normal = math.inf, ZERO
    size = abs(ring.height) + ring.major + ring.tube
    n_faces, n_edges = faces.shape[0], edges.shape[0]
    for k in range(n_faces + n_edges + points.shape[0]):
        if k < n_faces:
            p, q, r = (
                load3(vertices, faces[k, 0]), load3(vertices, faces[k, 1]),
                load3(vertices, faces[k, 2]),
            )  # fmt: skip
            kind = TRIANGLE
        elif k < n_faces + n_edges:
            e, kind = k - n_faces, EDGE
            p, q = load3(vertices, edges[e, 0]), load3(vertices, edges[e, 1])
            r = q
        else:
            p, kind = load3(vertices, points[k - n_faces - n_edges]), POINT
            q = r = p
        if norm(p) - max(norm(sub(q, p)), norm(sub(r, p))) - size > best:
            continue
        target = Target(kind, p, q, r, ZERO, NO_SOLID, NO_RING, 0.0, 0.0)
        best, normal = _from_ring(ring, target, best, normal)
    return best, normal


@jit
def ring_to_solid(ring, solid, D):
    """The same of a cylinder or a cone of a body with its centre at D."""
    target = Target(SOLID, ZERO, ZERO, ZERO, D, solid, NO_RING, 0.0, 0.0)
    return _from_ring(ring, target, math.inf, ZERO)


@jit
def ring_to_ring(ring, other, D):
    """The same of another ring."""
    best, normal = math.inf, ZERO
    for k in range(ARCS):
        target = Target(
            RING, ZERO, ZERO, ZERO, D, NO_SOLID, other, (k - 0.5) * WIDTH, (k + 0.5) * WIDTH
        )
        best, normal = _from_ring(ring, target, best + other.tube, normal)
        best -= other.tube
    return best, normal


_ring = Ring((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.0, 1.0, 0.1)
_index = read_only(np.zeros((0, 3)), np.int32)
warm(
    ring_to_mesh, _ring, read_only(np.zeros((0, 3))), _index,
    read_only(np.zeros((0, 2)), np.int32), read_only(np.zeros(0), np.int32),
)  # fmt: skip
warm(ring_to_solid, _ring, Solid((0.0, 0.0, 1.0), -1.0, 1.0, 1.0, 1.0, 0.0), (3.0, 0.0, 0.0))
warm(ring_to_ring, _ring, _ring, (3.0, 0.0, 0.0))
