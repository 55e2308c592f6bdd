"""The free joint: a place for coordinates, not a constraint."""

from dataclasses import dataclass
from typing import ClassVar

from dovetail.model.joints.joint import Joint
from dovetail.model.joints.motions import FreeMotion, Motion
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True)
class Free(Joint):
    """No constraint: six relative motions."""

    motions: ClassVar[tuple[Motion, ...]] = (FreeMotion(),)
    axes: ClassVar[int] = 0
