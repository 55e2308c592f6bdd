"""The <origin> of a URDF element."""

import numpy as np

from dovetail.io.written_rotations import from_roll_pitch_yaw
from dovetail.io.xml.elements import Element
from dovetail.io.xml.values import numbers
from dovetail.model.values import Array, Mistakes


def origin_of(element: Element) -> tuple[Array, Array]:
    """Position [m] and rotation (3, 3) of the element's <origin xyz rpy>; identity without one."""
    origin = element.first("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    found = Mistakes()
    position = found.take(numbers, origin, "xyz", 3, [0, 0, 0])
    angles = found.take(numbers, origin, "rpy", 3, [0, 0, 0])
    found.raise_if_any()
    assert position is not None and angles is not None
    return position, from_roll_pitch_yaw(angles)
