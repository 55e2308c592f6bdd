"""A round cone."""

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
class Cone(Shape):
    """A cone of base `radius` and `height` [m]; its origin is the centre of the base.

    The tip is at z = height, the centre of mass at height / 4. The base is inscribed with
    `segments` sides. Mass and inertia are those of the true cone.
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
        r, h = float(self.radius), float(self.height)
        return revolved(np.array([0.0, r, 0.0]), np.array([0.0, 0.0, h]), int(self.segments))

    def mass_properties(self) -> MassProperties:
        """V = pi r^2 h / 3, I_z = 3/10 V r^2, I_x = V (3/20 r^2 + 3/80 h^2) about the centre."""
        r, h = float(self.radius), float(self.height)
        volume = np.pi * r**2 * h / 3
        across = volume * (3 / 20 * r**2 + 3 / 80 * h**2)
        inertia = np.diag([across, across, 0.3 * volume * r**2])
        return MassProperties(3, volume, np.array([0.0, 0.0, h / 4]), inertia)
