"""What URDF says of joints that means nothing, or hardly what is meant: names for notes."""

from collections.abc import Iterator

import numpy as np

from dovetail.io.xml.elements import Element
from dovetail.io.xml.values import number, numbers

MOST_TURN = 2.1 * np.pi  # [rad] that an origin is turned by
UNUSED: dict[
    str, dict[str, tuple[str, ...] | None]
] = {  # what joints of a type do not use, with the attributes that would say something
    "fixed": {"axis": None, "limit": None, "dynamics": None},
    "floating": {"axis": None, "limit": None, "dynamics": None},
    "planar": {"limit": None},
    "continuous": {"limit": ("lower", "upper")},
}


def shut(joints: dict[str, Element]) -> list[str]:
    """Joints that move by their type, but whose limits leave no room."""
    return [name for name, limit in _limits(joints) if not _says(limit, ("lower", "upper"))]


def weak(joints: dict[str, Element]) -> list[str]:
    """Joints whose limits say that nothing can drive them, as placeholders do."""
    return [
        name
        for name, limit in _limits(joints)
        if any(float(number(limit, key, 1.0)) <= 0 for key in ("effort", "velocity"))
    ]


def idle_mimics(joints: dict[str, Element]) -> list[str]:
    """Joints with a <mimic> that have not one coordinate to follow with."""
    return [
        name
        for name, joint in joints.items()
        if joint.attributes.get("type") in ("fixed", "floating", "planar")
        and joint.first("mimic") is not None
    ]


def unused_by_type(joints: dict[str, Element]) -> list[str]:
    """Elements of joints that their type has no use for, unless all that they say is 0."""
    found = []
    for joint in joints.values():
        for tag, keys in UNUSED.get(joint.attributes.get("type", ""), {}).items():
            element = joint.first(tag)
            if element is not None and _says(element, keys or tuple(element.attributes)):
                found.append(f"<{tag}> of {joint.who}")
    return found


def many_turns(robot: Element) -> list[str]:
    """Elements whose <origin> turns by more than a full turn about an axis."""
    found = []
    for element in robot.everything():
        origin = element.first("origin")
        if origin is None or "rpy" not in origin.attributes:
            continue
        angles = numbers(origin, "rpy", 3)
        if float(np.max(np.abs(angles))) > MOST_TURN:
            found.append(f"{element.attributes.get('name', element.tag)[:60]}")
    return found


def _limits(joints: dict[str, Element]) -> Iterator[tuple[str, Element]]:
    for name, joint in joints.items():
        limit = joint.first("limit")
        if limit is not None and joint.attributes.get("type") in ("revolute", "prismatic"):
            yield name, limit


def _says(element: Element, keys: tuple[str, ...]) -> bool:
    """Whether any of the attributes is something else than zeros, as they are where left out."""
    for key in keys:
        try:
            values = [float(word) for word in element.attributes.get(key, "0").split()]
        except ValueError:
            return True
        if any(values):
            return True
    return False
