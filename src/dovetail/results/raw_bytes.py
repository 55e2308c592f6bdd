"""Writing bytes at a known place of a file, and making them last."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHUNK = 1 << 24


def write_at(descriptor: int, data: bytes | memoryview, offset: int) -> None:
    """Write all of `data` at `offset`."""
    view = memoryview(data)
    while len(view):
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written


def write_array_at(descriptor: int, array: NDArray[Any], offset: int) -> None:
    """Write the raw bytes of `array` at `offset`."""
    flat = np.ascontiguousarray(array).reshape(-1)
    write_at(descriptor, flat.view(np.uint8).data, offset)


def read_array_at(descriptor: int, size: int, offset: int) -> NDArray[np.uint8]:
    """The raw bytes at a place."""
    parts = []
    while size > 0:
        data = os.pread(descriptor, min(size, CHUNK), offset)
        if not data:
            raise OSError(f"the file ends {size} bytes early")
        parts.append(np.frombuffer(data, np.uint8))
        offset, size = offset + len(data), size - len(data)
    return np.concatenate(parts) if parts else np.zeros(0, np.uint8)


def copy_range(source: int, target: int, source_at: int, target_at: int, size: int) -> None:
    """Copy `size` bytes between two files."""
    while size > 0:
        data = os.pread(source, min(size, CHUNK), source_at)
        if not data:
            raise OSError(f"the file ends {size} bytes early")
        write_at(target, data, target_at)
        source_at, target_at, size = source_at + len(data), target_at + len(data), size - len(data)


def replace_durably(temporary: Path, final: Path) -> None:
    """Rename over `final` after the bytes are on disk; `final` is the old or the new, whole."""
    descriptor = os.open(temporary, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    temporary.replace(final)
    folder = os.open(final.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
