"""Closed meshes for tests, made from random numbers."""

import numpy as np

from dovetail.model import Sphere
from dovetail.model.values import Array

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
TETRAHEDRON_FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
OCTAHEDRON = np.array(
    [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=float
)
OCTAHEDRON_FACES = np.array(
    [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
)


def random_rotation(rng: np.random.Generator) -> Array:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    if np.linalg.det(q) < 0:
        q[:, 0] *= -1
    return q


def bumpy_ball(rng: np.random.Generator) -> tuple[Array, Array]:
    """A star-shaped closed mesh with radii between 0.5 and 1.5 m and no symmetry."""
    surface = Sphere(1.0, segments=16).surface()
    radii = rng.uniform(0.5, 1.5, size=(len(surface.vertices), 1))
    return surface.vertices * radii, np.array(surface.faces)
