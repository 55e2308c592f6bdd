"""A ring with a round section."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dovetail.model.shapes.scene_form import SEGMENTS, Parameter, SceneForm
from dovetail.model.shapes.shape import MassProperties, Shape, size_mistakes
from dovetail.model.surface import Surface
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True, eq=False)
class Torus(Shape):
    """A ring about z: a circle of radius `minor` [m] whose centre runs at radius `major` [m].

    `segments` lie around the ring and half as many (at least 8) around its section. Mass and
    inertia are those of the true torus.
    """

    major: Any
    minor: Any
    segments: Any = 48

    scene_form: ClassVar = SceneForm(
        (
            Parameter("major", "positive", "length", "radius of the circle the tube runs along"),
            Parameter("minor", "positive", "length", "radius of the tube"),
        ),
        (SEGMENTS,),
    )

    def mistakes(self) -> list[str]:
        found = size_mistakes(self, "major", "minor")
        if not found and not float(self.minor) < float(self.major):
            found.append(
                "`minor` of Torus must be smaller than `major`, so that the ring does not meet "
                f"itself, got {float(self.minor):g} and {float(self.major):g} m"
            )
        return found

    def surface(self) -> Surface:
        n, m = int(self.segments), max(8, int(self.segments) // 2)
        around = 2 * np.pi * np.arange(n) / n
        section = 2 * np.pi * np.arange(m) / m
        turn, tilt = np.meshgrid(around, section, indexing="ij")
        radius = float(self.major) + float(self.minor) * np.cos(tilt)
        height = float(self.minor) * np.sin(tilt)
        vertices = np.stack([radius * np.cos(turn), radius * np.sin(turn), height], axis=-1)
        i, j = (index.ravel() for index in np.meshgrid(np.arange(n), np.arange(m), indexing="ij"))
        i_next, j_next = (i + 1) % n, (j + 1) % m
        a, b = i * m + j, i_next * m + j
        c, d = i_next * m + j_next, i * m + j_next
        faces = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
        return Surface.of(vertices.reshape(-1, 3), faces)

    def mass_properties(self) -> MassProperties:
        """V = 2 pi^2 R r^2, I_z = V (R^2 + 3/4 r^2), I_x = V (R^2 / 2 + 5/8 r^2)."""
        R, r = float(self.major), float(self.minor)
        volume = 2 * np.pi**2 * R * r**2
        across, along = volume * (R**2 / 2 + 5 / 8 * r**2), volume * (R**2 + 3 / 4 * r**2)
        return MassProperties(3, volume, np.zeros(3), np.diag([across, across, along]))
