"""The <origin> of a URDF element."""

import numpy as np

from dovetail.errors import InputError
from dovetail.io.written_rotations import from_quaternion, from_roll_pitch_yaw
from dovetail.io.xml.elements import Element
from dovetail.io.xml.values import numbers
from dovetail.model.values import Array, Mistakes


def origin_of(element: Element) -> tuple[Array, Array]:
    """Position [m] and rotation (3, 3) of the element's <origin xyz rpy>; identity without one.

    In the place of `rpy` there may be `quat_xyzw`, as in version 1.1.
    """
    origin = element.first("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    found = Mistakes()
    position = found.take(numbers, origin, "xyz", 3, [0, 0, 0])
    rotation = found.take(_rotation, origin)
    found.raise_if_any()
    assert position is not None and rotation is not None
    return position, rotation


def _rotation(origin: Element) -> Array:
    if "quat_xyzw" not in origin.attributes:
        return from_roll_pitch_yaw(numbers(origin, "rpy", 3, [0, 0, 0]))
    if "rpy" in origin.attributes:
        raise InputError(f"{origin.who} must give `rpy` or `quat_xyzw`, got both")
    x, y, z, w = numbers(origin, "quat_xyzw", 4)
    return from_quaternion(np.array([w, x, y, z]), f"`quat_xyzw` of {origin.who}")
