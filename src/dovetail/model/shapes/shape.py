"""What every shape can tell: its surface, its volume integrals, and what is wrong with it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dovetail.errors import InputError
from dovetail.model.shapes.scene_form import SceneForm
from dovetail.model.surface import Surface
from dovetail.model.values import Array, Mistakes, positive, quote

MEASURE_UNITS = {3: "m^3", 2: "m^2", 1: "m", 0: "points"}
DENSITY_UNITS = {3: "kg/m^3", 2: "kg/m^2", 1: "kg/m", 0: "kg per point"}
DIMENSION_NAMES = {3: "solid", 2: "open surface", 1: "wire", 0: "point cloud"}

# The fifth power of a length is an inertia: these limits keep it away from over- and underflow.
SMALLEST_LENGTH, LARGEST_LENGTH = 1e-30, 1e30
MAX_SEGMENTS = 2048  # a torus then has four million triangles


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Integrals of a shape of unit density, in the shape's own frame.

    `measure` is the volume [m^3] of a solid, the area [m^2] of an open surface, the length [m]
    of a wire or the number of points of a cloud; a density is per that unit. It is infinite for
    unbounded shapes.
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
            rotation @ self.inertia @ rotation.T if np.isfinite(self.measure) else self.inertia,
        )

    def weighted(self, weight: float) -> "MassProperties":
        """The same shape with `weight` times the density."""
        return MassProperties(
            self.dimension, weight * self.measure, self.centre, weight * self.inertia
        )


def combined(parts: list[MassProperties]) -> MassProperties:
    """Mass properties of several parts together (parallel axis theorem)."""
    dimension = max(part.dimension for part in parts)
    measure = sum(part.measure for part in parts)
    if not np.isfinite(measure):
        return unbounded(dimension)
    if measure <= 0:
        return MassProperties(dimension, 0.0, np.zeros(3), np.zeros((3, 3)))
    centre = sum((part.measure * part.centre for part in parts), np.zeros(3)) / measure
    inertia = np.zeros((3, 3))
    for part in parts:
        arm = part.centre - centre
        inertia += part.inertia + part.measure * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return MassProperties(dimension, measure, centre, inertia)


def unbounded(dimension: int) -> MassProperties:
    """Infinite measure and moments, centred on the origin."""
    return MassProperties(dimension, np.inf, np.zeros(3), np.diag([np.inf] * 3))


class Shape(ABC):
    """Geometry in its own frame, before a body places it.

    A shape accepts any arguments and tells what is wrong with them in `mistakes`,
    so that a scene can report everything at once. The other methods assume there are none.
    Without a `scene_form`, scene files in SI units give the constructor's arguments by name.
    """

    scene_form: ClassVar[SceneForm | None] = None

    @abstractmethod
    def mistakes(self) -> list[str]:
        """One sentence for each thing wrong with this shape; empty when it is usable."""

    @abstractmethod
    def surface(self) -> Surface:
        """Triangles, edges and points in the shape's frame."""

    @abstractmethod
    def mass_properties(self) -> MassProperties:
        """Exact integrals for unit density, in the shape's frame."""


def length(value: Any, what: str) -> float:
    """A length > 0 m, small and large enough that its fifth power is a number."""
    result = positive(value, what, "m")
    if not SMALLEST_LENGTH <= result <= LARGEST_LENGTH:
        raise InputError(
            f"{what} must be between {SMALLEST_LENGTH:g} and {LARGEST_LENGTH:g} m, "
            f"got {quote(value)}"
        )
    return result


def segment_count(value: Any, what: str, multiple_of: int = 1) -> int:
    """How many straight pieces stand for a circle: an integer from 3 (or 8) on."""
    least = 3 if multiple_of == 1 else 2 * multiple_of
    fits = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (fits and least <= value <= MAX_SEGMENTS and value % multiple_of == 0):
        kind = "an integer" if multiple_of == 1 else f"a multiple of {multiple_of}"
        raise InputError(
            f"{what} must be {kind} between {least} and {MAX_SEGMENTS}, got {quote(value)}"
        )
    return int(value)


def size_mistakes(shape: Shape, *names: str, multiple_of: int = 1) -> list[str]:
    """What is wrong with the lengths `names` and with the `segments` of a primitive."""
    kind = type(shape).__name__
    found = Mistakes()
    for name in names:
        found.take(length, getattr(shape, name), f"`{name}` of {kind}")
    if hasattr(shape, "segments"):
        found.take(segment_count, getattr(shape, "segments"), f"`segments` of {kind}", multiple_of)  # noqa: B009
    return found
