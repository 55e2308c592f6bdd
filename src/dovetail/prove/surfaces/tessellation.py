"""How far the triangles of a shape may be from its true surface, and finer triangles.

A mesh is taken as it is, unless it says by `deviation` [m] how far it may be from what it stands
for, as parts read from STEP do. Triangles of round shapes have their corners on the true surface:
    circle of radius r with n sides    r (1 - cos(pi / n)),
    sphere                             r less the distance of the plane of a triangle,
    torus, linear interpolation        (M_uu du^2 + 2 M_uv du dv + M_vv dv^2) / 8.
"""

from dataclasses import replace
from math import cos, pi
from typing import Any

import numpy as np

from dovetail.model.shapes import Capsule, Compound, Cone, Cylinder, Sphere, Torus
from dovetail.model.shapes.shape import MAX_SEGMENTS, Shape

FINEST = 16  # times the segments, where their number grows with the square of that
ROUND = (Capsule, Cone, Cylinder, Sphere, Torus)


def deviation_of(shape: Shape | None) -> float:
    """[m] at most between the triangles of a shape and its true surface."""
    match shape:
        case Cylinder() | Cone():
            return of_circle(float(shape.radius), int(shape.segments))
        case Sphere() | Capsule():
            return _of_ball(shape)
        case Torus():
            return _of_torus(shape)
        case Compound():
            return max(deviation_of(part.shape) for part in shape.placed)
        case _:
            return float(getattr(shape, "deviation", 0.0))


def declared_deviation(shape: Shape | None) -> float:
    """[m] what a mesh says of itself; none of round shapes, which contact takes as they are."""
    match shape:
        case Compound():
            return max(declared_deviation(part.shape) for part in shape.placed)
        case _ if isinstance(shape, ROUND):
            return 0.0
        case _:
            return float(getattr(shape, "deviation", 0.0))


def of_circle(radius: float, n: int) -> float:
    """[m] between a circle and the n chords of its corners."""
    return radius * (1.0 - cos(pi / n))


def _of_ball(shape: Sphere | Capsule) -> float:
    surface = Sphere(shape.radius, shape.segments).surface()
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    heights = np.abs(np.einsum("ij,ij->i", normal, a)) / np.linalg.norm(normal, axis=1)
    return float(shape.radius) - float(heights.min())


def _of_torus(shape: Torus) -> float:
    n = int(shape.segments)
    du, dv = 2.0 * pi / n, 2.0 * pi / max(8, n // 2)
    R, r = float(shape.major), float(shape.minor)
    return ((R + r) * du * du + 2.0 * r * du * dv + r * dv * dv) / 8.0


def refined(shape: Any, factor: int) -> Any:
    """The shape with `factor` times the segments, as far as there may be; itself if it has none.

    Round shapes are refined as parts of a compound only; `examined` does that of others.
    """
    match shape:
        case Compound():
            return Compound([_refined_part(part, factor) for part in shape.placed])
        case _:
            finer = getattr(shape, "refined", None)
            return shape if finer is None else finer(min(FINEST, factor))


def _refined_part(part: Any, factor: int) -> Any:
    shape = part.shape
    if isinstance(shape, ROUND):
        many = factor if isinstance(shape, Cylinder | Cone) else min(FINEST, factor)
        segments = min(MAX_SEGMENTS, int(shape.segments) * many)
        return replace(part, shape=replace(shape, segments=segments))
    return replace(part, shape=refined(shape, factor))
