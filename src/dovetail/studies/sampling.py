"""Which combinations of values are run: a full grid, random draws, or a Latin hypercube.

McKay, Beckman and Conover, Technometrics 21 (1979) 239 for the last: every value's range is cut
into as many equally likely parts as there are runs, and each part is drawn from once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Protocol

import numpy as np

from dovetail.errors import InputError
from dovetail.model.values import quote
from dovetail.runtime.options import named_parameters
from dovetail.studies.distributions import Values
from dovetail.studies.varied import Varied

MAX_RUNS = 1_000_000
Row = dict[str, Any]


class Sampling(Protocol):
    """A rule that makes the same rows from the same seed."""

    def rows(self, vary: Mapping[str, Varied]) -> list[Row]:
        """The values of every run, by name."""


@named_parameters
@dataclass(frozen=True)
class Grid:
    """All combinations of listed values; the last name changes fastest."""

    def rows(self, vary: Mapping[str, Varied]) -> list[Row]:
        lists = []
        for name, varied in vary.items():
            if not isinstance(varied.over, Values):
                raise InputError(
                    f"{quote(name)} must be a list of values for a grid, it is "
                    f"{varied.over}; list values or sample it with random or latin"
                )
            lists.append(varied.over.values)
        _bearable(prod(len(values) for values in lists))
        return [dict(zip(vary, row)) for row in product(*lists)]


@named_parameters
@dataclass(frozen=True)
class Random:
    """Independent draws; more runs with the same seed go on where fewer ended."""

    runs: int
    seed: int = 0

    def __post_init__(self) -> None:
        _checked(self.runs, self.seed)

    def rows(self, vary: Mapping[str, Varied]) -> list[Row]:
        u = np.random.Generator(np.random.PCG64(self.seed)).random((self.runs, len(vary)))
        return _drawn(vary, u)


@named_parameters
@dataclass(frozen=True)
class Latin:
    """A Latin hypercube: fewer runs than random draws for the same coverage of each value."""

    runs: int
    seed: int = 0

    def __post_init__(self) -> None:
        _checked(self.runs, self.seed)

    def rows(self, vary: Mapping[str, Varied]) -> list[Row]:
        generator = np.random.Generator(np.random.PCG64(self.seed))
        within = generator.random((self.runs, len(vary)))
        parts = np.argsort(generator.random((self.runs, len(vary))), axis=0, kind="stable")
        return _drawn(vary, (parts + within) / self.runs)


def _drawn(vary: Mapping[str, Varied], u: Any) -> list[Row]:
    columns = [varied.over.at(u[:, k]) for k, varied in enumerate(vary.values())]
    return [dict(zip(vary, row)) for row in zip(*columns)]


def _checked(runs: Any, seed: Any) -> None:
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        raise InputError(f"`runs` must be a whole number >= 1, got {quote(runs)}")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(f"`seed` must be a whole number >= 0, got {quote(seed)}")
    _bearable(runs)


def _bearable(runs: int) -> None:
    if runs > MAX_RUNS:
        raise InputError(f"a study must have at most {MAX_RUNS} runs, this one has {runs}")
