"""The universal joint, or Cardan joint."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from dovetail.model.joints.equations import Equation, right_angle, same_point
from dovetail.model.joints.joint import DIRECTION, Joint
from dovetail.model.joints.motions import Motion, Rotation, X, Z
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True)
class Universal(Joint):
    """A rotation about `axis`, fixed in the first body, then about `axis2`, fixed in the second."""

    axis2: Any = field(default=(1.0, 0.0, 0.0), metadata=DIRECTION)

    motions: ClassVar[tuple[Motion, ...]] = (Rotation(Z), Rotation(X))
    equations: ClassVar[tuple[Equation, ...]] = (*same_point(), right_angle(Z, X))
    axes: ClassVar[int] = 2
