"""Readers of scene files by name.

A reader is a function `read(path, files)` that returns a `LoadedScene` or a `dt.Scene`; `files`
resolves the names of meshes within the folders that are allowed. Those of the package are chosen by
the content of a file; one from outside by its name, which is the ending of the files it reads.
"""

from inspect import signature
from pathlib import Path
from typing import Any

from dovetail.errors import DovetailError, InputError, error_text
from dovetail.io.loaded_scene import LoadedScene
from dovetail.io.run_settings import RunSettings
from dovetail.io.safe_paths import MeshFolder
from dovetail.model.scene import Scene
from dovetail.model.values import quote
from dovetail.runtime.registry import Registry

OPTIONS = {"package_paths": ("urdf",), "fixed_base": ("urdf",), "keyframe": ("mjcf",)}
"""Options that some readers take, and which."""
OWN_ENDINGS = (
    "yaml",
    "yml",
    "json",
    "xml",
    "urdf",
    "xacro",
    "mjcf",
)  # read by content, by nobody else


def _mistakes(reader: Any) -> list[str]:
    """What keeps an object from being a scene reader."""
    if not callable(reader):
        return [f"must be a function read(path, files), got {quote(reader)}"]
    try:
        signature(reader).bind(None, None)
    except TypeError:
        return [f"must be callable as read(path, files), but takes {signature(reader)}"]
    except ValueError:  # one written in C may not say
        return []
    return []


READERS = Registry(
    "scene reader",
    "dovetail.scene_readers",
    {
        "yaml": "dovetail.io.scene_file.reading.files:read",
        "rigid-ipc": "dovetail.io.rigid_ipc:read",
        "urdf": "dovetail.io.urdf:read",
        "mjcf": "dovetail.io.mjcf:read",
    },
    _mistakes,
)


def reader_by_ending(path: Path) -> str | None:
    """The name of the reader from outside the package that takes files of this ending."""
    name = path.suffix.lower().removeprefix(".")
    own = name in (*OWN_ENDINGS, *READERS.own_names())
    return name if name and not own and name in READERS else None


def refuse_options(name: str, path: Path, options: dict[str, Any]) -> dict[str, Any]:
    """The options that are given; InputError for one that the reader does not know."""
    given = {key: value for key, value in options.items() if value not in (None, ())}
    for key in given:
        if name not in OPTIONS[key]:
            raise InputError(
                f"{path.name}: `{key}` is for {' and '.join(OPTIONS[key]).upper()} files, "
                f"this one is read as {name}"
            )
    return given


def read_with(
    name: str, path: Path, files: MeshFolder, options: dict[str, Any] | None = None
) -> LoadedScene:
    """The scene that the reader of that name finds in a file; `options` are those of OPTIONS."""
    given = refuse_options(name, path, options or {})
    read = READERS.get(name)
    if name in READERS.own_names():
        loaded: LoadedScene = read(path, files, **given)
        return loaded
    try:
        found = read(path, files)
    except (DovetailError, OSError):
        raise
    except Exception as error:
        raise InputError(
            f"{path.name}: scene reader {name!r} failed: {error_text(error)}"
        ) from error
    if isinstance(found, Scene):
        found = LoadedScene(found, RunSettings(), path)
    if not isinstance(found, LoadedScene):
        raise InputError(
            f"{path.name}: scene reader {name!r} must return a dt.Scene or a "
            f"dt.extend.LoadedScene, got {quote(found)}"
        )
    found.scene.build()  # says all mistakes of the model
    return found
