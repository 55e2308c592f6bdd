"""Everything below a plane."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dovetail.model.shapes.scene_form import Parameter, SceneForm
from dovetail.model.shapes.shape import MassProperties, Shape, length, unbounded
from dovetail.model.surface import Surface
from dovetail.model.values import Array, CopiedFields, Mistakes, unit_vector3
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True, eq=False)
class HalfSpace(CopiedFields, Shape):
    """The solid below the plane through its origin with outward `normal`; it has no end.

    Pictures and methods that need triangles see a square of side `extent` [m] about the origin.
    Its mass is infinite, so only static and kinematic bodies can have it.
    """

    normal: Any = (0.0, 0.0, 1.0)
    extent: Any = 10.0

    scene_form: ClassVar = SceneForm(
        (Parameter("normal", "vector"),),
        (Parameter("extent", "positive", "length"),),
        bare=True,
        about="All that lies below the plane through the origin with this outward normal.",
    )

    def mistakes(self) -> list[str]:
        found = Mistakes()
        found.take(unit_vector3, self.normal, "`normal` of HalfSpace")
        found.take(length, self.extent, "`extent` of HalfSpace")
        return found

    @property
    def unit_normal(self) -> Array:
        """(3,) of length 1, pointing out of the solid."""
        return unit_vector3(self.normal, "`normal` of HalfSpace")

    def surface(self) -> Surface:
        normal = self.unit_normal
        across = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
        across /= np.linalg.norm(across)
        along = np.cross(normal, across)
        half = float(self.extent) / 2
        corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
        return Surface.of([a * across + b * along for a, b in corners], [(0, 1, 2), (0, 2, 3)])

    def mass_properties(self) -> MassProperties:
        return unbounded(3)
