"""Where what was computed once is kept between runs: compiled kernels, distance fields."""

import functools
import importlib.util
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from dovetail.runtime.compile_notice import notice
from dovetail.runtime.trust import make_private, why_mistrusted


def user_cache_folder() -> Path:
    """The user's cache folder, as the platform has it."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "dovetail" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "dovetail"
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(xdg) if Path(xdg).is_absolute() else Path.home() / ".cache") / "dovetail"


def chosen_cache_folder() -> Path | None:
    """The folder that `DOVETAIL_CACHE_DIR` names, or `NUMBA_CACHE_DIR`; None if neither is set."""
    for variable in ("DOVETAIL_CACHE_DIR", "NUMBA_CACHE_DIR"):
        if os.environ.get(variable):
            return Path(os.environ[variable]).expanduser()
    return None


@functools.cache
def kernel_folders(source: str, module: str) -> tuple[Path, ...]:
    """Folders to look in for the kernels of a module, the preferred one first.

    The one that the environment chooses; else the user's cache folder, then the __pycache__ of the
    source file. Entries are found by the name of the package and by content, not by the place of
    the source: all checkouts and environments of a user share them. A folder that others can write
    is left out, with a message.
    """
    package = module.rpartition(".")[0] or module
    chosen = chosen_cache_folder()
    folders = []
    if chosen is not None:
        folders.append(chosen / package)
    else:
        with suppress(RuntimeError):  # a user without a home
            folders.append(user_cache_folder() / package)
        if Path(source).is_file():
            folders.append(Path(importlib.util.cache_from_source(source)).parent)
    return tuple(folder.resolve() for folder in folders if is_trusted(folder))


def is_trusted(folder: Path) -> bool:
    """Whether no other user can write `folder`; a message says who could."""
    why = why_mistrusted(folder)
    if why is not None:
        notice.say_mistrusted(why)
    return why is None


@functools.cache
def is_writable(folder: Path) -> bool:
    """Whether files can be made in `folder`, which is created if need be."""
    try:
        make_private(folder)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True
