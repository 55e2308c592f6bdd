"""A raw mesh made usable: bad faces dropped, the rest facing outward, with a diagnosis."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.model.connected import component_labels
from dovetail.model.mesh_files.raw import RawMesh
from dovetail.model.shapes.diagnosis import MeshDiagnosis
from dovetail.model.shapes.winding import consistent, inward_components, shared_edges
from dovetail.model.surface import IndexArray, Surface
from dovetail.model.values import Array

FLOAT32 = 2.0**-22  # of a coordinate: two units in the last place of a single float
SAME_PLACE = (2e-7, 1e-6, 1e-5)  # of the mesh's size: how far apart joined vertices may be
CHAIN = 3.5  # times that: how far apart the ends of a chain of them in one cell may be


@dataclass(frozen=True, eq=False)
class OrderedMesh:
    """The surface that is used, and what was found about the one that was given."""

    surface: Surface
    diagnosis: MeshDiagnosis


def ordered(raw: RawMesh, *, may_weld: bool) -> OrderedMesh:
    """Drop collapsed and repeated faces, then turn the others to agree and to face outward.

    With `may_weld`, vertices at the same place, but for the last digits of a float, are joined
    where that closes the surface.
    """
    duplicates = len(raw.vertices) - len(raw.welded().vertices)
    closed = welded_closed(raw) if may_weld and len(raw.faces) else None
    welded = closed is not None
    raw = raw if closed is None else closed
    vertices, given = raw.vertices, raw.faces
    whole = _whole(given)
    faces = _without_repeats(whole)
    shared = shared_edges(faces)
    turned, oriented = np.zeros(len(faces), dtype=bool), True
    counts = shared.forward + shared.backward
    if not np.all(shared.forward[counts == 2] == 1) and len(faces):
        flips = consistent(faces, shared)
        oriented = flips is not None
        turned = turned if flips is None else flips
        faces = _turned(faces, turned)
        shared = shared_edges(faces)
    if np.any((counts > 2) & (shared.forward != shared.backward)):
        oriented = False
    pieces = component_labels(len(faces), shared.links())
    flipped = False
    if shared.closed:
        inward = inward_components(vertices, faces, pieces)
        # Where just half of a piece disagreed, either half could have been turned.
        undecided = 2 * np.bincount(pieces, weights=turned) == np.bincount(pieces)
        turned = turned ^ (inward & undecided)[pieces]
        flipped = bool(np.any(inward & ~undecided))
        faces = _turned(faces, inward[pieces])
    surface = Surface.of(vertices, faces, raw.edges)
    if shared.closed:
        dimension = 3
    elif len(faces):
        dimension = 2
    else:
        dimension = 1 if len(surface.wires) else 0
    diagnosis = MeshDiagnosis(
        n_vertices=len(vertices),
        n_faces=len(faces),
        n_free_edges=len(surface.wires),
        n_free_points=len(surface.points),
        dimension=dimension,
        closed=shared.closed,
        oriented=oriented,
        flipped=flipped,
        turned_faces=int(turned.sum()),
        components=int(pieces.max()) + 1 if len(pieces) else 0,
        duplicate_faces=len(whole) - len(faces),
        degenerate_faces=len(given) - len(whole) + _without_area(vertices, faces),
        duplicate_vertices=duplicates,
        boundary_edges=int(np.sum(counts == 1)),
        nonmanifold_edges=int(np.sum(counts > 2)),
        welded=welded,
    )
    return OrderedMesh(surface, diagnosis)


def welded_closed(raw: RawMesh) -> RawMesh | None:
    """The mesh with vertices joined by the least tolerance that closes it; None where none does.

    None too where it is closed as it is. The tolerances are exact equality and SAME_PLACE of the
    mesh's size, and below a quarter of the shortest side, so that no face collapses.
    """
    if is_closed(_distinct(raw.faces)):
        return None
    sides = raw.vertices[raw.faces] - np.roll(raw.vertices[raw.faces], -1, axis=1)
    lengths = np.sqrt(np.einsum("nki,nki->nk", sides, sides))
    size = float(np.linalg.norm(np.ptp(raw.vertices, axis=0)))
    size = max(size, float(np.max(np.abs(raw.vertices))) * FLOAT32 / SAME_PLACE[0])
    shortest = float(np.min(lengths[lengths > SAME_PLACE[0] * size], initial=np.inf))
    exact = raw.welded()
    if not len(_distinct(exact.faces)):
        return None
    for tolerance in (0.0, *SAME_PLACE):
        within = tolerance * size
        if within > 0.25 * shortest / CHAIN:
            return None
        joined = exact.welded(within) if within > 0.0 else exact
        if len(joined.vertices) < len(raw.vertices) and is_closed(_distinct(joined.faces)):
            return joined
    return None


def is_closed(faces: IndexArray) -> bool:
    """Whether every edge has as many faces one way as the other, once neighbours agree."""
    shared = shared_edges(faces)
    counts = shared.forward + shared.backward
    if shared.closed or not len(faces) or np.any(counts % 2):
        return shared.closed
    flips = consistent(faces, shared)
    return flips is not None and shared_edges(_turned(faces, flips)).closed


def _whole(faces: IndexArray) -> IndexArray:
    """Faces with three different corners."""
    a, b, c = faces.T
    different: NDArray[np.bool_] = (a != b) & (b != c) & (c != a)
    return faces[different]


def _without_repeats(faces: IndexArray) -> IndexArray:
    """Each face once: the same three corners the same way round are the same face."""
    if len(faces) == 0:
        return faces
    first = np.argmin(faces, axis=1)
    rows = np.arange(len(faces))[:, None]
    canonical = faces[rows, (first[:, None] + np.arange(3)) % 3].astype(np.int64)
    n = int(faces.max()) + 1
    order = np.lexsort((canonical[:, 2], canonical[:, 0] * n + canonical[:, 1]))
    same = np.all(canonical[order[1:]] == canonical[order[:-1]], axis=1)
    keep = np.ones(len(faces), dtype=bool)
    keep[order[1:][same]] = False
    return faces[keep]


def _distinct(faces: IndexArray) -> IndexArray:
    return _without_repeats(_whole(faces))


def _turned(faces: IndexArray, which: NDArray[np.bool_]) -> IndexArray:
    turned: IndexArray = np.where(which[:, None], faces[:, [0, 2, 1]], faces)
    return turned


def _without_area(vertices: Array, faces: IndexArray) -> int:
    """How many faces are a line: height below round-off of the longest side."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    doubled = np.sum(np.cross(b - a, c - a) ** 2, axis=1)
    longest = np.max([np.sum((q - p) ** 2, axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0)
    return int(np.sum(doubled <= (1e-14 * longest) ** 2))
