"""A round bar with flat ends."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dovetail.model.shapes.revolution import revolved
from dovetail.model.shapes.scene_form import SEGMENTS, Parameter, SceneForm
from dovetail.model.shapes.shape import MassProperties, Shape, size_mistakes
from dovetail.model.surface import Surface
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True, eq=False)
class Cylinder(Shape):
    """A cylinder of `radius` and `height` [m] along z, centred on its origin.

    Its triangles inscribe the circle with `segments` sides. Mass and inertia are those of the
    true cylinder.
    """

    radius: Any
    height: Any
    segments: Any = 32

    scene_form: ClassVar = SceneForm(
        (
            Parameter("radius", "positive", "length"),
            Parameter("height", "positive", "length"),
        ),
        (SEGMENTS,),
    )

    def mistakes(self) -> list[str]:
        return size_mistakes(self, "radius", "height")

    def surface(self) -> Surface:
        r, half = float(self.radius), float(self.height) / 2
        radii = np.array([0.0, r, r, 0.0])
        return revolved(radii, np.array([-half, -half, half, half]), int(self.segments))

    def mass_properties(self) -> MassProperties:
        """V = pi r^2 h, I_z = V r^2 / 2, I_x = V (3 r^2 + h^2) / 12."""
        r, h = float(self.radius), float(self.height)
        volume = np.pi * r**2 * h
        across, along = volume * (3 * r**2 + h**2) / 12, volume * r**2 / 2
        return MassProperties(3, volume, np.zeros(3), np.diag([across, across, along]))
