"""The planar joint."""

from dataclasses import dataclass
from typing import ClassVar

from dovetail.model.joints.equations import Equation, gap, same_axis
from dovetail.model.joints.joint import Joint
from dovetail.model.joints.motions import Motion, Rotation, Translation, X, Y, Z
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True)
class Planar(Joint):
    """Two translations in the plane with normal `axis`, and a rotation about it."""

    motions: ClassVar[tuple[Motion, ...]] = (Translation(X), Translation(Y), Rotation(Z))
    equations: ClassVar[tuple[Equation, ...]] = (gap(Z), *same_axis(Z))
