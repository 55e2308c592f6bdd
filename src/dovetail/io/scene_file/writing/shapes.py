"""Shapes as a document writes them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.shapes.compound import Compound, Placed
from dovetail.model.shapes.mesh import Mesh
from dovetail.model.shapes.registry import SHAPES
from dovetail.model.shapes.scene_form import Parameter, defaults_of, form_of
from dovetail.model.shapes.shape import Shape
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array, quote

# vertices (n, 3) [m], faces (m, 3), free edges (k, 2) -> the name that stands for the mesh
StoreMesh = Callable[[Array, IndexArray, IndexArray], str]
WriteMesh = Callable[[Mesh], dict[str, Any]]


def shape_document(shape: Shape, write_mesh: WriteMesh) -> dict[str, Any]:
    """The `shape` mapping of a body."""
    match shape:
        case Mesh():
            return write_mesh(shape) | _weighing(shape)
        case Compound():
            return {"compound": [_part(part, write_mesh) for part in shape.placed]}
    name = SHAPES.name_of(type(shape))
    if name is None:
        kind = type(shape).__name__
        raise InputError(
            f"{quote(shape)} is not one of the package's shapes; give it as a dt.Mesh, or add its "
            f'class: dt.extend.register("shapes", "{kind.lower()}", {kind})'
        )
    form, defaults = form_of(type(shape)), defaults_of(type(shape))
    values = {one.name: _plain(one, getattr(shape, one.name)) for one in form.parameters}
    kept = {key: value for key, value in values.items() if not _same(value, defaults.get(key))}
    beside = {one.name: kept[one.name] for one in form.beside if one.name in kept}
    if form.bare:
        return {name: values[form.under[0].name]} | beside
    return {name: {one.name: kept[one.name] for one in form.under if one.name in kept}} | beside


def _weighing(mesh: Mesh) -> dict[str, Any]:
    """How the mass of a mesh is counted, where that was said."""
    shell = mesh.shell if mesh.shell is None or mesh.shell is True else float(mesh.shell)
    written = {"shell": shell, "fill": mesh.fill}
    return {key: value for key, value in written.items() if value is not None}


def _plain(parameter: Parameter, value: Any) -> Any:
    """A parameter's value as lists and numbers, floats where its kind says so."""
    if parameter.kind in ("whole", "segments"):
        return int(value)
    if parameter.kind == "any":
        return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return np.asarray(value, dtype=float).tolist()


def _same(value: Any, default: Any) -> bool:
    return default is not None and bool(np.array_equal(value, default))


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
