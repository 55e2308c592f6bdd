"""All contacts of one pair of bodies: barrier energy, derivatives, safe time along a search path.

A body is (vertices, edges, faces, wires, points) with its vertices (n, 3) as levers from its
centre in world axes; `near` holds the six candidate arrays of `geometry.contact_features`. All is
seen from the centre of body a; D leads from there to the centre of b.

Derivatives go to two rows of `out`: row k with a first, row k + 1 with b first (for contacts of
b's vertices with a's faces and wires).
"""

import math

import numpy as np

from dovetail.kernels.barrier import MOLLIFIER_SCALE, barrier, mollifier
from dovetail.kernels.barrier_terms import (
    edge_edge_terms,
    point_edge_terms,
    point_point_terms,
    point_triangle_terms,
)
from dovetail.kernels.ccd_advance import (
    advance_edge_edge,
    advance_point_edge,
    advance_point_point,
    advance_point_triangle,
)
from dovetail.kernels.distance_closest import (
    edge_edge_squared,
    point_edge_squared,
    point_triangle_squared,
)
from dovetail.kernels.jit import jit
from dovetail.kernels.read_only import read_only
from dovetail.kernels.vec3 import ZERO, add, cross, load3, neg, norm_squared, sub
from dovetail.kernels.warmup import warm


@jit
def _at(body, vertex, x):
    return add(load3(body[0], vertex), x)


@jit
def _edge(body, rows, i, x):
    return _at(body, rows[i, 0], x), _at(body, rows[i, 1], x)


@jit
def _face(body, i, x):
    faces = body[2]
    return _at(body, faces[i, 0], x), _at(body, faces[i, 1], x), _at(body, faces[i, 2], x)


@jit
def add_pair_terms(a, b, near, D, dmin, dhat, weight, theta, out, k):
    """Add the derivatives of all contacts to rows k and k + 1; returns the energy [J]."""
    point_face, face_point, edge_edge, point_wire, wire_point, point_point = near
    energy = 0.0
    for c in range(point_face.shape[0]):
        p = _at(a, point_face[c, 0], ZERO)
        t0, t1, t2 = _face(b, point_face[c, 1], D)
        energy += point_triangle_terms(p, t0, t1, t2, ZERO, D, dmin, dhat, weight, theta, out, k)
    for c in range(face_point.shape[0]):
        p = _at(b, face_point[c, 1], D)
        t0, t1, t2 = _face(a, face_point[c, 0], ZERO)
        energy += point_triangle_terms(
            p, t0, t1, t2, D, ZERO, dmin, dhat, weight, theta, out, k + 1
        )
    for c in range(edge_edge.shape[0]):
        p, q = _edge(a, a[1], edge_edge[c, 0], ZERO)
        r, s = _edge(b, b[1], edge_edge[c, 1], D)
        energy += edge_edge_terms(p, q, r, s, ZERO, D, dmin, dhat, weight, theta, out, k)
    for c in range(point_wire.shape[0]):
        p = _at(a, point_wire[c, 0], ZERO)
        r, s = _edge(b, b[3], point_wire[c, 1], D)
        energy += point_edge_terms(p, r, s, ZERO, D, dmin, dhat, weight, theta, out, k)
    for c in range(wire_point.shape[0]):
        p = _at(b, wire_point[c, 1], D)
        r, s = _edge(a, a[3], wire_point[c, 0], ZERO)
        energy += point_edge_terms(p, r, s, D, ZERO, dmin, dhat, weight, theta, out, k + 1)
    for c in range(point_point.shape[0]):
        p, q = _at(a, a[4][point_point[c, 0]], ZERO), _at(b, b[4][point_point[c, 1]], D)
        energy += point_point_terms(p, q, ZERO, D, dmin, dhat, weight, theta, out, k)
    return energy


@jit
def pair_energy(a, b, near, D, dmin, dhat):
    """(energy per stiffness, least squared distance [m^2]) of all contacts of the pair."""
    point_face, face_point, edge_edge, point_wire, wire_point, point_point = near
    energy, least = 0.0, math.inf
    for c in range(point_face.shape[0]):
        t0, t1, t2 = _face(b, point_face[c, 1], D)
        squared = point_triangle_squared(_at(a, point_face[c, 0], ZERO), t0, t1, t2)
        energy, least = energy + barrier(squared, dmin, dhat)[0], min(least, squared)
    for c in range(face_point.shape[0]):
        t0, t1, t2 = _face(a, face_point[c, 0], ZERO)
        squared = point_triangle_squared(_at(b, face_point[c, 1], D), t0, t1, t2)
        energy, least = energy + barrier(squared, dmin, dhat)[0], min(least, squared)
    for c in range(edge_edge.shape[0]):
        p, q = _edge(a, a[1], edge_edge[c, 0], ZERO)
        r, s = _edge(b, b[1], edge_edge[c, 1], D)
        squared = edge_edge_squared(p, q, r, s)
        least = min(least, squared)
        value = barrier(squared, dmin, dhat)[0]
        if value > 0.0:
            e, f = sub(q, p), sub(s, r)
            limit = MOLLIFIER_SCALE * norm_squared(e) * norm_squared(f)
            energy += value * mollifier(norm_squared(cross(e, f)), limit)[0]
    for c in range(point_wire.shape[0]):
        r, s = _edge(b, b[3], point_wire[c, 1], D)
        squared = point_edge_squared(_at(a, point_wire[c, 0], ZERO), r, s)
        energy, least = energy + barrier(squared, dmin, dhat)[0], min(least, squared)
    for c in range(wire_point.shape[0]):
        r, s = _edge(a, a[3], wire_point[c, 0], ZERO)
        squared = point_edge_squared(_at(b, wire_point[c, 1], D), r, s)
        energy, least = energy + barrier(squared, dmin, dhat)[0], min(least, squared)
    for c in range(point_point.shape[0]):
        p, q = _at(a, a[4][point_point[c, 0]], ZERO), _at(b, b[4][point_point[c, 1]], D)
        squared = norm_squared(sub(p, q))
        energy, least = energy + barrier(squared, dmin, dhat)[0], min(least, squared)
    return energy, least


@jit
def pair_safe_time(a, b, near, D, ds, w_a, w_b, dmin, t_most, rest, iterations):
    """Time, at most `t_most`, until which no candidate comes within dmin on the curved path."""
    point_face, face_point, edge_edge, point_wire, wire_point, point_point = near
    t = t_most
    back, retreat = neg(D), neg(ds)
    for c in range(point_face.shape[0]):
        p, face = (_at(a, point_face[c, 0], ZERO),), _face(b, point_face[c, 1], ZERO)
        t = advance_point_triangle(p, face, D, ds, w_a, w_b, dmin, t, rest, iterations)[0]
    for c in range(face_point.shape[0]):
        p, face = (_at(b, face_point[c, 1], ZERO),), _face(a, face_point[c, 0], ZERO)
        t = advance_point_triangle(p, face, back, retreat, w_b, w_a, dmin, t, rest, iterations)[0]
    for c in range(edge_edge.shape[0]):
        e, f = _edge(a, a[1], edge_edge[c, 0], ZERO), _edge(b, b[1], edge_edge[c, 1], ZERO)
        t = advance_edge_edge(e, f, D, ds, w_a, w_b, dmin, t, rest, iterations)[0]
    for c in range(point_wire.shape[0]):
        p, f = (_at(a, point_wire[c, 0], ZERO),), _edge(b, b[3], point_wire[c, 1], ZERO)
        t = advance_point_edge(p, f, D, ds, w_a, w_b, dmin, t, rest, iterations)[0]
    for c in range(wire_point.shape[0]):
        p, f = (_at(b, wire_point[c, 1], ZERO),), _edge(a, a[3], wire_point[c, 0], ZERO)
        t = advance_point_edge(p, f, back, retreat, w_b, w_a, dmin, t, rest, iterations)[0]
    for c in range(point_point.shape[0]):
        p = (_at(a, a[4][point_point[c, 0]], ZERO),)
        q = (_at(b, b[4][point_point[c, 1]], ZERO),)
        t = advance_point_point(p, q, D, ds, w_a, w_b, dmin, t, rest, iterations)[0]
    return t


_body = (
    read_only(np.empty((0, 3))),
    read_only(np.empty((0, 2)), np.int32),
    read_only(np.empty((0, 3)), np.int32),
    read_only(np.empty((0, 2)), np.int32),
    read_only(np.empty(0), np.int32),
)
_near = (read_only(np.empty((0, 2)), np.int32),) * 6
warm(add_pair_terms, _body, _body, _near, ZERO, 0.0, 1.0, 1.0, 1.0, np.empty((0, 54)), 0)
warm(pair_energy, _body, _body, _near, ZERO, 0.0, 1.0)
warm(pair_safe_time, _body, _body, _near, ZERO, ZERO, ZERO, ZERO, 0.0, 1.0, 0.01, 100)
