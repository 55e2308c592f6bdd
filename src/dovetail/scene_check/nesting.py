"""Closed pieces of one mesh: inside its solid, or with space between them."""

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.mesh.containment import INSIDE, windings
from dovetail.model.connected import component_labels
from dovetail.model.shapes.winding import shared_edges
from dovetail.model.surface import Surface
from dovetail.model.values import Array


def pieces_within_solid(surface: Surface) -> Array:
    """(k, 3) [m] a point of each outward-facing piece that the other pieces go around."""
    vertices, faces = surface.vertices, surface.faces
    pieces, lower, upper = _boxes(surface)
    corners = vertices[faces]
    found = []
    for piece in range(len(lower)):
        around = np.all((lower < lower[piece]) & (upper > upper[piece]), axis=1)
        own = corners[pieces == piece]
        if not around.any() or _volume(own) <= 0.0:
            continue
        others = np.ascontiguousarray(faces[around[pieces]])
        place = own[:1].mean(axis=1)
        if windings(vertices, others, place)[0] > INSIDE:
            found.append(place[0])
    return np.array(found).reshape(-1, 3)


def groups_apart(surface: Surface) -> int:
    """Into how many groups closed pieces fall whose boxes do not meet."""
    _, lower, upper = _boxes(surface)
    meet = np.all((lower[:, None] <= upper) & (upper[:, None] >= lower), axis=2)
    return int(component_labels(len(lower), np.argwhere(np.triu(meet, 1))).max()) + 1


def _boxes(surface: Surface) -> tuple[NDArray[np.int64], Array, Array]:
    """The piece of each face, and lower and upper corners (n, 3) [m] of the pieces' boxes."""
    corners = surface.vertices[surface.faces]
    pieces = component_labels(len(corners), shared_edges(surface.faces).links())
    count = int(pieces.max()) + 1
    lower, upper = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(lower, pieces, corners.min(axis=1))
    np.maximum.at(upper, pieces, corners.max(axis=1))
    return pieces, lower, upper


def _volume(triangles: Array) -> float:
    """Signed volume [m^3] of a closed surface (n, 3, 3)."""
    a, b, c = np.moveaxis(triangles - triangles[0, 0], 1, 0)
    return float(np.sum(a * np.cross(b, c)) / 6)
