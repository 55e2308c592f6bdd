"""MJCF equality constraints that are joints: connect and weld, closing loops."""

import numpy as np

from dovetail.errors import InputError
from dovetail.io.link_trees.assembly import Assembly
from dovetail.io.mjcf.bodies import TreeReader
from dovetail.io.mjcf.document import Defaults
from dovetail.io.written_rotations import from_quaternion
from dovetail.io.xml.elements import Element
from dovetail.io.xml.values import flag, numbers, word
from dovetail.model.joints import Fixed, Joint, Spherical
from dovetail.model.scene import Scene
from dovetail.model.values import GROUND_NAME, Array, Mistakes, quote

CLOSE = 1e-6


def add_loops(
    root: Element,
    scene: Scene,
    tree: TreeReader,
    assembly: Assembly,
    defaults: Defaults,
    found: Mistakes,
) -> list[str]:
    """Add a Spherical or Fixed joint for each; returns the names of what was not read."""
    unread = []
    index = 0
    for section in root.all("equality"):
        for element in section.children:
            index += 1
            if element.tag not in ("connect", "weld") or "site1" in element.attributes:
                unread.append(f"equality {element.tag[:60]}")
                continue
            found.take(_one, element, index, scene, tree, assembly, defaults)
    return unread


def _one(
    element: Element,
    index: int,
    scene: Scene,
    tree: TreeReader,
    assembly: Assembly,
    defaults: Defaults,
) -> None:
    given = defaults.applied(element, "main")
    if not flag(given, "active", True):
        return
    first = word(given, "body1")
    second = word(given, "body2", "world")
    ends = [_carrier(given, name, tree, assembly) for name in (first, second)]
    joint: Joint
    if element.tag == "connect":
        position, rotation = tree.poses[first]
        joint = Spherical(position + rotation @ numbers(given, "anchor", 3))
    else:
        _check_relative_pose(given, first, second, tree)
        joint = Fixed(tree.poses[first][0])
    if ends[0] == ends[1]:
        raise InputError(
            f"{element.who} must join two bodies that move apart, got {quote(ends[0])}"
        )
    name = element.attributes.get("name") or f"{element.tag}-{index}"
    scene.add_joint(name, joint, ends[1], ends[0])


def _carrier(element: Element, name: str, tree: TreeReader, assembly: Assembly) -> str:
    """The body of the scene that holds this one."""
    if name not in tree.numbers:
        raise InputError(f"{element.who} names body {quote(name)}, which is not in the model")
    number = tree.numbers[name]
    if number is None:
        return GROUND_NAME
    carried = assembly.carried[number]
    if carried.chain:
        raise InputError(f"{element.who} must join bodies with mass, {quote(name)} has none")
    return carried.body


def _check_relative_pose(element: Element, first: str, second: str, tree: TreeReader) -> None:
    """A weld holds the initial pose; another one cannot be reached by a rigid joint."""
    wanted: Array = numbers(element, "relpose", 7, [0, 1, 0, 0, 0, 0, 0])
    if not np.any(wanted[3:]):
        return
    (x1, r1), (x2, r2) = tree.poses[first], tree.poses[second]
    rotation = from_quaternion(wanted[3:], f"`relpose` of {element.who}")
    off = max(
        float(np.max(np.abs(r1.T @ (x2 - x1) - wanted[:3]))),
        float(np.max(np.abs(r1.T @ r2 - rotation))),
    )
    if off > CLOSE:
        raise InputError(
            f"`relpose` of {element.who} must be the initial pose of {quote(second)} in "
            f"{quote(first)}, it differs by {off:.3g}; place the bodies there or leave it out"
        )
