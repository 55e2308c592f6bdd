"""Exact integrals of 1, x and x x^T over solids, surfaces, wires and points of unit density.

Over a simplex of dimension k with corners x_0..x_k, s their sum and w its measure:
    ∫ x = w s / (k + 1)        ∫ x x^T = w (Σ x_i x_i^T + s s^T) / ((k + 1) (k + 2)).
A closed mesh is the signed sum of the tetrahedra from one point to its triangles.
Coordinates are taken from the vertices' mean, so that nothing cancels far from the origin.
"""

import numpy as np
from numpy.typing import NDArray

from dovetail.model.shapes.shape import MassProperties
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array

FLAT = 1e-15  # a volume below this part of area^(3/2) is round-off


def solid_integrals(vertices: Array, faces: IndexArray) -> MassProperties:
    """Of a closed mesh; the sign of the volume follows the winding, flipped ones are turned."""
    used = vertices[np.unique(faces)]
    origin = used.mean(axis=0)
    a, b, c = (_columns(vertices - origin, faces[:, k]) for k in range(3))
    volumes = _triple(a, b, c) / 6
    if np.sum(volumes) < 0:
        volumes = -volumes
    doubled_areas = np.sqrt(np.sum(np.cross(b - a, c - a, axis=0) ** 2, axis=0))
    if np.sum(volumes) <= FLAT * np.sum(doubled_areas) ** 1.5:  # both sides of a sheet
        return MassProperties(3, 0.0, origin, np.zeros((3, 3)))
    return _summed(3, volumes, [np.zeros_like(a), a, b, c], origin)


def surface_integrals(vertices: Array, faces: IndexArray) -> MassProperties:
    """Of a thin shell, per m^2."""
    origin = vertices[np.unique(faces)].mean(axis=0)
    a, b, c = (_columns(vertices - origin, faces[:, k]) for k in range(3))
    areas = 0.5 * np.sqrt(np.sum(np.cross(b - a, c - a, axis=0) ** 2, axis=0))
    return _summed(2, areas, [a, b, c], origin)


def wire_integrals(vertices: Array, edges: IndexArray) -> MassProperties:
    """Of thin wires, per m."""
    origin = vertices[np.unique(edges)].mean(axis=0)
    a, b = (_columns(vertices - origin, edges[:, k]) for k in range(2))
    return _summed(1, np.sqrt(np.sum((b - a) ** 2, axis=0)), [a, b], origin)


def point_integrals(points: Array) -> MassProperties:
    """Of points, per point."""
    origin = points.mean(axis=0)
    return _summed(0, np.ones(len(points)), [np.ascontiguousarray((points - origin).T)], origin)


def _columns(vertices: Array, rows: NDArray[np.int32]) -> Array:
    """(3, n): long axis last, where numpy sums pairwise."""
    return np.ascontiguousarray(vertices[rows].T)


def _triple(a: Array, b: Array, c: Array) -> Array:
    product: Array = np.sum(a * np.cross(b, c, axis=0), axis=0)
    return product


def _summed(dimension: int, weights: Array, corners: list[Array], origin: Array) -> MassProperties:
    measure = float(np.sum(weights))
    if not abs(measure) > 0:
        return MassProperties(dimension, 0.0, origin, np.zeros((3, 3)))
    s = sum(corners[1:], corners[0])
    centre = np.sum(weights * s, axis=1) / ((dimension + 1) * measure)
    second = np.zeros((3, 3))
    for i in range(3):
        for j in range(i, 3):
            products = s[i] * s[j] + sum(x[i] * x[j] for x in corners)
            second[i, j] = second[j, i] = np.sum(weights * products)
    second = second / ((dimension + 1) * (dimension + 2)) - measure * np.outer(centre, centre)
    inertia = np.trace(second) * np.eye(3) - second
    return MassProperties(dimension, measure, origin + centre, inertia)
