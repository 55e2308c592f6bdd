"""A scene from a document whose meshes are stored elsewhere: what a result file embeds."""

from collections.abc import Callable
from typing import Any

from dovetail.errors import InputError
from dovetail.io.scene_file.reading.scene import scene_from_document
from dovetail.model.scene import Scene
from dovetail.model.shapes.mesh import Mesh
from dovetail.model.shapes.shape import Shape


def from_document(
    document: dict[str, Any],
    fetch_mesh: Callable[[str], tuple[Any, Any, Any]] | None = None,
    *,
    source: str = "scene",
) -> Scene:
    """The scene of a document; `fetch_mesh(name)` returns (vertices, faces, edges) of a mesh.

    `source` leads every message. The model's own checks run when the scene is built.
    """
    meshes: dict[tuple[str, str], Mesh] = {}

    def fetch(name: str, scale: Any, field: str) -> Shape:
        if fetch_mesh is None:
            raise InputError(f"`{field}` names {name!r}, but this document carries no meshes")
        key = (name, repr(scale))
        if key not in meshes:
            vertices, faces, edges = fetch_mesh(name)
            mesh = Mesh(vertices, faces, edges, scale=scale)
            # results of versions before `shell` counted open surfaces so
            opened = not mesh.mistakes() and mesh.needs_choice
            meshes[key] = mesh.weighed(shell=True) if opened else mesh
        return meshes[key]

    return scene_from_document(document, fetch, source, build=False).scene
