"""What is wrong with the mesh of a body: open, crossing itself, facing inward."""

import numpy as np
from numpy.typing import NDArray

from dovetail.geometry.intersections import self_intersecting_pairs
from dovetail.geometry.scene_check.finding import (
    SHOWN,
    Finding,
    Severity,
    count_of,
    place,
    told_once,
)
from dovetail.geometry.scene_check.placed_body import PlacedBody
from dovetail.model.shapes import Compound, Mesh
from dovetail.model.shapes.shape import DIMENSION_NAMES, Shape
from dovetail.model.surface import Surface
from dovetail.model.values import Array, shown


def find_mesh_faults(bodies: list[PlacedBody]) -> list[Finding]:
    """Faults of all meshes; one that several bodies share is looked at and told once."""
    users: dict[bytes, list[tuple[PlacedBody, Mesh]]] = {}
    for body in bodies:
        for mesh in _meshes(body.body.shape):
            surface = mesh.surface()
            content = surface.vertices.tobytes() + surface.faces.tobytes()
            users.setdefault(content, []).append((body, mesh))
    found = []
    for group in users.values():
        crossings = self_intersecting_pairs(group[0][1].surface())
        by_topic: dict[str, list[Finding]] = {}
        for body, mesh in group:
            for finding in _of_diagnosis(body, mesh) + _of_crossings(body, mesh, crossings):
                by_topic.setdefault(finding.topic, []).append(finding)
        found += [told_once(same) for same in by_topic.values()]
    return found


def _of_diagnosis(body: PlacedBody, mesh: Mesh) -> list[Finding]:
    d = mesh.diagnosis
    who = _who(body, mesh)
    mild: Severity = "warning" if body.moves else "note"
    found: list[tuple[Severity, str, str]] = []
    boundary = _boundary_edges(mesh.surface())
    if d.n_faces and not d.closed:
        where = ""
        if len(boundary):
            at = body.body.rotation @ (boundary[0] - body.body.centre) + body.body.position
            where = f", the first at {place(tuple(at))}"
        found.append((mild, "open", (
            f"{who} is open: {count_of(d.boundary_edges, 'boundary edge')}{where}; it counts "
            f"as a thin {DIMENSION_NAMES[d.dimension]} with `density` per m^2; close it if it "
            "is meant as a solid"
        )))  # fmt: skip
    if d.nonmanifold_edges:
        found.append((mild, "non-manifold", (
            f"{who} has {count_of(d.nonmanifold_edges, 'edge')} with more than two faces; "
            "separate or remove the extra faces"
        )))  # fmt: skip
    if d.n_faces and not d.oriented:
        found.append((mild, "inconsistent winding", (
            f"the faces of {who} cannot be made to agree about which side is outside; "
            "repair the mesh so that neighbours run along their common edge in opposite ways"
        )))  # fmt: skip
    if d.flipped:
        found.append(("note", "flipped winding", (
            f"the faces of {who} point inward; they were turned outward here, flip them in "
            "the file to silence this"
        )))  # fmt: skip
    if d.turned_faces:
        found.append(("note", "inconsistent winding", (
            f"{count_of(d.turned_faces, 'face')} of {who} disagreed with the neighbours about "
            "the outside; turned here, flip them in the file to silence this"
        )))  # fmt: skip
    if d.degenerate_faces:
        found.append(("note", "degenerate", (
            f"{who} has {count_of(d.degenerate_faces, 'face')} without area; remove them "
            "from the mesh"
        )))  # fmt: skip
    if d.duplicate_faces:
        found.append(("note", "duplicate", (
            f"{count_of(d.duplicate_faces, 'face')} of {who} are repeated and were dropped; "
            "remove them from the mesh"
        )))  # fmt: skip
    return [
        Finding(
            severity, topic, (body.name,), sentence,
            locations=tuple(map(tuple, boundary[:SHOWN].tolist())) if topic == "open" else (),
        )
        for severity, topic, sentence in found
    ]  # fmt: skip


def _of_crossings(body: PlacedBody, mesh: Mesh, pairs: NDArray[np.int32]) -> list[Finding]:
    surface = mesh.surface()
    if not len(pairs):
        return []
    numbers = ", ".join(f"{i} with {j}" for i, j in pairs[:SHOWN].tolist())
    middles = surface.vertices[surface.faces[pairs[:SHOWN, 0]]].mean(axis=1)
    world = (middles - body.body.centre) @ body.body.rotation.T + body.body.position
    return [
        Finding(
            "warning" if body.moves and mesh.diagnosis.closed else "note",
            "self-intersection",
            (body.name,),
            f"{_who(body, mesh)} intersects itself: {count_of(len(pairs), 'pair')} of triangles "
            f"(numbers {numbers}{', ...' if len(pairs) > SHOWN else ''}), first near "
            f"{place(tuple(world[0]))}; volume and mass count overlapping parts twice, repair "
            "the mesh if that matters",
            tuple(map(tuple, pairs.tolist())),
            tuple(map(tuple, world.tolist())),
        )
    ]


def _who(body: PlacedBody, mesh: Mesh) -> str:
    file = f" ({mesh.path.name})" if mesh.path is not None else ""
    return f"the mesh of body {shown(body.name)}{file}"


def _meshes(shape: Shape | None) -> list[Mesh]:
    if isinstance(shape, Mesh):
        return [shape]
    if isinstance(shape, Compound):
        return [mesh for part in shape.placed for mesh in _meshes(part.shape)]
    return []


def _boundary_edges(surface: Surface) -> Array:
    """(n, 3) [m] middles of the edges with one face, in the shape's frame."""
    if not len(surface.faces):
        return np.zeros((0, 3))
    ends = np.sort(surface.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).astype(np.int64)
    keys = ends[:, 0] * len(surface.vertices) + ends[:, 1]
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    single = np.sort(first[counts == 1])
    return np.asarray(surface.vertices[ends[single]].mean(axis=1))
