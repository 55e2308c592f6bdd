"""Formats that a result can be written in, by the ending of the file.

An exporter is a function `write(result, path, **options)`; its name is the ending it writes.
"""

from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

from dovetail.errors import DovetailError, InputError, RunError, error_text
from dovetail.model.values import quote
from dovetail.results import Result
from dovetail.runtime.registry import Registry, option_mistakes


def _mistakes(exporter: Any) -> list[str]:
    """What keeps an object from being an exporter."""
    if not callable(exporter):
        return [f"must be a function write(result, path), got {quote(exporter)}"]
    try:
        signature(exporter).bind(None, None)
    except TypeError:
        return [f"must be callable as write(result, path), but takes {signature(exporter)}"]
    except ValueError:  # one written in C may not say
        return []
    return []


EXPORTERS = Registry(
    "exporter",
    "dovetail.exporters",
    {
        "html": "dovetail.view.html:write_html",
        "glb": "dovetail.view.glb:write_glb",
        "usda": "dovetail.view.usd:write_usda",
        "vtkhdf": "dovetail.view.vtkhdf:write_vtkhdf",
        "csv": "dovetail.view.table:write_csv",
        "png": "dovetail.view.picture:write_picture",
        "gif": "dovetail.view.movie:write_movie",
        "mp4": "dovetail.view.movie:write_movie",
    },
    _mistakes,
)


def exporter_name(path: Path, format: str | None = None) -> str:
    """The exporter that `format` names, or the ending of `path`; InputError if there is none."""
    if format is not None:
        EXPORTERS.get(format)  # names the known ones
        return format
    name = path.suffix.lower().removeprefix(".")
    if name not in EXPORTERS:
        endings = ", ".join(f".{known}" for known in EXPORTERS)
        raise InputError(f"an export must end in {endings}, got {str(path)!r}")
    return name


def export(
    result: Result, path: str | PathLike[str], format: str | None = None, **options: Any
) -> Path:
    """Write `result` to `path`; the ending chooses the exporter unless `format` names it.

    Raises:
        InputError: no such format, or an option that it does not have.
        RunError: an exporter from outside the package failed.
    """
    if not isinstance(path, str | PathLike):
        raise InputError(f"`path` must be a file name, got {quote(path)}")
    target = Path(path)
    name = exporter_name(target, format)
    write = EXPORTERS.get(name)
    every = options.get("every", 1)
    mistakes = option_mistakes(f"a .{name} export", write, options, leading=2)
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        mistakes.append(f"`every` must be a number of frames >= 1, got {quote(every)}")
    if not target.parent.is_dir():
        mistakes.append(f"{quote(str(path))} must be in a folder that exists; make {target.parent}")
    if mistakes:
        raise InputError(mistakes)
    try:
        write(result, target, **options)
    except (DovetailError, OSError, MemoryError):
        raise
    except Exception as error:
        raise RunError(f"exporter {name!r} failed: {error_text(error)}") from error
    return target
