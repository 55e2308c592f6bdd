"""Questions as they are written on a command line: "hinge: -10..180 deg", "0.2 mm"."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from math import radians
from typing import Any

from dovetail.errors import InputError
from dovetail.model.scene import Scene
from dovetail.model.values import quote
from dovetail.prove.verdict import Units

LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254}
ANGLES = {"rad": 1.0, "deg": radians(1.0)}
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
RANGE = re.compile(rf"({NUMBER})\s*\.\.\s*({NUMBER})\s*([a-zA-Z]*)")
LENGTH = re.compile(rf"({NUMBER})\s*([a-zA-Z]*)")


def length_in_si(text: str, what: str) -> float:
    """[m] of a text such as "0.2 mm"; a bare number is in metres."""
    match = LENGTH.fullmatch(text.strip())
    if match is None or (match[2] or "m") not in LENGTHS:
        units = ", ".join(LENGTHS)
        raise InputError(
            f'{what} must be a length such as "0.2 mm" (units: {units}), got {quote(text)}'
        )
    return float(match[1]) * LENGTHS[match[2] or "m"]


def sweeps_in_si(texts: Iterable[str], scene: Scene) -> tuple[dict[str, Any], Units]:
    """{joint: (from, to)} [rad or m] of texts such as "hinge: 0..90 deg", and their units."""
    found: list[str] = []
    sweeps: dict[str, Any] = {}
    units: dict[str, tuple[str, float]] = {}
    for text in texts:
        try:
            name, sweeps_to, unit = _sweep(text, scene)
            sweeps[name], units[name] = sweeps_to, unit
        except InputError as error:
            found += error.mistakes
    if found:
        raise InputError(found)
    return sweeps, units


def _sweep(text: str, scene: Scene) -> tuple[str, tuple[float, float], tuple[str, float]]:
    name, colon, rest = (part.strip() for part in text.partition(":"))
    match = RANGE.fullmatch(rest)
    if not colon or match is None:
        raise InputError(
            f'a sweep must be written "joint: from..to unit", such as "hinge: 0..90 deg", got '
            f"{quote(text)}"
        )
    if name not in scene.joints:
        close = get_close_matches(name, list(scene.joints), 1)
        hint = f"; did you mean {quote(close[0])}?" if close else ""
        known = ", ".join(list(scene.joints)[:8]) or "none"
        raise InputError(f"no joint is named {quote(name)} (there are: {known}){hint}")
    joint = scene.joints[name][0]
    if len(joint.coordinates) != 1:
        raise InputError(
            f"joint {quote(name)} is {joint.kind}, with {len(joint.coordinates)} coordinates; "
            "write its ranges in the `prove` section of a scene file"
        )
    units = ANGLES if joint.coordinates[0].quantity == "angle" else LENGTHS
    unit = match[3]
    if unit not in units:
        raise InputError(
            f"the range of joint {quote(name)} must have one of the units {', '.join(units)}, got "
            f"{quote(unit or text)}"
        )
    size = units[unit]
    return name, (float(match[1]) * size, float(match[2]) * size), (unit, size)
