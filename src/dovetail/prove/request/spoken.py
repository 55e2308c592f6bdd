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
VALUES = re.compile(rf"({NUMBER}(?:\s*,\s*{NUMBER})+)\s*([a-zA-Z]*)")
PLACE = rf"\(\s*{NUMBER}\s*,\s*{NUMBER}\s*,\s*{NUMBER}\s*\)"
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


def paths_in_si(texts: Iterable[str], scene: Scene) -> tuple[dict[str, Any], Units]:
    """{joint: values} [rad or m] of texts such as "push: 0, 10, 10 mm", and their units."""
    paths: dict[str, Any] = {}
    units: dict[str, tuple[str, float]] = {}
    for text in texts:
        name, colon, rest = (part.strip() for part in text.partition(":"))
        match = VALUES.fullmatch(rest)
        if not colon or match is None:
            raise InputError(
                'a path must be written "joint: value, value, ... unit", such as '
                f'"push: 0, 10, 10 mm", got {quote(text)}'
            )
        unit, size = _unit_of(name, match[2], scene, text)
        paths[name] = tuple(float(word) * size for word in match[1].split(","))
        units[name] = unit, size
    return paths, units


def assembly_in_si(text: str, scene: Scene) -> tuple[dict[str, Any], Units]:
    """{part: "up" or places} [m] of "peg: up" or "peg: (0, 0, 40), (0, 0, 10) mm"."""
    name, colon, rest = (part.strip() for part in text.partition(":"))
    places = re.findall(PLACE, rest)
    unit = rest.rpartition(")")[2].strip()
    left = re.sub(PLACE, "", rest.rpartition(")")[0] + ")") if places else rest
    if not colon or (rest != "up" and (not places or left.strip(" ,") or unit not in LENGTHS)):
        raise InputError(
            'an assembly must be written "part: up" or "part: (x, y, z), ... unit", such as '
            f'"peg: (0, 0, 40) mm", got {quote(text)}'
        )
    if name not in scene.bodies:
        close = get_close_matches(name, list(scene.bodies), 1)
        hint = f"; did you mean {quote(close[0])}?" if close else ""
        raise InputError(f"no part is named {quote(name)}{hint}")
    if rest == "up":
        return {name: "up"}, {name: ("mm", 1e-3)}
    size = LENGTHS[unit]
    path = [tuple(size * float(word) for word in re.findall(NUMBER, place)) for place in places]
    return {name: path}, {name: (unit, size)}


def _unit_of(name: str, unit: str, scene: Scene, text: str) -> tuple[str, float]:
    """The unit of a joint with one coordinate, and its size in SI."""
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
    if unit not in units:
        raise InputError(
            f"the range of joint {quote(name)} must have one of the units {', '.join(units)}, got "
            f"{quote(unit or text)}"
        )
    return unit, units[unit]


def _sweep(text: str, scene: Scene) -> tuple[str, tuple[float, float], tuple[str, float]]:
    """A range; the type of the joint may stand before it, as in "push: prismatic 0..12 mm"."""
    name, colon, rest = (part.strip() for part in text.partition(":"))
    kind, _, after = rest.partition(" ")
    if name in scene.joints and kind == scene.joints[name][0].kind:
        rest = after.strip()
    match = RANGE.fullmatch(rest)
    if not colon or match is None:
        raise InputError(
            f'a sweep must be written "joint: from..to unit", such as "hinge: 0..90 deg", got '
            f"{quote(text)}"
        )
    unit, size = _unit_of(name, match[3], scene, text)
    return name, (float(match[1]) * size, float(match[2]) * size), (unit, size)
