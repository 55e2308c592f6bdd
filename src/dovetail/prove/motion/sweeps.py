"""The joint coordinates that a question sweeps, and their screws at the initial pose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from dovetail.errors import InputError
from dovetail.model.frozen import Model, PlacedJoint
from dovetail.model.joints.motions import BallRotation, Helix, Rotation, Translation
from dovetail.model.values import Array, Mistakes, number, quote
from dovetail.multibody.constraints.joint_rows import joint_frame


@dataclass(frozen=True, eq=False)
class Coordinate:
    """One swept coordinate of a joint and its range, 0 at the initial pose."""

    name: str  # of the joint; with " (n)" where the joint has several coordinates
    joint: int  # its number in the model
    number: int  # which of the joint's coordinates
    low: float  # [rad or m]
    high: float
    quantity: str  # "angle" or "length"


def swept_coordinates(model: Model, sweep: Any, directed: bool = False) -> list[Coordinate]:
    """The coordinates that `sweep`, {joint: (from, to)}, names; raises one InputError.

    Of a `directed` motion `from` may be larger than `to`.
    """
    if not isinstance(sweep, Mapping) or not sweep:
        raise InputError(
            "`sweep` must name at least one joint and its range, such as "
            f"{{'hinge': (0, 1.57)}} [rad or m], got {quote(sweep)}"
        )
    found, coordinates = Mistakes(), []
    numbers = {placed.name: k for k, placed in enumerate(model.joints)}
    for name, wanted in sweep.items():
        if name not in numbers:
            found.append(_unknown(name, list(numbers)))
            continue
        placed = model.joints[numbers[name]]
        made = found.take(_coordinates_of, placed, numbers[name], wanted, directed)
        coordinates += made or []
    found.raise_if_any()
    return coordinates


def _unknown(name: Any, known: list[str]) -> str:
    close = get_close_matches(str(name), known, 1)
    hint = f"; did you mean {quote(close[0])}?" if close else ""
    has = ", ".join(known[:8]) or "none"
    return f"`sweep` names joint {quote(name)}, which is not in the scene (it has: {has}){hint}"


def _coordinates_of(
    placed: PlacedJoint, joint: int, wanted: Any, directed: bool
) -> list[Coordinate]:
    coordinates = placed.joint.coordinates
    who = f"`sweep` of joint {quote(placed.name)}"
    if any(not one.motion.has_values for one in coordinates):
        raise InputError(
            f"{who}: a {placed.joint.kind} joint has no single angle to sweep; use universal or "
            "revolute joints"
        )
    if not coordinates:
        raise InputError(f"{who}: a {placed.joint.kind} joint does not move")
    ranges = [wanted] if len(coordinates) == 1 else wanted
    if not isinstance(ranges, Sequence) or len(ranges) != len(coordinates):
        raise InputError(
            f"{who} must be {len(coordinates)} pairs (from, to), one for each of its coordinates "
            f"(None for one that stays), got {quote(wanted)}"
        )
    made = []
    for k, (coordinate, pair) in enumerate(zip(coordinates, ranges, strict=True)):
        if pair is None:
            continue
        low, high = _range(pair, who, directed)
        name = placed.name if len(coordinates) == 1 else f"{placed.name} ({k + 1})"
        made.append(Coordinate(name, joint, k, low, high, coordinate.quantity))
    return made


def coordinates_of_joint(placed: PlacedJoint, joint: int) -> list[Coordinate]:
    """All coordinates of a joint, as followers: without a range."""
    kinds = [
        quantity
        for one in placed.joint.coordinates
        for quantity in ([one.quantity] if one.motion.has_values else ["angle"])
    ]
    many = len(kinds) > 1
    return [
        Coordinate(f"{placed.name} ({k + 1})" if many else placed.name, joint, k, 0.0, 0.0, kind)
        for k, kind in enumerate(kinds)
    ]


def _range(pair: Any, who: str, directed: bool) -> tuple[float, float]:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise InputError(f"{who} must be a pair (from, to) [rad or m], got {quote(pair)}")
    low, high = (number(value, who, "rad or m") for value in pair)
    if low > high and not directed:
        raise InputError(
            f"{who} must go from the smaller to the larger value; the order has no meaning in a "
            "sweep, only `drive` has a direction"
        )
    return min(low, high), max(low, high)


def screws_of(placed: PlacedJoint) -> Array:
    """(n, 6) w, v of each coordinate in world axes at the initial pose, body b against body a."""
    joint = placed.joint
    frame, point = joint_frame(joint), np.asarray(joint.point, dtype=float)
    rows = np.zeros((len(joint.coordinates), 6))
    for k, (row, coordinate) in enumerate(zip(rows, joint.coordinates, strict=True)):
        if isinstance(coordinate.motion, BallRotation):  # as three turns one after the other
            row[:3], row[3:] = frame[k], np.cross(point, frame[k])
            continue
        axis = frame[coordinate.motion.axis]
        if isinstance(coordinate.motion, Translation):
            row[3:] = axis
            continue
        assert isinstance(coordinate.motion, Rotation | Helix)
        row[:3], row[3:] = axis, np.cross(point, axis)
        if isinstance(coordinate.motion, Helix):
            row[3:] += joint.lead * axis
    return rows
