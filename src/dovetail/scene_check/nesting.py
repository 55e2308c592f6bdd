"""Closed pieces of one mesh inside its solid."""

import numpy as np

from dovetail.collision.mesh.containment import INSIDE, windings
from dovetail.model.connected import component_labels
from dovetail.model.shapes.winding import shared_edges
from dovetail.model.surface import Surface
from dovetail.model.values import Array


def pieces_within_solid(surface: Surface) -> Array:
    """(k, 3) [m] a point of each outward-facing piece that the other pieces go around."""
    vertices, faces = surface.vertices, surface.faces
    pieces = component_labels(len(faces), shared_edges(faces).links())
    corners = vertices[faces]
    count = int(pieces.max()) + 1
    lower, upper = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(lower, pieces, corners.min(axis=1))
    np.maximum.at(upper, pieces, corners.max(axis=1))
    found = []
    for piece in range(count):
        around = np.all((lower < lower[piece]) & (upper > upper[piece]), axis=1)
        own = corners[pieces == piece]
        if not around.any() or _volume(own) <= 0.0:
            continue
        others = np.ascontiguousarray(faces[around[pieces]])
        place = own[:1].mean(axis=1)
        if windings(vertices, others, place)[0] > INSIDE:
            found.append(place[0])
    return np.array(found).reshape(-1, 3)


def _volume(triangles: Array) -> float:
    """Signed volume [m^3] of a closed surface (n, 3, 3)."""
    a, b, c = np.moveaxis(triangles - triangles[0, 0], 1, 0)
    return float(np.sum(a * np.cross(b, c)) / 6)
