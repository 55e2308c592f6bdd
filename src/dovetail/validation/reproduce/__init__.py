"""Figures and tables of the papers, ours beside the published numbers.

A paper is a package `dovetail.validation.reproduce.<name>` with a TITLE, its FIGURES and
`reproduce`; putting
one into this folder is all it takes to have it listed. One whose figures take minutes each takes
`figures`, some of them; one that needs what is not published takes it as `mesh` or `scenes`.
"""

import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Protocol, cast

from dovetail.errors import InputError

Say = Callable[[str], None]


class Paper(Protocol):
    """What every paper's package has."""

    TITLE: str  # authors, title, journal
    FIGURES: Mapping[str, str]  # what is made, one line each, by name

    def reproduce(self, folder: Path, say: Say, **wishes: Any) -> None:
        """Write the figures into `folder` and report the numbers, ours and the published ones.

        For `wishes` see `accepted_options`; a paper names those that it knows.
        """


def known_wishes(paper: Paper) -> set[str]:
    """The names of what the paper's `reproduce` takes."""
    return set(signature(paper.reproduce).parameters)


def accepted_options(paper: Paper, name: str, **wishes: object) -> dict[str, Any]:
    """The wishes that are not empty, as keywords of the paper's `reproduce`; it must know them.

    `figures`: only these; `mesh`: a file that stands for a part that is not published; `scenes`:
    a folder with the authors' own scenes.
    """
    wanted = {key: wish for key, wish in wishes.items() if wish}
    known = known_wishes(paper)
    said = {"figures": "single figures", "mesh": "--mesh", "scenes": "--scenes"}
    strange = [said[key] for key in wanted if key not in known]
    if strange:
        raise InputError(f"{name} takes no {' and no '.join(strange)}: leave that out")
    return wanted


def names() -> list[str]:
    """The names of all papers."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def get(name: str) -> Paper:
    """The paper of that name."""
    if name not in names():
        raise InputError(f"there is no paper {name!r} (there are: {', '.join(names())})")
    return cast(Paper, import_module(f"{__name__}.{name}"))
