"""Joint types of the tests: lists of motions that no joint of the package has."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from dovetail.model.joints import (
    DIRECTION,
    LENGTH,
    BallRotation,
    Helix,
    Joint,
    Rotation,
    Translation,
    X,
    Y,
    Z,
)


@dataclass(frozen=True)
class TwoAxes(Joint):
    axis2: Any = field(default=(1.0, 0.0, 0.0), metadata=DIRECTION)
    pitch: Any = field(default=0.0, metadata=LENGTH)
    axes: ClassVar = 2


class Gimbal(TwoAxes):
    motions: ClassVar = (Rotation(Z), Rotation(X), Rotation(Y))


class Telescope(TwoAxes):
    motions: ClassVar = (Rotation(Z), Rotation(Y), Translation(X))


class SlotInSlot(TwoAxes):
    motions: ClassVar = (Translation(X), Rotation(Z), Translation(X))


class ScrewedArm(TwoAxes):
    motions: ClassVar = (Helix(Y), Translation(Z), Rotation(X))


class BallOnRail(TwoAxes):
    motions: ClassVar = (Translation(Y), BallRotation())


class BallWithRod(TwoAxes):
    motions: ClassVar = (BallRotation(), Translation(Z))


WITH_VALUES = (Gimbal, Telescope, SlotInSlot, ScrewedArm)
COMPOSED = (*WITH_VALUES, BallOnRail, BallWithRod)
