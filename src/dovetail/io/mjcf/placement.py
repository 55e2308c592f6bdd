"""Where an MJCF element stands in its parent's frame."""

from collections.abc import Callable

import numpy as np

from dovetail.errors import InputError
from dovetail.io.mjcf.document import ORIENTATIONS, Compiler
from dovetail.io.written_rotations import (
    from_axis_angle,
    from_euler,
    from_quaternion,
    from_x_and_y,
    from_z,
)
from dovetail.io.xml.elements import Element
from dovetail.io.xml.values import numbers
from dovetail.model.values import Array, Mistakes

Pose = tuple[Array, Array]  # position [m], rotation (3, 3)


def origin() -> Pose:
    return np.zeros(3), np.eye(3)


def composed(outer: Pose, inner: Pose) -> Pose:
    """The inner pose seen from outside: x = x_o + R_o x_i, R = R_o R_i."""
    return outer[0] + outer[1] @ inner[0], outer[1] @ inner[1]


def pose_of(element: Element, compiler: Compiler) -> Pose:
    """`pos` with one of quat, axisangle, euler, xyaxes, zaxis."""
    found = Mistakes()
    position = found.take(numbers, element, "pos", 3, [0, 0, 0])
    rotation = found.take(rotation_of, element, compiler)
    found.raise_if_any()
    assert position is not None and rotation is not None
    return position, rotation


def rotation_of(element: Element, compiler: Compiler) -> Array:
    given = [key for key in ORIENTATIONS if key in element.attributes]
    if len(given) > 1:
        raise InputError(f"{element.who} must have one orientation, got {' and '.join(given)}")
    if not given:
        return np.eye(3)
    key = given[0]
    what = f"`{key}` of {element.who}"
    readers: dict[str, tuple[int, Callable[[Array], Array]]] = {
        "quat": (4, lambda v: from_quaternion(v, what)),
        "axisangle": (4, lambda v: from_axis_angle(v, what, compiler.degree)),
        "euler": (3, lambda v: from_euler(v * compiler.degree, compiler.sequence)),
        "xyaxes": (6, lambda v: from_x_and_y(v, what)),
        "zaxis": (3, lambda v: from_z(v, what)),
    }
    count, convert = readers[key]
    return convert(numbers(element, key, count))
