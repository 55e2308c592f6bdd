"""Speed figures of this package beside installed peers, from one run.

A figure is a module here with a TITLE and `measure(surface, quick)`; it is imported when asked
for. Peers that are not installed are left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from dovetail.errors import InputError
from dovetail.model.surface import Surface

NAMES = ("field_queries", "field_building", "detection", "many_balls")


@dataclass(frozen=True)
class Row:
    """One comparison."""

    what: str
    ours: float
    peer: str  # what it is compared with; "" for nothing
    theirs: float  # nan for nothing
    unit: str

    @property
    def ratio(self) -> float:
        """Theirs over ours: how many times less ours takes."""
        return self.theirs / self.ours


class Figure(Protocol):
    """What every module here has."""

    TITLE: str

    def measure(self, surface: Surface, quick: bool) -> Iterator[Row]:
        """Rows as they are found, of a closed surface and smaller where `quick`."""


def figure(name: str) -> Figure:
    """The figure of that name."""
    if name not in NAMES:
        known = ", ".join((*NAMES, "agreement", "agreement-CASE"))
        raise InputError(f"there is no figure {name!r} (there are: {known})")
    return cast(Figure, import_module(f"{__name__}.{name}"))
