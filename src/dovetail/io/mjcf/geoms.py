"""Geoms of a compiled model as shapes, as MuJoCo lets them collide."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.io.mjcf.compiled import Compiled
from dovetail.linalg.exact.convex_hull import convex_hull
from dovetail.model.shapes import Box, Capsule, Cylinder, HalfSpace, Mesh, Placed, Sphere
from dovetail.model.shapes.shape import Shape
from dovetail.model.values import Array, quote

ELLIPSOID_SEGMENTS = 32
PLANE, HEIGHTS, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF = range(9)
"""MuJoCo's numbers for the types of geoms (mjtGeom)."""


@dataclass(eq=False)
class Geometry:
    """The shapes of all geoms that can collide with another, and what was made of them."""

    placed: dict[int, Placed]  # by geom, in its body's frame
    hulls: list[str]
    flat: list[str]


def read_geometry(compiled: Compiled, colliding: set[int]) -> Geometry:
    """The shapes of the geoms that take part in contact."""
    model = compiled.model
    found = Geometry({}, [], [])
    meshes: dict[int, Mesh | None] = {}
    for geom in sorted(colliding):
        shape = _shape(compiled, geom, meshes)
        name = compiled.label("geom", geom)
        if int(model.geom_type[geom]) == MESH:
            mesh = compiled.label("mesh", int(model.geom_dataid[geom]))
            (found.flat if shape is None else found.hulls).append(mesh)
        if shape is None:
            continue
        mistakes = shape.mistakes()
        if mistakes:
            raise InputError(f"geom {quote(name)}: {sentence}" for sentence in mistakes)
        rotation = _rotation(compiled, model.geom_quat[geom])
        found.placed[geom] = Placed(shape, model.geom_pos[geom].copy(), rotation)
    return found


def _rotation(compiled: Compiled, quaternion: Array) -> Array:
    rotation = np.zeros(9)
    compiled.mujoco.mju_quat2Mat(rotation, quaternion)
    return rotation.reshape(3, 3)


def _shape(compiled: Compiled, geom: int, meshes: dict[int, Mesh | None]) -> Shape | None:
    """None for a mesh without volume."""
    model = compiled.model
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    if kind == PLANE:
        extent = 2 * float(np.max(size[:2]))
        return HalfSpace(extent=extent) if extent > 0 else HalfSpace()
    if kind == SPHERE:
        return Sphere(float(size[0]))
    if kind == BOX:
        return Box(tuple((2 * size).tolist()))
    if kind in (CAPSULE, CYLINDER):
        bar = Capsule if kind == CAPSULE else Cylinder
        return bar(float(size[0]), 2 * float(size[1]))
    if kind == ELLIPSOID:
        ball = Sphere(1.0, ELLIPSOID_SEGMENTS).surface()
        return Mesh(ball.vertices * size, ball.faces)
    number = int(model.geom_dataid[geom])
    if kind == MESH:
        if number not in meshes:
            meshes[number] = _hull(model, number)
        return meshes[number]
    if kind == HEIGHTS:
        return _heights(model, number)
    if number >= 0:
        return _triangles(model, number)
    raise InputError(
        f"geom {quote(compiled.label('geom', geom))} is a signed distance field of a plugin, which "
        "is not supported; use a mesh"
    )


def _hull(model: Any, mesh: int) -> Mesh | None:
    """The convex hull of a mesh, which is what MuJoCo collides; None where it is flat.

    mesh_graph has, from the mesh's address: the number of vertices and of faces of the hull, two
    lists of vertices, the list of edges, and three vertices of the mesh for each face.
    """
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    points = model.mesh_vert[first : first + count].astype(np.float64)
    start = int(model.mesh_graphadr[mesh])
    if start >= 0:
        graph = model.mesh_graph
        n, m = int(graph[start]), int(graph[start + 1])
        at = start + 2 + 2 * n + n + 3 * m
        faces = graph[at : at + 3 * m].reshape(m, 3)
        used, renumbered = np.unique(faces, return_inverse=True)
        made = Mesh(points[used], renumbered.reshape(-1, 3).astype(np.int32))
        if not made.mistakes() and made.diagnosis.dimension == 3:
            return made
    faces_or_none = convex_hull(points)
    if faces_or_none is None:
        return None
    used, renumbered = np.unique(faces_or_none, return_inverse=True)
    return Mesh(points[used], renumbered.reshape(-1, 3).astype(np.int32))


def _triangles(model: Any, mesh: int) -> Mesh:
    """The surface itself, of a distance field."""
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    start, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    points = model.mesh_vert[first : first + count].astype(np.float64)
    rows = model.mesh_face[start : start + faces]
    return Mesh(points, rows.astype(np.int32))


def _heights(model: Any, field: int) -> Mesh:
    """A height field as a closed solid: the surface, four walls and the bottom."""
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    start = int(model.hfield_adr[field])
    data = model.hfield_data[start : start + rows * columns]
    half_x, half_y, top, bottom = model.hfield_size[field]
    x, y = np.meshgrid(np.linspace(-half_x, half_x, columns), np.linspace(-half_y, half_y, rows))
    upper = np.column_stack((x.ravel(), y.ravel(), top * np.asarray(data, float)))
    lower = upper * (1.0, 1.0, 0.0) - (0.0, 0.0, bottom)
    n = rows * columns
    at = np.arange(n).reshape(rows, columns)
    a, b, c, d = at[:-1, :-1].ravel(), at[:-1, 1:].ravel(), at[1:, 1:].ravel(), at[1:, :-1].ravel()
    roof = np.concatenate((np.column_stack((a, b, c)), np.column_stack((a, c, d))))
    around = np.concatenate((at[0, :-1], at[:-1, -1], at[-1, :0:-1], at[:0:-1, 0]))
    after = np.roll(around, -1)
    walls = np.concatenate(
        (
            np.column_stack((around, around + n, after + n)),
            np.column_stack((around, after + n, after)),
        )
    )
    faces = np.concatenate((roof, roof[:, ::-1] + n, walls))
    return Mesh(np.concatenate((upper, lower)), faces.astype(np.int32))
