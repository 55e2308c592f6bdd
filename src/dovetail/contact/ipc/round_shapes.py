"""Round shapes as contact sees them: a core of points and edges with a radius.

A ball is a point with a radius, a capsule an edge with one: the set of all points within the radius
of the core (Li et al., Codimensional IPC (2021), section 4.3, offsets of codimensional objects).
Distances are those of the cores less both radii. Rotating a ball about its centre moves nothing.
"""

from typing import NamedTuple

import numpy as np

from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import Capsule, Sphere
from dovetail.model.surface import Surface


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
