"""Where compiled kernels are kept between runs.

One file per kernel, argument types, processor and fingerprint, written beside its final name and
moved there in one step: any number of processes may compile and read at the same time. (Numba's
index file numbers its entries, and two processes that compile different argument types at once can
end up with one number for both.)
"""

import hashlib
import os
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numba
from numba import types
from numba.core.caching import _Cache
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from dovetail.runtime.cache_folders import is_writable, kernel_folders
from dovetail.runtime.compile_notice import notice
from dovetail.runtime.fingerprint import NoFingerprintError, fingerprint
from dovetail.runtime.rebuild import rebuild, reduce
from dovetail.runtime.shipped import archive
from dovetail.runtime.target import key_of, key_of_level
from dovetail.runtime.trust import read_trusted

_SETTINGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")  # of Numba, that change the machine code
_KEPT_VERSIONS = 8  # of one kernel: branches of one repository share the cache
_OWNER_ONLY = 0o600
_FORMAT = 4  # of the content of entries, and of how kernels call each other
ENTRY = ".nbc"  # ending of what Python calls; see `runtime.pieces`
_DIGEST_BYTES = hashlib.sha256().digest_size

before_compilation: Callable[[], None] | None = None  # called when a kernel is not in the cache
_loaded: dict[str, "KernelCache"] = {}  # entries loaded in this process
loaded_units: dict[str, "KernelCache"] = {}  # files of units, see `runtime.pieces`


class KernelCache(_Cache):
    """Numba's view of the cache of one kernel: load and save compiled code by argument types."""

    suffix = ENTRY

    def __init__(self, dispatcher) -> None:
        self._dispatcher = dispatcher
        self._stem_and_name: dict[object, tuple[str, str] | None] = {}
        self._enabled = True

    @property
    def _folders(self) -> tuple[Path, ...]:
        function = self._dispatcher.py_func
        return kernel_folders(function.__code__.co_filename, function.__module__)

    @property
    def cache_path(self) -> str | None:
        """The folder that new entries are written to."""
        folder = self._writable_folder()
        return None if folder is None else str(folder)

    def load_overload(self, sig, target_context):
        """Compiled code for the argument types `sig`, or None.

        What this user has compiled before, else what came with the package.
        """
        rtsys.initialize(target_context)  # all that loaded code needs; compiling refreshes itself
        codegen = target_context.codegen()
        content = self._fingerprint()
        entry = self._stem_and_name[sig] = self._entry(sig, key_of(codegen), content)
        if entry is None or not self._enabled:
            return None
        payload = self._kept(entry[1])
        if payload is None:
            payload = self._shipped(self._entry(sig, key_of_level(codegen), content))
        if payload is None and self.suffix == ENTRY and before_compilation is not None:
            before_compilation()
            payload = self._kept(entry[1])
        result = None if payload is None else self._rebuilt(target_context, payload)
        if result is not None and self.suffix == ENTRY:
            _loaded[entry[1]] = self
        return result

    def _rebuilt(self, target_context, payload: bytes) -> Any:
        return rebuild(target_context, payload, self._dispatcher.load_unit)

    def _reduced(self, data) -> bytes:
        reduced: bytes = dumps(reduce(data))
        return reduced

    def has(self, sig, target_context) -> bool:
        """Whether there is compiled code for the argument types `sig`."""
        codegen, content = target_context.codegen(), self._fingerprint()
        entry = self._entry(sig, key_of(codegen), content)
        kept = entry is not None and any((folder / entry[1]).exists() for folder in self._folders)
        shipped, entry = archive(), self._entry(sig, key_of_level(codegen), content)
        return kept or (shipped is not None and entry is not None and entry[1] in shipped.places)

    def save_overload(self, sig, data) -> None:
        """Keep `data`, the code just compiled for `sig`; drop the oldest of its versions."""
        entry = self._stem_and_name.get(sig)
        cachable = not data.library.has_dynamic_globals and all(x.can_cache for x in data.lifted)
        for unit in [*getattr(data.library, "units", ()), *getattr(data.library, "later", ())]:
            cachable &= unit.file is not None
        if entry is None or not self._enabled or not cachable:
            return
        folder = self._writable_folder()
        if folder is None:
            notice.say_not_cached()
            return
        stem, name = entry
        with suppress(OSError):  # a full disk costs the next run its time, not this one its result
            _write(folder / name, self._reduced(data))
            versions = sorted(folder.glob(f"{stem}-*{self.suffix}"), key=_written, reverse=True)
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

    def named(self, name: str) -> bytes | None:
        """What is in a file of this cache, or came with the package under its name."""
        payload = self._kept(name)
        return self._shipped((name, name)) if payload is None else payload

    def file_of(self, sig, target_context) -> str | None:
        """The name of the file for `sig`; None if there is none."""
        entry = self._entry(sig, key_of(target_context.codegen()), self._fingerprint())
        return None if entry is None else entry[1]

    def place(self, sig) -> Path | None:
        """Where code for `sig`, which `load_overload` did not find, is written to."""
        entry, folder = self._stem_and_name.get(sig), self._writable_folder()
        return None if entry is None or folder is None else folder / entry[1]

    def _writable_folder(self) -> Path | None:
        return next((folder for folder in self._folders if is_writable(folder)), None)

    def _kept(self, name: str) -> bytes | None:
        """What this user has compiled before."""
        found = (_read(folder / name) for folder in self._folders)
        return next((payload for payload in found if payload is not None), None)

    def _shipped(self, entry: tuple[str, str] | None) -> bytes | None:
        """What came with the package."""
        kernels = archive()
        return None if kernels is None or entry is None else kernels.read(entry[1])

    def _fingerprint(self) -> str | None:
        try:
            return fingerprint(self._dispatcher)
        except NoFingerprintError:
            return None

    def _entry(self, sig, target, content: str | None) -> tuple[str, str] | None:
        """File name, and the part of it that is the same before and after an edit."""
        function = self._dispatcher.py_func
        platform = (numba.__version__, llvmlite.__version__, target)
        settings = [getattr(numba.config, name, None) for name in _SETTINGS]
        records = sorted(_record_modules(sig))
        kind = repr((_FORMAT, str(sig), records, sys.implementation.cache_tag, platform, settings))
        if content is None or " at 0x" in kind:  # an argument known by its address only
            return None
        where = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        readable = "".join(c if c.isalnum() or c in "._" else "-" for c in where)[-80:]
        stem = f"{readable}-{hashlib.sha256(kind.encode()).hexdigest()[:16]}"
        return stem, f"{stem}-{content[:24]}{self.suffix}"


def is_kept(kernel, argument_types: tuple) -> bool:
    """Whether the cache or the package has the code of a kernel for such arguments."""
    return kernel._cache.has(argument_types, kernel.targetdescr.target_context)


def can_keep(kernel) -> bool:
    """Whether other processes can find what this one compiles."""
    return kernel._cache.cache_path is not None


def loaded_entries() -> Iterator[tuple[str, bytes]]:
    """Name and content of all entries and units loaded from the user's cache by this process."""
    for name, cache in (_loaded | loaded_units).items():
        payload = cache._kept(name)
        if payload is not None:
            yield name, payload


def loaded_files() -> Iterator[Path]:
    """Where `loaded_entries` are."""
    for name, cache in (_loaded | loaded_units).items():
        yield from (path for folder in cache._folders if (path := folder / name).exists())


def _record_modules(argument: Any) -> set[str]:
    """Modules that define the named tuples among argument types: entries find them by module."""
    if isinstance(argument, (tuple, list)):
        return set().union(*map(_record_modules, argument))
    if isinstance(argument, types.StructRef):
        return {type(argument).__module__}.union(*(_record_modules(t) for _, t in argument._fields))
    if isinstance(argument, types.BaseTuple):
        named = getattr(argument, "instance_class", None)
        own = set() if named is None else {named.__module__}
        return own.union(*map(_record_modules, getattr(argument, "types", ())))
    return set()


def _written(path: Path) -> float:
    """When an entry was written; 0 if another process has just removed it."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _read(path: Path) -> bytes | None:
    """The payload of an entry, or None if it is absent, cut short or damaged."""
    data = read_trusted(path)
    if data is None:
        return None
    digest, payload = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    return payload if hashlib.sha256(payload).digest() == digest else None


def _write(path: Path, payload: bytes) -> None:
    """Write an entry so that a reader sees all of it or nothing."""
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
        with os.fdopen(descriptor, "wb") as file:
            file.write(hashlib.sha256(payload).digest() + payload)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
