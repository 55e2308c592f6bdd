"""The revolute joint, or hinge."""

from dataclasses import dataclass
from typing import ClassVar

from dovetail.model.joints.equations import Equation, same_axis, same_point
from dovetail.model.joints.joint import Joint
from dovetail.model.joints.motions import Motion, Rotation, Z
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True)
class Revolute(Joint):
    """A rotation about `axis` through `point`."""

    motions: ClassVar[tuple[Motion, ...]] = (Rotation(Z),)
    equations: ClassVar[tuple[Equation, ...]] = (*same_point(), *same_axis(Z))
