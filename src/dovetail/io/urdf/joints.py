"""How a URDF joint lets its link move, and what acts along it."""

import numpy as np

from dovetail.errors import InputError
from dovetail.io.link_trees.link import Link, Movement
from dovetail.io.written_rotations import direction
from dovetail.io.xml.elements import Element
from dovetail.io.xml.values import choice, number, numbers, word
from dovetail.model.couplings import Coupling
from dovetail.model.joints import Actuation
from dovetail.model.scene import Scene
from dovetail.model.values import Array, Mistakes, quote
from dovetail.runtime.registry import did_you_mean

JOINT_TYPES = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")


def connect(link: Link, joint: Element) -> None:
    """Let `link` (already placed) move against its parent as `joint` says."""
    kind = choice(joint, "type", JOINT_TYPES, "")
    if kind == "floating":
        link.free = True
    if kind in ("floating", "fixed"):
        return
    found = Mistakes()
    axis = found.take(_axis, joint)
    acting = found.take(_actuation, joint, kind)
    found.raise_if_any()
    assert axis is not None and acting is not None
    move = {"prismatic": "translation", "planar": "plane"}.get(kind, "rotation")
    acts = () if acting == Actuation() else (acting,) * (3 if kind == "planar" else 1)
    link.movements = (Movement(link.joint, move, link.position, link.rotation @ axis, acts),)


def _axis(joint: Element) -> Array:
    element = joint.first("axis")
    if element is None:
        return np.array([1.0, 0.0, 0.0])
    return direction(numbers(element, "xyz", 3), f"`xyz` of the axis of {joint.who}")


def _actuation(joint: Element, kind: str) -> Actuation:
    limit, dynamics = joint.first("limit"), joint.first("dynamics")
    none = Element("dynamics", {}, joint.line)
    found = Mistakes()
    values: dict[str, float | None] = {}
    if limit is None and kind in ("revolute", "prismatic"):
        found.append(
            f"{joint.who} of type {kind} must have a <limit>; use type continuous for none"
        )
    if limit is not None:
        if kind in ("revolute", "prismatic"):
            values["lower"] = found.take(number, limit, "lower", 0.0)
            values["upper"] = found.take(number, limit, "upper", 0.0)
        effort = found.take(number, limit, "effort", 0.0)
        speed = found.take(number, limit, "velocity", 0.0)
        values["effort_limit"] = effort if effort and effort > 0 else None
        values["velocity_limit"] = speed if speed and speed > 0 else None
    if kind == "planar":
        values = {}
    damping = found.take(number, dynamics or none, "damping", 0.0)
    friction = found.take(number, dynamics or none, "friction", 0.0)
    found.raise_if_any()
    acting = Actuation(**values, damping=damping or 0.0, friction=friction or 0.0)  # type: ignore[arg-type]
    found.extend(acting.mistakes(joint.who))
    found.raise_if_any()
    return acting


def couple(name: str, joint: Element, scene: Scene) -> None:
    """Let a joint with <mimic> follow the other: q = multiplier * q_other + offset."""
    mimic = joint.first("mimic")
    if mimic is None or name not in scene.joints or not scene.joints[name][0].freedoms:
        return
    other = word(mimic, "joint")
    if other == name:
        raise InputError(f"{mimic.who} of {joint.who} must name another joint, got its own name")
    if other not in scene.joints or not scene.joints[other][0].freedoms:
        raise InputError(
            f"{mimic.who} of {joint.who} must name a joint that moves, got {quote(other)}"
            + did_you_mean(other, [one for one in scene.joints if one != name])
        )
    multiplier, offset = number(mimic, "multiplier", 1.0), number(mimic, "offset", 0.0)
    scene.add_coupling(name, Coupling({name: 1.0, other: -multiplier}, offset=offset))
