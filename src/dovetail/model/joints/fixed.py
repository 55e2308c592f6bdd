"""The fixed joint, or weld."""

from dataclasses import dataclass
from typing import ClassVar

from dovetail.model.joints.equations import Equation, same_directions, same_point
from dovetail.model.joints.joint import Joint
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True)
class Fixed(Joint):
    """No relative motion."""

    equations: ClassVar[tuple[Equation, ...]] = (*same_point(), *same_directions())
    axes: ClassVar[int] = 0
