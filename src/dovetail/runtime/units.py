"""Units of machine code in the cache (`runtime.pieces`): kept, loaded, compiled by one process."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from numba.core.serialize import dumps

from dovetail.runtime.cache import KernelCache
from dovetail.runtime.pieces import UnitLibrary, loaded_units
from dovetail.runtime.rebuild import library_of, unpickled


class UnitCache(KernelCache):
    """Units on disk; each names the units that it jumps to."""

    suffix = ".nbu"

    def _reduced(self, data) -> bytes:
        library: UnitLibrary = data.library
        reduced: bytes = dumps((
            library.name, library._get_compiled_object(), data.fndesc.mangled_name,
            [tuple(unit) for unit in library.units], list(library._reload_init),
            tuple(data._find_referenced_environments()), *(tuple(one) for one in library.later),
        ))  # fmt: skip
        return reduced

    def _rebuilt(self, target_context, payload: bytes) -> Any:
        return self.load(target_context, payload) or None

    def load(self, target_context, payload: bytes) -> str:
        """Load a unit and all it jumps to; returns its symbol, empty if one of these is gone."""
        name, machine_code, symbol, units, reload_init, environments, *later = unpickled(payload)
        if not all(self._dispatcher.load_unit(*unit) for unit in units):
            return ""
        for initialise in reload_init:
            initialise()
        codegen = target_context.codegen()
        loaded_units[symbol] = library_of(codegen, name, machine_code, units, later)
        codegen._engine._defined_symbols.add(symbol)
        for environment in environments:
            codegen.set_env(environment.env_name, environment)
        return str(symbol)


@contextmanager
def alone(path: Path | None, *, wait: bool) -> Iterator[bool]:
    """Whether no other process is at work on the file `path`; it waits for it, or does not."""
    lock = True if path is None else _locked(path.with_name(f"{path.name}.lock"), wait)
    try:
        yield bool(lock)
    finally:
        if not isinstance(lock, bool):
            with suppress(OSError):
                Path(lock.name).unlink(missing_ok=True)
            lock.close()


def _locked(path: Path, wait: bool) -> IO[str] | bool:
    """The locked file; True where files cannot be locked, False if another process has it."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        lock = path.open("w")
    except OSError:
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        lock.close()
        return not isinstance(error, BlockingIOError)
    return lock
