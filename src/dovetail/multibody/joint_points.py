"""Where joints are on their bodies."""

import numpy as np

from dovetail.model.frozen import GROUND, PlacedJoint
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState


def point_on_b(placed: PlacedJoint, start: BodyState) -> Array:
    """The joint's point in the axes of its body b, from the centre of mass."""
    point, b = np.asarray(placed.joint.point, dtype=float), placed.body_b
    return point if b == GROUND else np.asarray(start.R[b].T @ (point - start.x[b]))
