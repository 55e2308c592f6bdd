"""Options of every command that reads a scene file."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

OPTIONS = (
    click.option(
        "--allow-path", "allow_paths", multiple=True, help="Folder the scene may read from."
    ),
    click.option(
        "--package-path", "package_paths", multiple=True,
        help="Folder that holds ROS packages, for package:// in URDF.",
    ),
    click.option(
        "--fixed-base/--free-base", "fixed_base", default=None,
        help="Hold or free the root link of a URDF robot; default: hold it if it has joints.",
    ),
    click.option("--keyframe", help="Keyframe of an MJCF file to start from."),
)  # fmt: skip
NAMES = ("allow_paths", "package_paths", "fixed_base", "keyframe")


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the command gets them as one dict `reading`."""

    @wraps(command)
    def called(**given: Any) -> Any:
        reading = {name: given.pop(name) for name in NAMES}
        return command(reading=reading, **given)

    for option in reversed(OPTIONS):
        called = option(called)
    return called
