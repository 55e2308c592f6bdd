"""The paper's horse: a mesh the user has, or a generated body of as many triangles.

The paper's model (231 422 triangles, 115 713 vertices) is not published.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dovetail.model import Mesh
from dovetail.model.surface import Surface
from dovetail.model.values import Array
from dovetail.validation.reproduce import Say

Faces = NDArray[np.int64]
PAPER_TRIANGLES = 231_422
SMALL_TRIANGLES = 96_966  # of the horse in common use, which stands in for it
LENGTH = 1.0  # [m] longest side that every mesh is scaled to


def horse(mesh: Path | None, say: Say) -> Surface:
    """The surface to test with, its longest side 1 m; its source is reported."""
    if mesh is None:
        found = displaced_sphere(SMALL_TRIANGLES)
        say(
            f"no --mesh: a generated body of {len(found.faces)} triangles, a sphere with bumps, "
            "stands for the horse"
        )
    else:
        found = Mesh(mesh).surface()
        say(f"{mesh.name}: {len(found.faces)} triangles stand for the horse")
    scale = LENGTH / float(np.max(np.ptp(found.vertices, axis=0)))
    return Surface.of(found.vertices * scale, found.faces)


def displaced_sphere(triangles: int) -> Surface:
    """A closed body of about so many triangles: a sphere whose radius waves with the angles."""
    rows = max(3, round(np.sqrt(triangles / 4)))
    n = max(3, round(triangles / (2 * rows)))
    polar = np.pi * np.arange(1, rows + 1) / (rows + 1)
    around = 2 * np.pi * np.arange(n) / n
    tilt, azimuth = np.meshgrid(polar, around, indexing="ij")
    radius = 1 + 0.25 * np.sin(tilt) ** 3 * np.cos(3 * azimuth) + 0.15 * np.cos(5 * tilt)
    ring = np.stack(
        [
            radius * np.sin(tilt) * np.cos(azimuth),
            radius * np.sin(tilt) * np.sin(azimuth),
            1.3 * radius * np.cos(tilt),
        ],
        axis=-1,
    )
    poles = np.array([[0.0, 0.0, 1.3 * 1.15], [0.0, 0.0, -1.3 * 0.85]])
    vertices = np.concatenate([ring.reshape(-1, 3), poles])
    i, j = (k.ravel() for k in np.meshgrid(np.arange(rows - 1), np.arange(n), indexing="ij"))
    a, b = i * n + j, i * n + (j + 1) % n
    c, d = a + n, b + n
    top, bottom = rows * n, rows * n + 1
    j, after = np.arange(n), (np.arange(n) + 1) % n
    last = (rows - 1) * n
    faces = [
        np.column_stack([a, c, d]),
        np.column_stack([a, d, b]),
        np.column_stack([np.full(n, top), j, after]),
        np.column_stack([np.full(n, bottom), last + after, last + j]),
    ]
    return Surface.of(vertices, np.concatenate(faces))


def refined(surface: Surface, triangles: int) -> Surface:
    """The same closed surface with its longest edges halved until it has so many triangles."""
    vertices, faces = surface.vertices, surface.faces.astype(np.int64)
    while len(faces) < triangles:
        vertices, faces = _halved(vertices, faces, (triangles - len(faces) + 1) // 2)
    return Surface.of(vertices, faces)


def _halved(vertices: Array, faces: Faces, most: int) -> tuple[Array, Faces]:
    """Halve up to `most` long edges, no two of them of one face; each adds two triangles."""
    n = len(vertices)
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)
    keys = np.min(ends, axis=1) * n + np.max(ends, axis=1)
    order = np.argsort(keys, kind="stable")
    first, second = order[0::2], order[1::2]  # the two sides of each edge of a closed surface
    length = np.linalg.norm(vertices[ends[first, 0]] - vertices[ends[first, 1]], axis=1)
    taken = np.zeros(len(faces), np.bool_)
    sides: list[int] = []
    for e in np.argsort(-length, kind="stable"):
        one, two = first[e] // 3, second[e] // 3
        if len(sides) < 2 * most and not taken[one] and not taken[two]:
            taken[one] = taken[two] = True
            sides += [int(first[e]), int(second[e])]
    side = np.array(sides)
    middle = n + np.arange(len(side)) // 2
    added = vertices[ends[side[0::2]]].mean(axis=1)
    face, k = side // 3, side % 3
    a, b, c = (faces[face, (k + q) % 3] for q in range(3))
    cut = np.concatenate([np.column_stack([a, middle, c]), np.column_stack([middle, b, c])])
    return np.concatenate([vertices, added]), np.concatenate([faces[~taken], cut])
