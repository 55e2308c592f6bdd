"""Elementary rotations and translations between two bodies, combined into one joint.

URDF and MJCF build compound joints from a chain of single rotations and translations with
massless links between them. A chain is exact as one of our joints only where the two have the same
motions:

| chain                                                           | joint       |
|-----------------------------------------------------------------|-------------|
| one rotation                                                    | Revolute    |
| one translation                                                 | Prismatic   |
| a rotation and a translation along parallel axes                | Cylindrical |
| two rotations at right angles whose axes meet                   | Universal   |
| three rotations through one point, neighbours at right angles   | Spherical   |
| two translations and a rotation about the normal of their plane | Planar      |
| three independent translations and three such rotations         | Free        |
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
    "a rotation, a translation, both along one axis, two rotations at right angles through one "
    "point, three such rotations, or two translations with a rotation about their normal"
)


@dataclass(frozen=True, eq=False)
class Movement:
    """One rotation [rad] or translation [m], or more at once, in world coordinates at the start."""

    name: str
    kind: str  # "rotation", "translation", "ball" (about the point), "plane" (normal to the axis)
    point: Array
    axis: Array
    actuation: Actuation = NOTHING_ACTS


def combined_joint(chain: Sequence[Movement]) -> Joint | None:
    """The joint with exactly the motions of the chain (first entry next to the parent), or None.

    Springs, limits and motors go along where the joint has the same coordinates; a chain that
    has them where the joint has not gives None.
    """
    rotations = [m for m in chain if m.kind == "rotation"]
    translations = [m for m in chain if m.kind == "translation"]
    balls = [m for m in chain if m.kind == "ball"]
    counts = (len(rotations), len(translations), len(balls))
    joint: Joint | None = None
    if len(chain) == 1 and chain[0].kind == "plane" and not _acts(chain[0]):
        return Planar(chain[0].point, chain[0].axis)
    if not chain:
        return Fixed(point=(0.0, 0.0, 0.0))
    if counts == (1, 0, 0):
        return Revolute(rotations[0].point, rotations[0].axis, actuation=_acting(rotations))
    if counts == (0, 1, 0):
        return Prismatic(
            translations[0].point, translations[0].axis, actuation=_acting(translations)
        )
    if counts == (1, 1, 0) and _parallel(rotations[0].axis, translations[0].axis):
        return _cylindrical(rotations[0], translations[0])
    if counts == (2, 0, 0):
        return _universal(rotations[0], rotations[1])
    if any(_acts(m) for m in chain) or sum(counts) != len(chain):
        return None
    if counts == (0, 0, 1):
        return Spherical(balls[0].point)
    if counts == (3, 0, 0):
        joint = _spherical(rotations)
    elif counts == (1, 2, 0) and _spans_plane(translations, rotations[0].axis):
        joint = Planar(rotations[0].point, rotations[0].axis)
    elif len(translations) == 3 and _independent(translations):
        rotates = counts == (0, 3, 1) or (counts == (3, 3, 0) and _spherical(rotations) is not None)
        joint = Free() if rotates else None
    return joint


def _cylindrical(rotation: Movement, translation: Movement) -> Joint | None:
    along = translation
    if float(rotation.axis @ translation.axis) < 0:
        if _acts(translation):
            return None  # its coordinate would run the other way
        along = Movement(translation.name, translation.kind, translation.point, -translation.axis)
    return Cylindrical(rotation.point, rotation.axis, actuation=_acting([rotation, along]))


def _universal(first: Movement, second: Movement) -> Joint | None:
    point = _meeting_point(first, second)
    if point is None or abs(float(first.axis @ second.axis)) > AT_RIGHT_ANGLES:
        return None
    return Universal(point, first.axis, axis2=second.axis, actuation=_acting([first, second]))


def _spherical(rotations: list[Movement]) -> Joint | None:
    point = _meeting_point(rotations[0], rotations[1])
    if point is None:
        return None
    for a, b in ((0, 1), (1, 2)):
        if abs(float(rotations[a].axis @ rotations[b].axis)) > AT_RIGHT_ANGLES:
            return None
    off = np.cross(rotations[2].axis, point - rotations[2].point)
    if np.linalg.norm(off) > TOUCHING * _size(rotations):
        return None
    if _parallel(rotations[0].axis, rotations[2].axis):
        return None  # two of the three are the same rotation: the chain starts in gimbal lock
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


def _spans_plane(translations: list[Movement], normal: Array) -> bool:
    flat = all(abs(float(s.axis @ normal)) <= AT_RIGHT_ANGLES for s in translations)
    return flat and not _parallel(translations[0].axis, translations[1].axis)


def _independent(translations: list[Movement]) -> bool:
    return abs(float(np.linalg.det(np.array([s.axis for s in translations])))) > 1e-3


def _parallel(a: Array, b: Array) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) <= AT_RIGHT_ANGLES


def _size(movements: list[Movement]) -> float:
    return 1.0 + max(float(np.max(np.abs(m.point))) for m in movements)


def _acts(movement: Movement) -> bool:
    return movement.actuation != NOTHING_ACTS


def _acting(movements: list[Movement]) -> tuple[Actuation, ...]:
    return tuple(m.actuation for m in movements) if any(map(_acts, movements)) else ()
