"""What of a body is examined: triangles, wires or points, and how the true body lies about them.

A ball is examined as its centre, a capsule as its segment, a torus as its circle: the true body is
all that lies within `radius` of these. A cylinder and a cone are convex and their triangles have
their corners on them, so that no triangle reaches beyond the true body. With D the distance of what
is examined of two bodies, r, o, i the sums of radius, outside and inside, their true distance d has
    D - r - o <= d <= D - r + i.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import Capsule, Compound, Cone, Cylinder, Sphere, Torus
from dovetail.model.shapes.shape import Shape
from dovetail.model.surface import Surface
from dovetail.prove.surfaces.tessellation import deviation_of, of_circle

MOST_SEGMENTS = 16384  # of a cylinder or cone
TIMES_AROUND = 128  # the segments of a torus: its circle is examined with that many more


class Margin(NamedTuple):
    """How a true body, or two of them together, lie about what is examined [m]."""

    radius: float = 0.0  # the body is what lies within it
    outside: float = 0.0  # the true body reaches at most that far beyond that
    inside: float = 0.0  # and falls at most that far short of it

    def __add__(self, other: object) -> "Margin":
        assert isinstance(other, Margin)
        return Margin(*(a + b for a, b in zip(tuple(self), tuple(other), strict=True)))


class Examined(NamedTuple):
    """Of one body."""

    surface: Surface  # in the frame of the body
    margin: Margin


def examined(body: CheckedBody, factor: int = 1) -> Examined:
    """What stands for a body in searches; cylinders and cones with `factor` times the segments."""
    match body.shape:
        case Cylinder() | Cone():
            fine = replace(
                body.shape, segments=min(MOST_SEGMENTS, int(body.shape.segments) * factor)
            )
            return _around(body, fine.surface(), Margin(outside=deviation_of(fine)))
        case Sphere():
            core = Surface.of(np.zeros((1, 3)))
            return _around(body, core, Margin(radius=float(body.shape.radius)))
        case Capsule():
            half = 0.5 * float(body.shape.height)
            core = Surface.of([(0.0, 0.0, -half), (0.0, 0.0, half)], edges=[(0, 1)])
            return _around(body, core, Margin(radius=float(body.shape.radius)))
        case Torus():
            return _ring(body, body.shape)
        case _:
            outside = deviation_of(body.shape)
            return Examined(body.surface, Margin(0.0, outside, inside_of(body.shape)))


def inside_of(shape: Shape | None) -> float:
    """[m] how far triangles of a shape may reach beyond the true shape."""
    match shape:
        case Sphere() | Capsule() | Cylinder() | Cone():
            return 0.0
        case Compound():
            return max(inside_of(part.shape) for part in shape.placed)
        case _:
            return deviation_of(shape)


def _around(body: CheckedBody, core: Surface, margin: Margin) -> Examined:
    return Examined(core.moved(np.eye(3), -body.centre), margin)


def _ring(body: CheckedBody, shape: Torus) -> Examined:
    n = TIMES_AROUND * int(shape.segments)
    angle = 2.0 * np.pi * np.arange(n) / n
    R = float(shape.major)
    circle = np.column_stack([R * np.cos(angle), R * np.sin(angle), np.zeros(n)])
    wires = np.column_stack([np.arange(n), (np.arange(n) + 1) % n])
    off = of_circle(R, n)
    return _around(body, Surface.of(circle, edges=wires), Margin(float(shape.minor), off, off))
