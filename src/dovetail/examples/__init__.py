"""Built-in examples, one file each, made by the package's own code.

A file `spinning_top.py` is the example `spinning-top`; it is imported when needed.
"""

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from dovetail.errors import InputError
from dovetail.model.scene import Scene
from dovetail.results import Result

STUDIES = Path(__file__).with_name("study_files")


class Example(Protocol):
    """What every example file has."""

    DESCRIPTION: str  # one line
    RUN: dict[str, Any]  # duration [s], step [s], every, ... as in a scene file's `run`

    def build(self) -> Scene:
        """The scene."""

    def final_check(self, result: Result) -> None:
        """Assert what the physics says about the result of `RUN`."""


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


def names() -> list[str]:
    """The names of all examples."""
    return list(_names())


def get(name: str) -> Example:
    """The example of that name."""
    if name not in names():
        raise InputError(f"there is no example {name!r} (there are: {', '.join(names())})")
    return cast(Example, import_module(f"{__name__}.{name.replace('-', '_')}"))


def study_names() -> list[str]:
    """The names of all built-in study files."""
    return sorted(path.stem for path in STUDIES.glob("*.yaml"))


def study_file(name: str) -> Path:
    """The built-in study file of that name."""
    return STUDIES / f"{name}.yaml"


def study_description(name: str) -> str:
    """One line about a built-in study."""
    lines = study_file(name).read_text().splitlines()
    return next(line.partition(": ")[2] for line in lines if line.startswith("description:"))
