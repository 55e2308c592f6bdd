"""The figures and tables of the papers, ours beside the published numbers.

A paper is a package `dovetail.reproduce.<name>` with a TITLE, its FIGURES and `reproduce`; putting
one into this folder is all it takes to have it listed. One whose figures take minutes each offers
them one by one: a `SelectivePaper`.
"""

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from inspect import signature
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


class SelectivePaper(Paper, Protocol):
    """A paper that makes single figures, some of them of a mesh that the user has."""

    def reproduce(
        self, folder: Path, say: Say, figures: Sequence[str] = (), mesh: Path | None = None
    ) -> None:
        """As `Paper.reproduce`, `figures` only (all where none is named)."""


def selective(paper: Paper) -> SelectivePaper | None:
    """`paper`, if its figures can be made one by one."""
    parameters = signature(paper.reproduce).parameters
    return cast(SelectivePaper, paper) if {"figures", "mesh"} <= parameters.keys() else None


def names() -> list[str]:
    """The names of all papers."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def get(name: str) -> Paper:
    """The paper of that name."""
    if name not in names():
        raise InputError(f"there is no paper {name!r} (there are: {', '.join(names())})")
    return cast(Paper, import_module(f"{__name__}.{name}"))
