"""The screw joint, or helical joint."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from dovetail.model.joints.equations import Equation, gap, helix, same_axis
from dovetail.model.joints.joint import LENGTH, Joint
from dovetail.model.joints.motions import Helix, Motion, X, Y, Z
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True)
class Screw(Joint):
    """A rotation about `axis` that advances `pitch` [m per revolution] along it."""

    pitch: Any = field(default=0.0, metadata=LENGTH | {"unit": "m per turn"})

    motions: ClassVar[tuple[Motion, ...]] = (Helix(Z),)
    equations: ClassVar[tuple[Equation, ...]] = (gap(X), gap(Y), helix(Z), *same_axis(Z))
