"""Where compiled kernels are kept between runs.

One file per kernel, argument types, processor and fingerprint, written beside its final name and
moved there in one step: any number of processes may compile and read at the same time. (Numba's
index file numbers its entries, and two processes that compile different argument types at once can
end up with one number for both.)
"""

import functools
import hashlib
import importlib.util
import os
import pickle
import sys
import tempfile
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from dovetail.runtime.compile_notice import notice
from dovetail.runtime.fingerprint import NoFingerprintError, fingerprint

_SETTINGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")  # of Numba, that change the machine code
_KEPT_VERSIONS = 8  # of one kernel: branches of one repository share the cache
_DIGEST_BYTES = hashlib.sha256().digest_size


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
def cache_folders(source: str, module: str) -> tuple[Path, ...]:
    """Folders to look in for the kernels of a module, the preferred one first.

    The one that the environment chooses; else the user's cache folder, then the __pycache__ of the
    source file. Entries are found by the name of the package and by content, not by the place of
    the source: all checkouts and environments of a user share them.
    """
    package = module.rpartition(".")[0] or module
    chosen = chosen_cache_folder()
    if chosen is not None:
        return (chosen / package,)
    folders = []
    with suppress(RuntimeError):  # a user without a home
        folders.append(user_cache_folder() / package)
    if Path(source).is_file():
        folders.append(Path(importlib.util.cache_from_source(source)).parent)
    return tuple(folders)


@functools.cache
def is_writable(folder: Path) -> bool:
    """Whether files can be made in `folder`, which is created if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


class KernelCache(_Cache):
    """Numba's view of the cache of one kernel: load and save compiled code by argument types."""

    kind = "entry"  # of code, see `runtime.pieces`

    def __init__(self, dispatcher) -> None:
        self._dispatcher = dispatcher
        function = dispatcher.py_func
        self._folders = cache_folders(function.__code__.co_filename, function.__module__)
        self._stem_and_name: dict[object, tuple[str, str] | None] = {}
        self._enabled = True

    @property
    def cache_path(self) -> str | None:
        """The folder that new entries are written to."""
        folder = self._writable_folder()
        return None if folder is None else str(folder)

    def load_overload(self, sig, target_context):
        """Compiled code for the argument types `sig`, or None."""
        rtsys.initialize(target_context)  # all that loaded code needs; compiling refreshes itself
        entry = self._stem_and_name[sig] = self._entry(sig, target_context.codegen())
        if entry is None or not self._enabled:
            return None
        for folder in self._folders:
            payload = _read(folder / entry[1])
            if payload is not None:
                return self._rebuilt(target_context, payload)
        return None

    def _rebuilt(self, target_context, payload: bytes) -> Any:
        return CompileResult._rebuild(target_context, *pickle.loads(payload))

    def _reduced(self, data) -> bytes:
        reduced: bytes = dumps(data._reduce())
        return reduced

    def save_overload(self, sig, data) -> None:
        """Keep `data`, the code just compiled for `sig`; drop the oldest of its versions."""
        entry = self._stem_and_name.get(sig)
        cachable = not data.library.has_dynamic_globals and all(x.can_cache for x in data.lifted)
        if entry is None or not self._enabled or not cachable:
            return
        folder = self._writable_folder()
        if folder is None:
            notice.say_not_cached()
            return
        stem, name = entry
        with suppress(OSError):  # a full disk costs the next run its time, not this one its result
            _write(folder / name, self._reduced(data))
            versions = sorted(folder.glob(f"{stem}-*.nbc"), key=_written, reverse=True)
            for old in versions[_KEPT_VERSIONS:]:
                old.unlink(missing_ok=True)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Delete the entries of this kernel that were used in this process."""
        for entry in self._stem_and_name.values():
            for folder in self._folders:
                if entry is not None:
                    with suppress(OSError):
                        (folder / entry[1]).unlink(missing_ok=True)

    def _writable_folder(self) -> Path | None:
        return next((folder for folder in self._folders if is_writable(folder)), None)

    def _entry(self, sig, codegen) -> tuple[str, str] | None:
        """File name, and the part of it that is the same before and after an edit."""
        function = self._dispatcher.py_func
        platform = (numba.__version__, llvmlite.__version__, codegen.magic_tuple())
        settings = [getattr(numba.config, name, None) for name in _SETTINGS]
        kind = repr((self.kind, str(sig), sys.implementation.cache_tag, platform, settings))
        if " at 0x" in kind:  # an argument known by its address only
            return None
        try:
            content = fingerprint(self._dispatcher)
        except NoFingerprintError:
            return None
        where = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        readable = "".join(c if c.isalnum() or c in "._" else "-" for c in where)[-80:]
        stem = f"{readable}-{hashlib.sha256(kind.encode()).hexdigest()[:16]}"
        return stem, f"{stem}-{content[:24]}.nbc"


def _written(path: Path) -> float:
    """When an entry was written; 0 if another process has just removed it."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _read(path: Path) -> bytes | None:
    """The payload of an entry, or None if it is absent, cut short or damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, payload = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    return payload if hashlib.sha256(payload).digest() == digest else None


def _write(path: Path, payload: bytes) -> None:
    """Write an entry so that a reader sees all of it or nothing."""
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}.tmp")
    try:
        temporary.write_bytes(hashlib.sha256(payload).digest() + payload)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
