"""Closest points by other packages, where they are installed."""

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from dovetail.model.surface import Surface
from dovetail.model.values import Array

Work = Callable[[], object]


def libigl_distances(surface: Surface, points: Array) -> Work | None:
    """Squared distances of points (n, 3) through libigl's tree, built before."""
    if find_spec("igl") is None:
        return None
    import igl

    faces = surface.faces.astype(np.int64)
    tree = igl.AABB()
    tree.init(surface.vertices, faces)
    return lambda: tree.squared_distance(surface.vertices, faces, points)


def coal_distances(surface: Surface, points: Array) -> Work | None:
    """Distances of points (n, 3) through coal's tree, one call each, as it offers no other."""
    if find_spec("coal") is None:
        return None
    import coal

    model = coal.BVHModelOBBRSS()
    model.beginModel(len(surface.faces), len(surface.vertices))
    model.addVertices(np.asarray(surface.vertices))
    model.addTriangles(surface.faces.astype(np.int64))
    model.endModel()
    point, request, found = coal.Sphere(0.0), coal.DistanceRequest(), coal.DistanceResult()
    here, places = coal.Transform3s(), [coal.Transform3s(np.eye(3), p) for p in points]

    def work() -> None:
        for place in places:
            found.clear()
            coal.distance(model, here, point, place, request, found)

    return work
