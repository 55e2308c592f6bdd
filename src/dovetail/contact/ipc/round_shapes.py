"""Round shapes as contact sees them: a core of points and edges with a radius, or a solid.

A ball is a point with a radius, a capsule an edge with one: the set of all points within the radius
of the core (Li et al., Codimensional IPC (2021), section 4.3, offsets of codimensional objects).
Distances are those of the cores less both radii. Rotating a ball about its centre moves nothing.

Cylinders and cones are hulls of two coaxial discs (`solids`), against all there is. A ring is a
circle with a radius over half-spaces, and its polyhedron against all else; where it rolls on a flat
face the barrier is that of the circle (`solids.ring_faces`).
"""

from typing import NamedTuple

import numpy as np

from dovetail.contact.ipc.records import EVERYWHERE, ONLY_OVER_PLANES
from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import Capsule, Cone, Cylinder, Sphere, Torus
from dovetail.model.surface import Surface
from dovetail.model.values import Array


class ContactShape(NamedTuple):
    """The surface whose features meet others, and the radius [m] that is added all around."""

    core: Surface  # body axes, from the centre of mass
    radius: float  # [m] 0 for polyhedra


def contact_shape(body: CheckedBody) -> ContactShape:
    """The core and the radius of a body; its surface and 0 where it is no round shape."""
    shape = body.shape
    if isinstance(shape, Sphere):
        return ContactShape(Surface.of(-body.centre[None]), float(shape.radius))
    if isinstance(shape, Capsule):
        half = np.array([0.0, 0.0, float(shape.height) / 2])
        ends = np.array([-half, half]) - body.centre
        return ContactShape(Surface.of(ends, edges=[[0, 1]]), float(shape.radius))
    return ContactShape(body.surface, 0.0)


def is_on_axis(body: CheckedBody) -> bool:
    """Whether the centre of mass is on the axis of the shape, z."""
    return not body.centre[:2].any()


def solid_of(body: CheckedBody) -> Array | None:
    """(7,) where, z0, r0, z1, r1, tube [m] of a solid of revolution, from the centre of mass.

    The last is how far a ring lies outside of its polyhedron. None where the centre of mass is not
    on the axis: then the solid is its polyhedron.
    """
    shape, z = body.shape, float(body.centre[2])
    if isinstance(shape, Cylinder | Cone | Torus) and not is_on_axis(body):
        return None
    if isinstance(shape, Cylinder):
        half, r = float(shape.height) / 2, float(shape.radius)
        return np.array([EVERYWHERE, -half - z, r, half - z, r, 0.0, 0.0])
    if isinstance(shape, Cone):
        r, top = float(shape.radius), float(shape.height) - z
        return np.array([EVERYWHERE, -z, r, top, 0.0, 0.0, 0.0])
    if isinstance(shape, Torus):
        major = float(shape.major)
        minor, outside = float(shape.minor), _outside(shape)
        return np.array([ONLY_OVER_PLANES, -z, major, -z, major, minor, outside])
    return None


def _outside(shape: Torus) -> float:
    """[m] how far a ring lies outside of its polyhedron: the heights of both arcs over a facet."""
    n, minor = int(shape.segments), float(shape.minor)
    around = (float(shape.major) + minor) * (1.0 - np.cos(np.pi / n))
    return float(around + minor * (1.0 - np.cos(np.pi / max(8, n // 2))))
