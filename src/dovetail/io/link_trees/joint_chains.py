"""Elementary turns and slides between two bodies, combined into one joint.

URDF and MJCF build compound joints from a chain of single turns and slides with massless links
between them. A chain is exact as one of our joints only where the two have the same motions:

| chain                                                    | joint       |
|----------------------------------------------------------|-------------|
| one turn                                                 | Revolute    |
| one slide                                                | Prismatic   |
| a turn and a slide along parallel axes                   | Cylindrical |
| two turns at right angles whose axes meet                | Universal   |
| three turns through one point, neighbours at right angles| Spherical   |
| two slides and a turn about the normal of their plane    | Planar      |
| three independent slides and three such turns            | Free        |
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dovetail.model.joints import (
    Actuation,
    Cylindrical,
    Fixed,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from dovetail.model.values import Array

AT_RIGHT_ANGLES = 1e-6
TOUCHING = 1e-9  # relative to the size of the coordinates
NOTHING_ACTS = Actuation()
WHAT_WORKS = (
    "a turn, a slide, both along one axis, two turns at right angles through one point, three "
    "such turns, or two slides with a turn about their normal"
)


@dataclass(frozen=True, eq=False)
class Movement:
    """One turn [rad] or slide [m], or more at once, in world coordinates at the start."""

    name: str
    kind: str  # "turn", "slide", "ball" (any turn about the point), "plane" (normal to the axis)
    point: Array
    axis: Array
    actuation: Actuation = NOTHING_ACTS


def combined_joint(chain: Sequence[Movement]) -> Joint | None:
    """The joint with exactly the motions of the chain (first entry next to the parent), or None.

    Springs, limits and motors go along where the joint has the same coordinates; a chain that
    has them where the joint has not gives None.
    """
    turns = [m for m in chain if m.kind == "turn"]
    slides = [m for m in chain if m.kind == "slide"]
    balls = [m for m in chain if m.kind == "ball"]
    counts = (len(turns), len(slides), len(balls))
    joint: Joint | None = None
    if len(chain) == 1 and chain[0].kind == "plane" and not _acts(chain[0]):
        return Planar(chain[0].point, chain[0].axis)
    if not chain:
        return Fixed(point=(0.0, 0.0, 0.0))
    if counts == (1, 0, 0):
        return Revolute(turns[0].point, turns[0].axis, actuation=_acting(turns))
    if counts == (0, 1, 0):
        return Prismatic(slides[0].point, slides[0].axis, actuation=_acting(slides))
    if counts == (1, 1, 0) and _parallel(turns[0].axis, slides[0].axis):
        return _cylindrical(turns[0], slides[0])
    if counts == (2, 0, 0):
        return _universal(turns[0], turns[1])
    if any(_acts(m) for m in chain) or sum(counts) != len(chain):
        return None
    if counts == (0, 0, 1):
        return Spherical(balls[0].point)
    if counts == (3, 0, 0):
        joint = _spherical(turns)
    elif counts == (1, 2, 0) and _spans_plane(slides, turns[0].axis):
        joint = Planar(turns[0].point, turns[0].axis)
    elif len(slides) == 3 and _independent(slides):
        rotates = counts == (0, 3, 1) or (counts == (3, 3, 0) and _spherical(turns) is not None)
        joint = Free() if rotates else None
    return joint


def _cylindrical(turn: Movement, slide: Movement) -> Joint | None:
    along = slide
    if float(turn.axis @ slide.axis) < 0:
        if _acts(slide):
            return None  # its coordinate would run the other way
        along = Movement(slide.name, slide.kind, slide.point, -slide.axis)
    return Cylindrical(turn.point, turn.axis, actuation=_acting([turn, along]))


def _universal(first: Movement, second: Movement) -> Joint | None:
    point = _meeting_point(first, second)
    if point is None or abs(float(first.axis @ second.axis)) > AT_RIGHT_ANGLES:
        return None
    return Universal(point, first.axis, axis2=second.axis, actuation=_acting([first, second]))


def _spherical(turns: list[Movement]) -> Joint | None:
    point = _meeting_point(turns[0], turns[1])
    if point is None:
        return None
    for a, b in ((0, 1), (1, 2)):
        if abs(float(turns[a].axis @ turns[b].axis)) > AT_RIGHT_ANGLES:
            return None
    off = np.cross(turns[2].axis, point - turns[2].point)
    if np.linalg.norm(off) > TOUCHING * _size(turns):
        return None
    if _parallel(turns[0].axis, turns[2].axis):
        return None  # two of the three are the same turn: the chain starts in gimbal lock
    return Spherical(point)


def _meeting_point(a: Movement, b: Movement) -> Array | None:
    """Where two axes meet, or None."""
    across = np.cross(a.axis, b.axis)
    square = float(across @ across)
    if square < 1e-12:
        return None
    between = b.point - a.point
    if abs(float(between @ across)) > TOUCHING * _size([a, b]):
        return None
    along = float(np.cross(between, b.axis) @ across) / square
    return np.asarray(a.point + along * a.axis)


def _spans_plane(slides: list[Movement], normal: Array) -> bool:
    flat = all(abs(float(s.axis @ normal)) <= AT_RIGHT_ANGLES for s in slides)
    return flat and not _parallel(slides[0].axis, slides[1].axis)


def _independent(slides: list[Movement]) -> bool:
    return abs(float(np.linalg.det(np.array([s.axis for s in slides])))) > 1e-3


def _parallel(a: Array, b: Array) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) <= AT_RIGHT_ANGLES


def _size(movements: list[Movement]) -> float:
    return 1.0 + max(float(np.max(np.abs(m.point))) for m in movements)


def _acts(movement: Movement) -> bool:
    return movement.actuation != NOTHING_ACTS


def _acting(movements: list[Movement]) -> tuple[Actuation, ...]:
    return tuple(m.actuation for m in movements) if any(map(_acts, movements)) else ()
