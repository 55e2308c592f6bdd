"""Options of every command that reads a scene file."""

import sys
from collections.abc import Callable
from functools import wraps
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import click

from dovetail.errors import InputError, error_text

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
    click.option(
        "--extension", "extensions", multiple=True, type=click.Path(exists=True, dir_okay=False),
        help="Python file to run first; it registers laws, shapes, ... of yours.",
    ),
    click.option("--keyframe", help="Keyframe of an MJCF file to start from."),
)  # fmt: skip
NAMES = ("allow_paths", "package_paths", "fixed_base", "keyframe")


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the command gets them as one dict `reading`."""

    @wraps(command)
    def called(**given: Any) -> Any:
        for path in given.pop("extensions"):
            run_extension(Path(path))
        reading = {name: given.pop(name) for name in NAMES}
        return command(reading=reading, **given)

    for option in reversed(OPTIONS):
        called = option(called)
    return called


def run_extension(path: Path) -> None:
    """Import a file that calls `dt.extend.register`; its folder is searched for what it imports."""
    if path.suffix != ".py":
        raise InputError(f"--extension needs a Python file, got {str(path)!r}")
    spec = spec_from_file_location(path.stem, path.resolve())
    assert spec is not None and spec.loader is not None  # of every .py file
    module = sys.modules[path.stem] = module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"--extension {path}: {error_text(error)}") from error
    finally:
        sys.path.pop(0)
