"""The prismatic joint, or slider."""

from dataclasses import dataclass
from typing import ClassVar

from dovetail.model.joints.equations import Equation, gap, same_directions
from dovetail.model.joints.joint import Joint
from dovetail.model.joints.motions import Motion, Translation, X, Y, Z
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True)
class Prismatic(Joint):
    """A translation along `axis`."""

    motions: ClassVar[tuple[Motion, ...]] = (Translation(Z),)
    equations: ClassVar[tuple[Equation, ...]] = (gap(X), gap(Y), *same_directions())
