"""Units a scene may be written in, and their way to SI.

A quantity with dimension length^L mass^M time^T angle^A is multiplied by the product of its
units' factors to those powers. Factors are exact fractions (pi/180 apart), applied as one
multiplication and one division, so that 1.1 mm is the same double as 0.0011 m.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

LENGTHS = {
    "m": Fraction(1), "km": Fraction(1000), "cm": Fraction(1, 100), "mm": Fraction(1, 1000),
    "um": Fraction(1, 10**6), "in": Fraction(254, 10**4), "ft": Fraction(3048, 10**4),
}  # fmt: skip
MASSES = {
    "kg": Fraction(1), "g": Fraction(1, 1000), "mg": Fraction(1, 10**6), "t": Fraction(1000),
    "lb": Fraction(45359237, 10**8),
}  # fmt: skip
TIMES = {
    "s": Fraction(1), "ms": Fraction(1, 1000), "us": Fraction(1, 10**6), "min": Fraction(60),
}  # fmt: skip
ANGLES = {"rad": Fraction(1), "deg": Fraction(math.pi) / 180}


@dataclass(frozen=True)
class Dimension:
    """Powers of length, mass, time and angle."""

    length: int = 0
    mass: int = 0
    time: int = 0
    angle: int = 0


LENGTH = Dimension(length=1)
MASS = Dimension(mass=1)
TIME = Dimension(time=1)
ANGLE = Dimension(angle=1)
VELOCITY = Dimension(length=1, time=-1)
ACCELERATION = Dimension(length=1, time=-2)
ANGULAR_VELOCITY = Dimension(angle=1, time=-1)
FORCE = Dimension(length=1, mass=1, time=-2)
TORQUE = Dimension(length=2, mass=1, time=-2)
INERTIA = Dimension(length=2, mass=1)
STIFFNESS = Dimension(mass=1, time=-2)
DAMPING = Dimension(mass=1, time=-1)
TURN_STIFFNESS = Dimension(length=2, mass=1, time=-2, angle=-1)
TURN_DAMPING = Dimension(length=2, mass=1, time=-1, angle=-1)


def density(measured: int) -> Dimension:
    """Mass per length^measured: 3 for a solid, 2 a surface, 1 a wire, 0 a point."""
    return Dimension(mass=1, length=-measured)


@dataclass(frozen=True)
class Units:
    """The units one file is written in."""

    length: str = "m"
    mass: str = "kg"
    time: str = "s"
    angle: str = "rad"

    @cached_property
    def are_si(self) -> bool:
        return self == Units()

    @cached_property
    def _ratios(self) -> dict[Dimension, tuple[float, float]]:
        return {}

    def to_si(self, value: Any, dimension: Dimension) -> Any:
        """A number, or nested lists of numbers, in SI units."""
        if self.are_si or value is None:
            return value
        times, over = self._ratio(dimension)
        return _scaled(value, times, over)

    def stiffness_to_si(self, value: float, exponent: float) -> float:
        """A contact stiffness in force / length^exponent, in N / m^exponent."""
        force = self._factor(FORCE)
        return float(value * float(force) / float(LENGTHS[self.length]) ** exponent)

    def name(self, dimension: Dimension) -> str:
        """How the unit is written in a message, such as `kg m^2` or `mm/s`."""
        powers = [
            (self.mass, dimension.mass),
            (self.length, dimension.length),
            (self.angle, dimension.angle),
            (self.time, dimension.time),
        ]
        above = " ".join(_power(unit, n) for unit, n in powers if n > 0)
        below = " ".join(_power(unit, -n) for unit, n in powers if n < 0)
        if not below:
            return above
        return f"{above or '1'}/{below}" if " " not in below else f"{above or '1'}/({below})"

    def _ratio(self, dimension: Dimension) -> tuple[float, float]:
        if dimension not in self._ratios:
            factor = self._factor(dimension)
            self._ratios[dimension] = (float(factor.numerator), float(factor.denominator))
        return self._ratios[dimension]

    def _factor(self, dimension: Dimension) -> Fraction:
        return (
            LENGTHS[self.length] ** dimension.length
            * MASSES[self.mass] ** dimension.mass
            * TIMES[self.time] ** dimension.time
            * ANGLES[self.angle] ** dimension.angle
        )


def _scaled(value: Any, times: float, over: float) -> Any:
    if isinstance(value, list):
        return [_scaled(entry, times, over) for entry in value]
    return value * times / over


def _power(unit: str, n: int) -> str:
    return unit if n == 1 else f"{unit}^{n}"
