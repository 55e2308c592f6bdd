"""What every shape can tell: its surface, its volume integrals, and what is wrong with it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from dovetail.model.surface import Surface
from dovetail.model.values import Array

MEASURE_UNITS = {3: "m^3", 2: "m^2", 1: "m", 0: "points"}


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Integrals of a shape of unit density, in the shape's own frame.

    `measure` is the volume [m^3] of a solid, the area [m^2] of an open surface, the length [m]
    of a wire or the number of points of a cloud; a density is per that unit.
    """

    dimension: int
    measure: float
    centre: Array  # (3,) [m]
    inertia: Array  # (3, 3) about `centre`, for unit density

    def moved(self, rotation: Array, translation: Array) -> "MassProperties":
        """The same shape placed elsewhere: c -> R c + x, I -> R I R^T."""
        return MassProperties(
            self.dimension,
            self.measure,
            rotation @ self.centre + translation,
            rotation @ self.inertia @ rotation.T,
        )


def combined(parts: list[MassProperties]) -> MassProperties:
    """Mass properties of several parts together (parallel axis theorem)."""
    measure = sum(part.measure for part in parts)
    centre = sum((part.measure * part.centre for part in parts), np.zeros(3)) / measure
    inertia = np.zeros((3, 3))
    for part in parts:
        arm = part.centre - centre
        inertia += part.inertia + part.measure * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return MassProperties(max(p.dimension for p in parts), measure, centre, inertia)


class Shape(ABC):
    """Geometry in its own frame, before a body places it.

    A shape accepts any arguments and tells what is wrong with them in `mistakes`,
    so that a scene can report everything at once.
    """

    @abstractmethod
    def mistakes(self) -> list[str]:
        """One sentence for each thing wrong with this shape; empty when it is usable."""

    @abstractmethod
    def surface(self) -> Surface:
        """Triangles, edges and points in the shape's frame."""

    @abstractmethod
    def mass_properties(self) -> MassProperties:
        """Exact integrals for unit density, in the shape's frame."""
