"""The HDF5 description of a result file, also of one that was cut short.

HDF5 refuses a file that ends before the place its first block names. The description itself lies at
the beginning (`description.py`), so a copy made as long as it was, with a hole at the
end, can be read; what lies in the hole is known by its place.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from dovetail.results.seal import BLOCK

SIGNATURE = b"\x89HDF\r\n\x1a\n"
END_AT = 28  # of the address of the file's end in a superblock of version 2 or 3
LONGEST = 1 << 50  # [bytes] a damaged address may say anything


@contextmanager
def described(path: Path, size: int) -> Iterator[h5py.File]:
    """The file opened by HDF5, or a copy with a hole where its end is missing."""
    end = _recorded_end(path)
    if end is None or end <= size or end > LONGEST:
        with h5py.File(path, "r") as file:
            yield file
        return
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.h5"
        shutil.copyfile(path, whole)
        os.truncate(whole, end)
        with h5py.File(whole, "r") as file:
            yield file


def _recorded_end(path: Path) -> int | None:
    with path.open("rb") as file:
        start = file.read(BLOCK + END_AT + 8)
    if not start.startswith(SIGNATURE):  # files of earlier versions have no block before it
        start = start[BLOCK:]
    if not start.startswith(SIGNATURE) or len(start) < END_AT + 8 or start[8] not in (2, 3):
        return None
    return int.from_bytes(start[END_AT : END_AT + 8], "little")
