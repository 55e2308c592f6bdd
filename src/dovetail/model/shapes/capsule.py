"""A round bar with hemispherical ends."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dovetail.model.shapes.revolution import rounded
from dovetail.model.shapes.scene_form import SEGMENTS, Parameter, SceneForm
from dovetail.model.shapes.shape import MassProperties, Shape, size_mistakes
from dovetail.model.surface import Surface
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True, eq=False)
class Capsule(Shape):
    """A cylinder along z with half a ball on each end, centred on its origin.

    `height` [m] is the length of the cylindrical part: the whole is `height` + 2 `radius` long.
    `segments` (a multiple of 4) inscribe its circle. Mass and inertia are those of the true
    capsule.
    """

    radius: Any
    height: Any
    segments: Any = 32

    scene_form: ClassVar = SceneForm(
        (
            Parameter("radius", "positive", "length"),
            Parameter(
                "height", "positive", "length", "of the cylinder between the two half spheres"
            ),
        ),
        (SEGMENTS,),
    )

    def mistakes(self) -> list[str]:
        return size_mistakes(self, "radius", "height", multiple_of=4)

    def surface(self) -> Surface:
        return rounded(float(self.radius), float(self.height), int(self.segments))

    def mass_properties(self) -> MassProperties:
        """V = pi r^2 h + 4/3 pi r^3; a half ball's centre lies 3/8 r from its flat side."""
        r, h = float(self.radius), float(self.height)
        bar, ball = np.pi * r**2 * h, 4 / 3 * np.pi * r**3
        along = bar * r**2 / 2 + 0.4 * ball * r**2
        across = bar * (3 * r**2 + h**2) / 12
        across += ball * (0.4 * r**2 + h**2 / 4 + 3 / 8 * h * r)
        return MassProperties(3, bar + ball, np.zeros(3), np.diag([across, across, along]))
