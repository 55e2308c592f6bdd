"""Angles of joints that look like degrees."""

from collections.abc import Mapping
from math import pi
from typing import Any

from dovetail.model.joints import Joint
from dovetail.model.values import quote
from dovetail.scene_check.finding import Finding, merged

TURNS = 4 * pi  # [rad] limits of joints are rarely farther
NO_LIMIT = 1e3  # [rad] what is farther stands for no limit at all


def find_degrees(joints: Mapping[str, tuple[Any, str, str]]) -> list[Finding]:
    """Limits and rests of rotations that are many turns away."""
    found = []
    for name, (joint, _, _) in joints.items():
        if not isinstance(joint, Joint) or joint.mistakes(name):
            continue
        for entry, coordinate in zip(joint.actuation, joint.coordinates):
            if coordinate.quantity != "angle":
                continue
            for what in ("lower", "upper", "rest"):
                value = getattr(entry, what)
                if value is not None and TURNS < abs(float(value)) < NO_LIMIT:
                    found.append(_finding(name, what, float(value)))
                    break
    return [merged(found[0], [one.subject[0] for one in found])] if found else []


def _finding(name: str, what: str, value: float) -> Finding:
    return Finding(
        "warning",
        "units",
        (name,),
        f"`{what}` of joint {quote(name)} is {value:g} rad, {abs(value) / (2 * pi):.2g} turns; "
        f"angles are in rad: {value:g} degrees are {value * pi / 180:.4g} rad",
    )


def find_degrees_at_the_start(
    start: Mapping[str, tuple[float, ...]], joints: Mapping[str, tuple[Any, str, str]]
) -> list[Finding]:
    """Coordinates of rotations that `set_state` was given and that are many turns."""
    found = []
    for name, values in start.items():
        if name not in joints:
            continue
        for value, coordinate in zip(values, joints[name][0].coordinates):
            if coordinate.quantity == "angle" and TURNS < abs(value) < NO_LIMIT:
                found.append(_finding(name, "q", value))
                break
    return [merged(found[0], [one.subject[0] for one in found])] if found else []
