"""Compiled kernels that come with the package: one archive in the wheel, none in a checkout.

    kernels.json   what they were compiled for, and of each kernel: place, size, digest
    kernels.bin    the kernels, each compressed by itself (zlib: five times as fast as LZMA and
                   a quarter larger)

`python release/build_wheel.py` makes both. A kernel is read only when it is called first, and
unpickled only if its bytes have the digest that the list has for it.
"""

import functools
import hashlib
import json
import sys
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numba

from dovetail.runtime.compile_notice import notice
from dovetail.runtime.target import host_has, is_native_chosen, level_of_architecture

FOLDER = Path(__file__).parent / "kernels"


def made_for() -> dict[str, str]:
    """What the kernels of an archive made here fit: versions, Python, level of the processor."""
    level = level_of_architecture()
    return {
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "python": str(sys.implementation.cache_tag),
        "level": "" if level is None else level.name,
    }


@dataclass(frozen=True)
class Archive:
    """The kernels of the package."""

    path: Path  # of kernels.bin
    places: Mapping[str, Any]  # name of an entry: [offset, size, digest of these bytes]

    def read(self, name: str) -> bytes | None:
        """The pickle of one kernel; None, with a message, if it is not what was shipped."""
        if name not in self.places:
            return None
        offset, size, digest = self.places[name]
        try:
            with self.path.open("rb") as file:
                file.seek(offset)
                packed = file.read(size)
        except OSError:
            packed = b""
        if hashlib.sha256(packed).hexdigest() != digest:
            notice.say_tampered(name.partition("-")[0], self.path)
            return None
        return zlib.decompress(packed)


@functools.cache
def archive() -> Archive | None:
    """The archive of the package; None if there is none, or for another machine or Numba."""
    try:
        listed = json.loads((FOLDER / "kernels.json").read_text())
    except (OSError, ValueError):
        return None
    level = level_of_architecture()
    if is_native_chosen() or level is None or not host_has(level):
        return None
    found = made_for()
    others = [key for key, value in listed["made_for"].items() if found.get(key) != value]
    if others:
        notice.say_shipped_for_others({key: listed["made_for"][key] for key in others}, found)
        return None
    return Archive(FOLDER / "kernels.bin", listed["kernels"])
