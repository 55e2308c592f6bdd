"""A ball."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from dovetail.model.shapes.revolution import rounded
from dovetail.model.shapes.scene_form import SEGMENTS, Parameter, SceneForm
from dovetail.model.shapes.shape import MassProperties, Shape, size_mistakes
from dovetail.model.surface import Surface
from dovetail.model.values import frozen
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A ball of `radius` [m] about its origin.

    Its triangles have their corners on the sphere; `segments` (a multiple of 4) lie around the
    equator. Mass and inertia are those of the true ball.
    """

    radius: Any
    segments: Any = 32

    scene_form: ClassVar = SceneForm(
        (Parameter("radius", "positive", "length"),),
        (SEGMENTS,),
        bare=True,
        about="A sphere by its radius.",
    )

    def mistakes(self) -> list[str]:
        return size_mistakes(self, "radius", multiple_of=4)

    def surface(self) -> Surface:
        return rounded(float(self.radius), 0.0, int(self.segments))

    def mass_properties(self) -> MassProperties:
        """V = 4/3 pi r^3, I = 2/5 V r^2."""
        return _filled(float(self.radius))


@lru_cache(maxsize=64)  # scenes of many balls have few different ones
def _filled(r: float) -> MassProperties:
    volume = 4 / 3 * np.pi * r**3
    inertia = frozen(0.4 * volume * r**2 * np.eye(3))
    return MassProperties(3, volume, frozen(np.zeros(3)), inertia)
