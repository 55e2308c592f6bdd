"""Meshes of a rigid-ipc scene: found, scaled, split, and shared between equal bodies."""

from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.io.mesh_scale import shortest_scale
from dovetail.io.safe_paths import MeshFolder
from dovetail.model.connected import component_labels
from dovetail.model.shapes import Mesh
from dovetail.model.surface import Surface
from dovetail.model.values import Array, finite_array, number, quote


class SceneMeshes:
    """Looks in the nearest `meshes` folder above the scene, then beside the scene."""

    def __init__(self, scene: Path, files: MeshFolder) -> None:
        above = [folder / "meshes" for folder in scene.resolve().parents]
        nearest = [folder for folder in above if folder.is_dir()][:1]
        self.places = [files.rooted_at(folder) for folder in nearest] + [files]
        self.paths: dict[str, Path] = {}
        self.written: dict[str, tuple[Any, Any, Any]] = {}  # vertices, faces, edges
        self.shapes: dict[tuple[str, tuple[float, ...]], Mesh] = {}

    def keep(self, name: str, vertices: Any, faces: Any, edges: Any) -> str:
        """Remember a mesh that stands in the scene itself, for `shape`."""
        self.written[name] = (vertices, faces, edges)
        return name

    def find(self, relative: Any, what: str) -> Path:
        """The file of the mesh, from the first place that has it."""
        if isinstance(relative, str) and relative in self.paths:
            return self.paths[relative]
        refusals = []
        for place in self.places:
            try:
                path = place.resolve(relative, what)
            except InputError as error:
                refusals.append(error)
                continue
            self.paths[relative] = path
            return path
        for refusal in refusals:
            if "must be an existing file" not in str(refusal):
                raise refusal
        folders = " and ".join(str(place.root) for place in self.places)
        raise InputError(
            f"{what} must be an existing file, got {quote(relative)}; looked in {folders}"
        )

    def shape(self, source: Path | str, scale: Array) -> Mesh:
        """The mesh of a file or of a kept name; bodies with the same mesh and scale share one."""
        key = (str(source), tuple(scale.tolist()))
        if key not in self.shapes:
            factor = shortest_scale(scale)
            if isinstance(source, Path):
                self.shapes[key] = as_the_authors(Mesh(str(source), scale=factor))
            else:
                vertices, faces, edges = self.written[source]
                mesh = Mesh(vertices, faces=faces, edges=edges, scale=factor)
                self.shapes[key] = as_the_authors(mesh)
        return self.shapes[key]


def as_the_authors(mesh: Mesh) -> Mesh:
    """An open surface is a sheet with the density per m^2, as rigid-ipc counts it."""
    return mesh if mesh.mistakes() or not mesh.needs_choice else mesh.weighed(shell=True)


def scale_of(value: Any, what: str) -> Array:
    """A number or three."""
    if isinstance(value, list):
        return finite_array(value, what, (3,))
    return np.full(3, number(value, what))


def scale_to(dimensions: Any, mesh: Mesh, what: str) -> Array:
    """The scale that gives the mesh these extents [m]; a flat axis keeps its own scale."""
    wanted = finite_array(dimensions, what, (3,), "m")
    found = mesh.mistakes()
    if found:
        raise InputError(found)
    lower, upper = mesh.surface().bounds
    extent = upper - lower
    thick = extent > 0
    if np.any(wanted[thick] <= 0):
        raise InputError(f"{what} must be > 0 m where the mesh is not flat, got {quote(wanted)}")
    return np.where(thick, wanted / np.where(thick, extent, 1.0), 1.0)


def connected_parts(surface: Surface, what: str) -> list[Mesh]:
    """One mesh for each set of faces that hang together by shared vertices."""
    if len(surface.faces) == 0:
        raise InputError(f"{what} must be a mesh with faces to be split into components")
    label = component_labels(len(surface.vertices), surface.edges)
    of_face = label[surface.faces[:, 0]]
    parts = []
    for component in dict.fromkeys(of_face.tolist()):
        faces = surface.faces[of_face == component]
        used, renumbered = np.unique(faces, return_inverse=True)
        part = Mesh(surface.vertices[used], faces=renumbered.reshape(-1, 3))
        parts.append(as_the_authors(part))
    return parts
