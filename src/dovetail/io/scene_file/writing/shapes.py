"""Shapes as a document writes them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.shapes.box import Box
from dovetail.model.shapes.capsule import Capsule
from dovetail.model.shapes.compound import Compound, Placed
from dovetail.model.shapes.cone import Cone
from dovetail.model.shapes.cylinder import Cylinder
from dovetail.model.shapes.half_space import HalfSpace
from dovetail.model.shapes.mesh import Mesh
from dovetail.model.shapes.shape import Shape
from dovetail.model.shapes.sphere import Sphere
from dovetail.model.shapes.torus import Torus
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array, quote

# vertices (n, 3) [m], faces (m, 3), free edges (k, 2) -> the name that stands for the mesh
StoreMesh = Callable[[Array, IndexArray, IndexArray], str]
WriteMesh = Callable[[Mesh], dict[str, Any]]

SIZES: dict[type[Shape], tuple[str, tuple[str, ...]]] = {
    Cylinder: ("cylinder", ("radius", "height")),
    Capsule: ("capsule", ("radius", "height")),
    Cone: ("cone", ("radius", "height")),
    Torus: ("torus", ("major", "minor")),
}


def shape_document(shape: Shape, write_mesh: WriteMesh) -> dict[str, Any]:
    """The `shape` mapping of a body."""
    match shape:
        case Mesh():
            return write_mesh(shape)
        case Box():
            return {"box": np.asarray(shape.size, dtype=float).tolist()}
        case Sphere():
            return {"sphere": float(shape.radius)} | _segments(shape)
        case HalfSpace():
            normal = np.asarray(shape.normal, dtype=float).tolist()
            return {"half_space": normal, "extent": float(shape.extent)}
        case Compound():
            return {"compound": [_part(part, write_mesh) for part in shape.placed]}
    if type(shape) not in SIZES:
        raise InputError(f"{quote(shape)} is not one of the package's shapes; give it as a dt.Mesh")
    kind, names = SIZES[type(shape)]
    return {kind: {name: float(getattr(shape, name)) for name in names}} | _segments(shape)


def _segments(shape: Any) -> dict[str, Any]:
    default = type(shape).__dataclass_fields__["segments"].default
    return {} if shape.segments == default else {"segments": int(shape.segments)}


def _part(part: Placed, write_mesh: WriteMesh) -> dict[str, Any]:
    written: dict[str, Any] = {"shape": shape_document(part.shape, write_mesh)}
    if np.any(np.asarray(part.position) != 0):
        written["position"] = np.asarray(part.position, dtype=float).tolist()
    if part.rotation is not None:
        written["rotation"] = np.asarray(part.rotation, dtype=float).tolist()
    if part.weight != 1:
        written["weight"] = float(part.weight)
    return written


def mesh_arrays(mesh: Mesh) -> tuple[Array, IndexArray, IndexArray]:
    """Vertices [m] with the scale applied, faces facing outward, and the free edges."""
    surface = mesh.surface()
    return surface.vertices, surface.faces, surface.wires


def inline(mesh: Mesh) -> dict[str, Any]:
    """The mesh itself, written into the document."""
    vertices, faces, edges = mesh_arrays(mesh)
    written: dict[str, Any] = {"vertices": vertices.tolist()}
    if len(faces):
        written["faces"] = faces.tolist()
    if len(edges):
        written["edges"] = edges.tolist()
    return {"mesh": written}


def storing(store_mesh: StoreMesh | None) -> WriteMesh:
    """Write meshes inline, or give each to `store_mesh` once and write the name it returns."""
    if store_mesh is None:
        return inline
    names: dict[int, tuple[Mesh, str]] = {}  # the mesh is kept, so that its id stays its own

    def write(mesh: Mesh) -> dict[str, Any]:
        if id(mesh) not in names:
            names[id(mesh)] = (mesh, store_mesh(*mesh_arrays(mesh)))
        return {"mesh": names[id(mesh)][1]}

    return write
