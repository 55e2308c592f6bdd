"""One writer per result file; the kernel frees the lock of a killed one."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dovetail.errors import InputError
from dovetail.results.side_files import side_path


class BeingWrittenError(InputError):
    """Another process writes this result now."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold `path` for writing; raises BeingWrittenError while another process holds it."""
    lock = side_path(path, "lock")
    descriptor = _acquire(lock, path)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)  # before letting go, so nobody waits on a deleted file
        os.close(descriptor)


def _acquire(lock: Path, path: Path) -> int:
    while True:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise InputError(
                f"the result {path} must be in a folder that exists and can be written to: "
                f"{error.strerror}"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            current = lock.stat().st_ino == os.fstat(descriptor).st_ino
        except FileNotFoundError:
            current = False
        except BlockingIOError:
            os.close(descriptor)
            raise BeingWrittenError(
                f"the result {path} is being written by another process; "
                "wait for it or choose another file"
            ) from None
        if current:
            return descriptor
        os.close(descriptor)  # its owner finished and deleted it between our two calls
