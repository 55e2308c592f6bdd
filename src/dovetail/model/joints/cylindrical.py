"""The cylindrical joint."""

from dataclasses import dataclass
from typing import ClassVar

from dovetail.model.joints.equations import Equation, gap, same_axis
from dovetail.model.joints.joint import Joint
from dovetail.model.joints.motions import Motion, Rotation, Translation, X, Y, Z
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True)
class Cylindrical(Joint):
    """A rotation about and a translation along `axis`."""

    motions: ClassVar[tuple[Motion, ...]] = (Rotation(Z), Translation(Z))
    equations: ClassVar[tuple[Equation, ...]] = (gap(X), gap(Y), *same_axis(Z))
