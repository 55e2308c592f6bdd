"""Surfaces of all bodies in flat arrays, and their features in world coordinates.

Contacts form at vertices, convex edges and faces; a ball is one vertex and a capsule one edge, both
with a rounding radius. Vertices, edges and faces of body i are the rows
first[i]:first[i + 1] of their arrays.
"""

import math
from typing import NamedTuple

import numpy as np

from dovetail.linalg.vec3 import add, dot, load3, load33, matvec, norm, store3, sub
from dovetail.runtime.jit import jit_in_place, jit_within
from dovetail.runtime.records import BoolArray, FloatArray, Int32Array

NOTHING, MESH, ROUND, PLANE = 0, 1, 2, 3


class ContactSurfaces(NamedTuple):
    """The constant geometry of n bodies: body axes, origin at the centre of mass."""

    kind: Int32Array  # (n,) NOTHING, MESH, ROUND or PLANE
    radius: FloatArray  # (n,) [m] of the rounding
    bounding_radius: FloatArray  # (n,) [m] largest distance of any point from the centre of mass
    size: FloatArray  # (n,) [m] diagonal of the box
    thickness: FloatArray  # (n,) [m] least side of the box
    two_sided: BoolArray  # (n,) faces of a sheet, which has no inside
    cylinder_radius: FloatArray  # (n,) [m] of a Cylinder along z, else 0
    half_height: FloatArray  # (n,) [m] of that cylinder
    centre: FloatArray  # (n, 3) [m] of that cylinder, or a point of the PLANE
    axis: FloatArray  # (n, 3) normal of a PLANE
    middle: FloatArray  # (n, 3) [m] of the box of the vertices, along the body's axes
    half: FloatArray  # (n, 3) [m] half its sides
    vertex: FloatArray  # (V, 3) [m]
    first_vertex: Int32Array  # (n + 1,)
    corner: BoolArray  # (V,) whether it sticks out anywhere
    first_neighbour: Int32Array  # (V + 1,) into `neighbour`
    neighbour: Int32Array  # vertices joined to each vertex by an edge
    edge: Int32Array  # (E, 2) vertices
    first_edge: Int32Array  # (n + 1,)
    convex: BoolArray  # (E,) whether it can touch other edges
    inward: FloatArray  # (E, 2, 3) in each of its faces, normal to the edge; zeros for no face
    face: Int32Array  # (F, 3) vertices
    first_face: Int32Array  # (n + 1,)
    face_edge: Int32Array  # (F, 3) edges 01, 12, 20
    normal: FloatArray  # (F, 3) outward
    first_face_at: Int32Array  # (V + 1,) into `face_at`
    face_at: Int32Array  # faces with each vertex as a corner


class SurfacePose(NamedTuple):
    """The surfaces in world coordinates."""

    vertex: FloatArray  # (V, 3) [m]
    normal: FloatArray  # (F, 3)
    box: FloatArray  # (n, 6) lower and upper corner [m], grown by the margin
    origin: FloatArray  # (n, 3) [m] centres of mass
    motion: FloatArray  # (n, 6) [m, rad] of the step without contact, zero where it is not known


BOX_PLACED, VERTICES_PLACED, ALL_PLACED = 0, 1, 2  # how far a body is
FEW = 8  # vertices that are placed as soon as a box around them
ROUNDING = 1e-9  # of a body's size: more than rounding takes from a box that is turned


@jit_in_place
def place_vertices(surfaces, i, x, R, margin, pose):
    """Vertices and their box (grown by margin [m]) of body i at x (n, 3), R; no PLANE."""
    at, rotation = load3(x, i), load33(R, i)
    for k in range(3):
        pose.box[i, k], pose.box[i, 3 + k] = math.inf, -math.inf
    for j in range(surfaces.first_vertex[i], surfaces.first_vertex[i + 1]):
        p = add(at, matvec(rotation, load3(surfaces.vertex, j)))
        store3(pose.vertex, j, p)
        for k in range(3):
            pose.box[i, k] = min(pose.box[i, k], p[k])
            pose.box[i, 3 + k] = max(pose.box[i, 3 + k], p[k])
    grown = margin + surfaces.radius[i]
    for k in range(3):
        pose.box[i, k] -= grown
        pose.box[i, 3 + k] += grown


@jit_in_place
def place_normals(surfaces, i, R, pose):
    """Normals of the faces of body i at R (n, 3, 3)."""
    rotation = load33(R, i)
    for j in range(surfaces.first_face[i], surfaces.first_face[i + 1]):
        store3(pose.normal, j, matvec(rotation, load3(surfaces.normal, j)))


@jit_in_place
def surround(surfaces, x, R, margin, pose, placed):
    """Boxes around all bodies at x (n, 3), R, grown by margin[i] [m].

    How far each is placed goes to `placed` (n,): wholly if it has few vertices, else the box around
    its box in body axes.
    """
    for i in range(x.shape[0]):
        kind = surfaces.kind[i]
        placed[i] = ALL_PLACED if kind == PLANE or kind == NOTHING else BOX_PLACED
        for k in range(3):
            pose.box[i, k] = math.inf if kind == NOTHING else -math.inf
            pose.box[i, 3 + k] = -math.inf if kind == NOTHING else math.inf
        if placed[i] == ALL_PLACED:
            continue
        if surfaces.first_vertex[i + 1] - surfaces.first_vertex[i] <= FEW:
            placed[i] = ALL_PLACED
            place_vertices(surfaces, i, x, R, margin[i], pose)
            place_normals(surfaces, i, R, pose)
            continue
        middle = add(load3(x, i), matvec(load33(R, i), load3(surfaces.middle, i)))
        grown = margin[i] + surfaces.radius[i] + ROUNDING * surfaces.size[i]
        for k in range(3):
            reach = grown
            for m in range(3):
                reach += abs(R[i, k, m]) * surfaces.half[i, m]
            pose.box[i, k], pose.box[i, 3 + k] = middle[k] - reach, middle[k] + reach


@jit_in_place
def supports(surfaces, pose, vertex, direction, max_sine):
    """Whether no edge at `vertex` leads against `direction` by more than the sine `max_sine`.

    Only then can the vertex be what touches a surface with that outward normal.
    """
    p = load3(pose.vertex, vertex)
    for k in range(surfaces.first_neighbour[vertex], surfaces.first_neighbour[vertex + 1]):
        e = sub(load3(pose.vertex, surfaces.neighbour[k]), p)
        if dot(e, direction) < -max_sine * norm(e):
            return False
    return True


@jit_in_place
def in_normal_cone(surfaces, R, edge, body, direction, max_sine):
    """Whether `direction` is among the outward normals at `edge`, up to the sine `max_sine`."""
    rotation = load33(R, body)
    for k in range(2):
        inside = (
            surfaces.inward[edge, k, 0], surfaces.inward[edge, k, 1], surfaces.inward[edge, k, 2],
        )  # fmt: skip
        if dot(matvec(rotation, inside), direction) > max_sine:
            return False
    return True


@jit_within
def has_normal_cone(surfaces, edge):
    """Whether faces meet at `edge`."""
    for k in range(2):
        for m in range(3):
            if surfaces.inward[edge, k, m] != 0.0:
                return True
    return False


def no_surfaces() -> ContactSurfaces:
    """Arrays of the types every call has."""
    i1, f1, f3 = np.zeros(0, np.int32), np.zeros(0), np.zeros((0, 3))
    flags = np.zeros(0, np.bool_)
    i3 = np.zeros((0, 3), np.int32)
    return ContactSurfaces(
        i1, f1, f1, f1, f1, flags, f1, f1, f3, f3, f3, f3, f3, i1, flags, i1, i1,
        np.zeros((0, 2), np.int32), i1, flags, np.zeros((0, 2, 3)), i3, i1, i3, f3, i1, i1,
    )  # fmt: skip


def no_pose() -> SurfacePose:
    rows = np.zeros((0, 3))
    return SurfacePose(rows, rows, np.zeros((0, 6)), rows, np.zeros((0, 6)))
