"""What a varied value may be: listed, or drawn from a distribution by its inverse."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Protocol

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import Array, number, positive, quote
from dovetail.runtime.options import named_parameters

STANDARD = NormalDist()


class Distribution(Protocol):
    """Turns numbers spread evenly over [0, 1) into values of its own."""

    def at(self, u: Array) -> list[Any]:
        """The values at the quantiles u (n,)."""


@named_parameters
@dataclass(frozen=True)
class Values:
    """One of a list, each equally likely; numbers, texts, vectors or truths."""

    values: tuple[Any, ...]

    def __init__(self, values: Any) -> None:
        if not isinstance(values, list | tuple | np.ndarray) or len(values) == 0:
            raise InputError(f"`values` must be a list of at least one value, got {quote(values)}")
        plain = values.tolist() if isinstance(values, np.ndarray) else list(values)
        object.__setattr__(self, "values", tuple(plain))

    def at(self, u: Array) -> list[Any]:
        count = len(self.values)
        return [self.values[min(int(x * count), count - 1)] for x in u]


@named_parameters
@dataclass(frozen=True)
class Uniform:
    """Any value from `low` to `high`, all equally likely."""

    low: float
    high: float

    def __post_init__(self) -> None:
        number(self.low, "`low` of a uniform distribution")
        if not number(self.high, "`high` of a uniform distribution") >= self.low:
            raise InputError(
                f"a uniform distribution must have low <= high, got {self.low} and {self.high}"
            )

    def at(self, u: Array) -> list[Any]:
        return [float(x) for x in self.low + (self.high - self.low) * u]


@named_parameters
@dataclass(frozen=True)
class LogUniform:
    """A value from `low` > 0 to `high` whose logarithm is uniform: every decade as likely."""

    low: float
    high: float

    def __post_init__(self) -> None:
        positive(self.low, "`low` of a loguniform distribution")
        if not number(self.high, "`high` of a loguniform distribution") >= self.low:
            raise InputError(
                f"a loguniform distribution must have low <= high, got {self.low} and {self.high}"
            )

    def at(self, u: Array) -> list[Any]:
        low, high = np.log(self.low), np.log(self.high)
        return [float(x) for x in np.exp(low + (high - low) * u)]


@named_parameters
@dataclass(frozen=True)
class Normal:
    """A normal distribution with its mean and standard deviation."""

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        number(self.mean, "`mean` of a normal distribution")
        positive(self.deviation, "`deviation` of a normal distribution")

    def at(self, u: Array) -> list[Any]:
        inside = np.clip(u, 2.0**-54, 1 - 2.0**-53)  # the ends are infinitely far
        return [self.mean + self.deviation * STANDARD.inv_cdf(float(p)) for p in inside]
