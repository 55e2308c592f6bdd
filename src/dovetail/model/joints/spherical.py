"""The spherical joint, or ball joint."""

from dataclasses import dataclass
from typing import ClassVar

from dovetail.model.joints.equations import Equation, same_point
from dovetail.model.joints.joint import Joint
from dovetail.model.joints.motions import BallRotation, Motion
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True)
class Spherical(Joint):
    """Any rotation about `point`."""

    motions: ClassVar[tuple[Motion, ...]] = (BallRotation(),)
    equations: ClassVar[tuple[Equation, ...]] = same_point()
    axes: ClassVar[int] = 0
