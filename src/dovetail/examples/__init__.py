"""Built-in examples, one file each, made by the package's own code.

A file `spinning_top.py` is the example `spinning-top`; it is imported when asked for.
"""

import pkgutil
from importlib import import_module
from typing import Any, Protocol, cast

from dovetail.errors import InputError
from dovetail.model.scene import Scene
from dovetail.results import Result


class Example(Protocol):
    """What every example file has."""

    DESCRIPTION: str  # one line
    RUN: dict[str, Any]  # duration [s], step [s], every, ... as in a scene file's `run`

    def build(self) -> Scene:
        """The scene."""

    def final_check(self, result: Result) -> None:
        """Assert what the physics says about the result of `RUN`."""


def names() -> list[str]:
    """The names of all examples."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__))


def get(name: str) -> Example:
    """The example of that name."""
    if name not in names():
        raise InputError(f"there is no example {name!r} (there are: {', '.join(names())})")
    return cast(Example, import_module(f"{__name__}.{name.replace('-', '_')}"))
