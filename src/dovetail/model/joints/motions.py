"""The elementary motions that a joint is made of, from its first body to its second.

A joint lists its motions in order. Each moves the frame that the ones before it have left, along
or about one of that frame's axes, so that the relative pose is T_1(q_1) T_2(q_2) ... T_m(q_m).
The joint frame has z along the joint's `axis`, x along its `axis2` or any normal of z.

    motion          q                           v
    Rotation        angle [rad]                 q'
    Translation     displacement [m]            q'
    Helix           angle [rad], which also     q'
                    advances by lead * angle
    BallRotation    quaternion (w, x, y, z)     angular velocity in the child's frame [rad/s]
    FreeMotion      position [m], quaternion    linear and angular velocity of the child's origin,
                                                both in the child's frame
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

X, Y, Z = range(3)
"""The axes of the joint frame."""
AXIS_NAMES = "xyz"
ROTATION, TRANSLATION, HELIX, BALL, FREE = range(5)
"""What the compiled kernels read for each class of motion."""
ANGLE, LENGTH = "angle", "length"


@dataclass(frozen=True)
class Motion:
    """One elementary motion; see the table above."""

    axis: int
    code: ClassVar[int]
    n_q: ClassVar[int] = 1
    n_v: ClassVar[int] = 1
    quantities: ClassVar[tuple[str, ...]]
    """Of each velocity's coordinate: "angle" [rad] or "length" [m]."""
    has_values: ClassVar[bool] = True
    """Whether each velocity is the rate of a number in q, which limits and springs can act on."""


@dataclass(frozen=True)
class Rotation(Motion):
    """About an axis of the joint frame."""

    code: ClassVar[int] = ROTATION
    quantities: ClassVar[tuple[str, ...]] = (ANGLE,)


@dataclass(frozen=True)
class Translation(Motion):
    """Along an axis of the joint frame."""

    code: ClassVar[int] = TRANSLATION
    quantities: ClassVar[tuple[str, ...]] = (LENGTH,)


@dataclass(frozen=True)
class Helix(Motion):
    """About an axis, advancing the joint's `pitch` [m] along it per revolution."""

    code: ClassVar[int] = HELIX
    quantities: ClassVar[tuple[str, ...]] = (ANGLE,)


@dataclass(frozen=True)
class BallRotation(Motion):
    """Any rotation."""

    axis: int = Z  # none of its own
    code: ClassVar[int] = BALL
    n_q: ClassVar[int] = 4
    n_v: ClassVar[int] = 3
    quantities: ClassVar[tuple[str, ...]] = (ANGLE,) * 3
    has_values: ClassVar[bool] = False


@dataclass(frozen=True)
class FreeMotion(Motion):
    """Any displacement and rotation."""

    axis: int = Z  # none of its own
    code: ClassVar[int] = FREE
    n_q: ClassVar[int] = 7
    n_v: ClassVar[int] = 6
    quantities: ClassVar[tuple[str, ...]] = (LENGTH,) * 3 + (ANGLE,) * 3
    has_values: ClassVar[bool] = False


class Coordinate(NamedTuple):
    """One velocity of a joint, on which an `Actuation` can act."""

    motion: Motion
    q: int
    """Where its motion starts in the joint's q."""
    v: int
    """Its place in the joint's v."""
    quantity: str


def coordinates_of(motions: tuple[Motion, ...]) -> tuple[Coordinate, ...]:
    """All coordinates of a joint, in their natural order."""
    found, q, v = [], 0, 0
    for motion in motions:
        found += [Coordinate(motion, q, v + i, what) for i, what in enumerate(motion.quantities)]
        q, v = q + motion.n_q, v + motion.n_v
    return tuple(found)
