"""Joints as they are written on a command line, for assemblies that come without any.

    "hinge: revolute leaf_b about pin, -10..180 deg"
    "slide: prismatic drawer along x, 0..120 mm"
    "elbow: revolute hand about (0, 0, 1) through (10, 0, 5) mm on arm, 0..90 deg"

A part that is named after "about" or "along" gives the axis of its cylindrical faces. "on" names
the part that the joint is attached to; by default it stays in place.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from dovetail.errors import InputError
from dovetail.io.cad.parts import Part
from dovetail.model.joints import Joint, Prismatic, Revolute
from dovetail.model.values import Array, quote
from dovetail.prove.request.coaxial import Axis, axes_of
from dovetail.prove.request.spoken import ANGLES, LENGTHS, NUMBER, RANGE

TRIPLE = rf"\(\s*{NUMBER}\s*,\s*{NUMBER}\s*,\s*{NUMBER}\s*\)"
JOINT = re.compile(
    r"(?P<name>[^:]+):\s*(?P<kind>[A-Za-z_-]+)\s+(?P<part>.+?)"
    r"(?:\s+(?:about|along)\s+(?P<axis>.+?))?"
    rf"(?:\s+through\s+(?P<through>{TRIPLE})\s*(?P<unit>[a-z]+))?"
    r"(?:\s+on\s+(?P<parent>.+?))?"
    r"\s*,\s*(?P<range>[^,]+)$"
)
KINDS = {"revolute": Revolute, "prismatic": Prismatic}
DIRECTIONS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
FORM = '"name: revolute part about axis-or-part, from..to deg"'


@dataclass(frozen=True, eq=False)
class SpokenJoint:
    """One joint of the command line."""

    name: str
    joint: Joint
    parent: str  # a part, or "ground"
    part: str  # that moves
    sweep: tuple[float, float]  # [rad or m]
    unit: tuple[str, float]


def spoken_joints(texts: Iterable[str], parts: list[Part]) -> list[SpokenJoint]:
    """The joints of several texts; raises one InputError with all mistakes."""
    made, mistakes = list[SpokenJoint](), list[str]()
    for text in texts:
        try:
            made.append(spoken_joint(text, parts))
        except InputError as error:
            mistakes += error.mistakes
    if mistakes:
        raise InputError(mistakes)
    return made


def spoken_joint(text: str, parts: list[Part]) -> SpokenJoint:
    """The joint of a text; raises InputError with what would be right."""
    match = JOINT.fullmatch(text.strip())
    span = RANGE.fullmatch(match["range"].strip()) if match else None
    if match is None or span is None:
        raise InputError(f"a joint must be written {FORM}, got {quote(text)}")
    kind = match["kind"]
    if kind not in KINDS:
        raise InputError(
            f"the type of joint {quote(match['name'].strip())} must be one of {', '.join(KINDS)}, "
            f"got {quote(kind)}"
        )
    part = _named(match["part"].strip(), parts)
    parent = _named(match["parent"].strip(), parts).name if match["parent"] else "ground"
    units = ANGLES if kind == "revolute" else LENGTHS
    if span[3] not in units:
        raise InputError(
            f"the range of joint {quote(match['name'].strip())} must have one of the units "
            f"{', '.join(units)}, got {quote(span[3] or match['range'])}"
        )
    axis = _axis(match["axis"], part, parts)
    point = np.array(axis.point)
    if match["through"]:
        if match["unit"] not in LENGTHS:
            raise InputError(f"the point of {quote(text)} must have a unit: {', '.join(LENGTHS)}")
        point = LENGTHS[match["unit"]] * _triple(match["through"])
    made = KINDS[kind](point=tuple(point.tolist()), axis=axis.direction)
    size = units[span[3]]
    sweep = (float(span[1]) * size, float(span[2]) * size)
    return SpokenJoint(match["name"].strip(), made, parent, part.name, sweep, (span[3], size))


def _named(name: str, parts: list[Part]) -> Part:
    for part in parts:
        if part.name == name:
            return part
    known = [part.name for part in parts]
    close = get_close_matches(name, known, 1)
    hint = f"; did you mean {quote(close[0])}?" if close else ""
    raise InputError(f"no part is named {quote(name)} (there are: {', '.join(known[:12])}){hint}")


def _axis(text: str | None, part: Part, parts: list[Part]) -> Axis:
    if text is None:
        return _only_axis(part, f"part {quote(part.name)}")
    text = text.strip()
    if text in DIRECTIONS:
        return Axis((0.0, 0.0, 0.0), DIRECTIONS[text], 0.0)
    if re.fullmatch(TRIPLE, text):
        direction = _triple(text)
        if not np.linalg.norm(direction) > 0.0:
            raise InputError(f"the axis must not be zero, got {quote(text)}")
        unit = direction / np.linalg.norm(direction)
        return Axis((0.0, 0.0, 0.0), (float(unit[0]), float(unit[1]), float(unit[2])), 0.0)
    other = _named(text, parts)
    return _only_axis(other, f"part {quote(other.name)}")


def _only_axis(part: Part, who: str) -> Axis:
    found = axes_of(part)
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError(
            f"{who} has no cylindrical face that would give an axis; write the axis, such as "
            '"about z through (10, 0, 5) mm"'
        )
    places = "; ".join(str(axis) for axis in found[:4])
    raise InputError(
        f"{who} has cylindrical faces about {len(found)} axes ({places}); name a part with one, or "
        'write the axis, such as "about z through (10, 0, 5) mm"'
    )


def _triple(text: str) -> Array:
    return np.array([float(word) for word in re.findall(NUMBER, text)])
