"""The meshes in a body's shape, where they are in the world."""

from dataclasses import dataclass

import numpy as np

from dovetail.model.shapes import Compound, Mesh
from dovetail.model.shapes.shape import Shape
from dovetail.model.surface import Surface, sides_of
from dovetail.model.values import Array, quote
from dovetail.scene_check.placed_body import PlacedBody


@dataclass(frozen=True, eq=False)
class PlacedMesh:
    """A mesh of a body; a compound may have several, each rotated and moved in its frame."""

    body: PlacedBody
    mesh: Mesh
    rotation: Array  # (3, 3) mesh to shape
    position: Array  # (3,) [m] in the shape's frame

    @property
    def content(self) -> bytes:
        """The same for meshes with the same vertices and faces, given in the same state."""
        surface = self.mesh.surface()
        given = repr(self.mesh.diagnosis).encode()  # before repair: what it was like, and had
        return surface.vertices.tobytes() + surface.faces.tobytes() + given

    def __str__(self) -> str:
        file = f" ({self.mesh.path.name})" if self.mesh.path is not None else ""
        return f"the mesh of body {quote(self.body.name)}{file}"

    def to_world(self, points: Array) -> Array:
        """Points (n, 3) [m] of the mesh's own frame at the start of the run."""
        checked = self.body.body
        in_shape = points @ self.rotation.T + self.position
        return (in_shape - checked.centre) @ checked.rotation.T + checked.position


def meshes_of(body: PlacedBody) -> list[PlacedMesh]:
    return _meshes(body, body.body.shape, np.eye(3), np.zeros(3))


def _meshes(body: PlacedBody, shape: Shape | None, R: Array, x: Array) -> list[PlacedMesh]:
    if isinstance(shape, Mesh):
        return [PlacedMesh(body, shape, R, x)]
    found = []
    if isinstance(shape, Compound):
        for part in shape.placed:
            R_part, x_part = part.pose
            found += _meshes(body, part.shape, R @ R_part, R @ x_part + x)
    return found


def boundary_edges(surface: Surface) -> Array:
    """(n, 3) [m] middles of the edges with one face, in the frame of the surface."""
    if not len(surface.faces):
        return np.zeros((0, 3))
    ends = sides_of(surface.faces)
    keys = ends @ [len(surface.vertices), 1]
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    single = np.sort(first[counts == 1])
    return np.asarray(surface.vertices[ends[single]].mean(axis=1))
