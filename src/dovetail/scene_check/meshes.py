"""What is wrong with the meshes of bodies: open, crossing themselves, facing inward."""

from collections.abc import Iterator

import numpy as np

from dovetail.model.shapes.shape import DENSITY_UNITS
from dovetail.scene_check.finding import (
    MAX_KEPT,
    SHOWN,
    Finding,
    Severity,
    count_of,
    merged,
    numbered,
    place,
    points,
)
from dovetail.scene_check.placed_body import PlacedBody
from dovetail.scene_check.placed_mesh import PlacedMesh, boundary_edges, meshes_of

THICK = 0.25  # of the length of a mesh: no sheet
FEW_FACES = 20_000  # in which crossings are looked for at the start of a run


def find_mesh_faults(bodies: list[PlacedBody], quick: bool = False) -> list[Finding]:
    """Faults of all meshes; one that several bodies share is checked and reported once.

    `quick` leaves out what must be searched for, faces that cross and pieces inside others, but in
    meshes of few faces and several pieces: parts that were put together without a union.
    """
    users: dict[bytes, list[PlacedMesh]] = {}
    for body in bodies:
        for placed in meshes_of(body):
            users.setdefault(placed.content, []).append(placed)
    found = []
    for group in users.values():
        example = next((user for user in group if user.body.moves), group[0])
        names = [user.body.name for user in group]
        for fault in (
            *_openness(example),
            *_winding(example),
            *_waste(example),
            *_thick_sheet(example),
            *_loose_vertices(example),
            *(() if quick else _apart(example)),
            *(() if quick and not _has_pieces(example) else _crossing(example)),
            *(() if quick and not _has_pieces(example) else _counted_twice(example)),
        ):
            found.append(merged(fault, names))
    return found


def _has_pieces(placed: PlacedMesh) -> bool:
    diagnosis = placed.mesh.diagnosis
    moves = placed.body.moves and placed.body.given.mass is None
    return moves and diagnosis.components > 1 and diagnosis.n_faces <= FEW_FACES


def _apart(placed: PlacedMesh) -> Iterator[Finding]:
    """Pieces with space between them: parts of an assembly that were saved in one file."""
    if not _has_pieces(placed):
        return
    from dovetail.scene_check.nesting import groups_apart  # imports kernels

    surface = placed.mesh.surface()
    groups = groups_apart(surface)
    if groups > 1:
        yield Finding(
            "note",
            "pieces",
            (placed.body.name,),
            f"{placed} is {groups} pieces with space between them, which move as one body; give "
            "each a body of its own if they are parts of an assembly",
        )


def _severity(placed: PlacedMesh) -> Severity:
    """Faults that change the mass matter for what moves."""
    return "warning" if placed.body.moves else "note"


def _openness(placed: PlacedMesh) -> Iterator[Finding]:
    diagnosis = placed.mesh.diagnosis
    subject = (placed.body.name,)
    if diagnosis.n_faces and not diagnosis.closed and placed.mesh.needs_choice:
        rim = placed.to_world(boundary_edges(placed.mesh.surface())[:SHOWN])
        where = f", the first at {place(rim[0])}" if len(rim) else ""
        yield Finding(
            _severity(placed),
            "open",
            subject,
            f"{placed} is open: {count_of(diagnosis.boundary_edges, 'boundary edge')}{where}; its "
            "centre of mass and inertia are those of a thin sheet; say so with `shell=True`, fill "
            "it with `fill='holes'` ('winding', 'hull'), or close it",
            locations=points(rim),
        )
    if not diagnosis.n_faces and placed.body.given.density is not None:
        yield Finding(
            _severity(placed),
            "no faces",
            subject,
            f"{placed} has no faces, so its `density` is in "
            f"{DENSITY_UNITS[placed.mesh.mass_properties().dimension]}, and it has "
            f"{placed.body.body.mass:.3g} kg; give its faces, or `fill='hull'`",
        )
    if diagnosis.nonmanifold_edges:
        yield Finding(
            _severity(placed),
            "non-manifold",
            subject,
            f"{placed} has {count_of(diagnosis.nonmanifold_edges, 'edge')} with more than two "
            "faces; separate or remove the extra faces",
        )


def _winding(placed: PlacedMesh) -> Iterator[Finding]:
    diagnosis = placed.mesh.diagnosis
    subject = (placed.body.name,)
    if diagnosis.n_faces and not diagnosis.oriented:
        yield Finding(
            _severity(placed),
            "inconsistent winding",
            subject,
            f"the faces of {placed} cannot be made to agree about which side is outside; repair "
            "the mesh so that neighbours run along their common edge in opposite directions",
        )
    if diagnosis.flipped:
        yield Finding(
            "note",
            "flipped winding",
            subject,
            f"the faces of {placed} point inward; they are turned outward here, flip them in the "
            "file to silence this",
        )
    if diagnosis.turned_faces:
        yield Finding(
            "note",
            "inconsistent winding",
            subject,
            f"{count_of(diagnosis.turned_faces, 'face')} of {placed} disagreed with the neighbours "
            "about the outside; turned here, flip them in the file to silence this",
        )


def _waste(placed: PlacedMesh) -> Iterator[Finding]:
    diagnosis = placed.mesh.diagnosis
    for count, topic, what in (
        (diagnosis.degenerate_faces, "degenerate", "without area"),
        (diagnosis.duplicate_faces, "duplicate", "that repeat another one"),
    ):
        if count:
            yield Finding(
                "note",
                topic,
                (placed.body.name,),
                f"{placed} has {count_of(count, 'face')} {what}; remove them from the mesh",
            )


def _thick_sheet(placed: PlacedMesh) -> Iterator[Finding]:
    """A thickness in mm: a sheet that is as thick as its mesh is long."""
    shell, size = placed.mesh.shell, float(np.linalg.norm(np.ptp(placed.mesh.surface().bounds, 0)))
    if isinstance(shell, bool) or shell is None or shell <= THICK * size:
        return
    yield Finding(
        _severity(placed),
        "units",
        (placed.body.name,),
        f"`shell` of {placed} is a thickness of {shell:.3g} m, but it is only {size:.3g} m long; "
        "thicknesses are in m",
    )


def _loose_vertices(placed: PlacedMesh) -> Iterator[Finding]:
    """Vertices of no face or edge: they touch other bodies as points."""
    surface = placed.mesh.surface()
    if not len(surface.faces):
        return
    used = np.zeros(len(surface.vertices), np.bool_)
    used[surface.faces.ravel()] = used[surface.edges.ravel()] = True
    if used.all():
        return
    kept = surface.vertices[used]
    low, high = kept.min(axis=0), kept.max(axis=0)
    loose = surface.vertices[~used]
    out = np.linalg.norm(np.maximum(np.maximum(low - loose, loose - high), 0.0), axis=1)
    far = float(out.max())
    yield Finding(
        "warning" if far > 0.0 else "note",
        "loose vertices",
        (placed.body.name,),
        f"{placed} has {count_of(len(loose), 'vertex')} that no face uses"
        + (f", up to {far:.3g} m outside of its faces" if far else "")
        + "; they touch other bodies as points, remove them from the mesh",
    )


def _crossing(placed: PlacedMesh) -> Iterator[Finding]:
    from dovetail.collision.intersection.surfaces import self_intersecting_pairs

    surface = placed.mesh.surface()
    pairs = self_intersecting_pairs(surface)
    if len(pairs):
        corners = surface.vertices[surface.faces[pairs[:SHOWN, 0]]]
        where = placed.to_world(corners.mean(axis=1))
        yield Finding(
            _severity(placed) if placed.mesh.diagnosis.closed else "note",
            "self-intersection",
            (placed.body.name,),
            f"{placed} intersects itself: {count_of(len(pairs), 'pair')} of triangles (numbers "
            f"{numbered(pairs)}), first near {place(where[0])}; volume and mass count overlapping "
            "parts twice, repair the mesh if that matters",
            tuple(map(tuple, pairs[:MAX_KEPT].tolist())),
            points(where),
        )


def _counted_twice(placed: PlacedMesh) -> Iterator[Finding]:
    """A closed piece inside another that faces outward like it, where a cavity may be meant."""
    diagnosis = placed.mesh.diagnosis
    if not diagnosis.closed or diagnosis.components < 2:
        return
    from dovetail.scene_check.nesting import pieces_within_solid

    inner = pieces_within_solid(placed.mesh.surface())
    if len(inner):
        where = placed.to_world(inner[:SHOWN])
        yield Finding(
            _severity(placed),
            "nested",
            (placed.body.name,),
            f"{placed} has {count_of(len(inner), 'closed piece')} inside its solid, first near "
            f"{place(where[0])}, which the mass counts twice; turn the faces of a cavity inward, "
            "or remove what is inside",
            locations=points(where),
        )
