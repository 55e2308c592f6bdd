"""The figures and tables of the papers, ours beside the published numbers.

A paper is a package `dovetail.reproduce.<name>` with a TITLE, its FIGURES and `reproduce`; putting
one into this folder is all it takes to have it listed.
"""

import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from dovetail.errors import InputError

Say = Callable[[str], None]


class Paper(Protocol):
    """What every paper's package has."""

    TITLE: str  # authors, title, journal
    FIGURES: Mapping[str, str]  # what is made, one line each, by name

    def reproduce(self, folder: Path, say: Say) -> None:
        """Write the figures into `folder` and tell the numbers, ours and the published ones."""


def names() -> list[str]:
    """The names of all papers."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def get(name: str) -> Paper:
    """The paper of that name."""
    if name not in names():
        raise InputError(f"there is no paper {name!r} (there are: {', '.join(names())})")
    return cast(Paper, import_module(f"{__name__}.{name}"))
