"""STL: a soup of triangles, binary or text; corners at the same place are made one vertex."""

import re

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.mesh_files.raw import RawMesh, refuse_too_many

HEADER = 84  # bytes: 80 of comment, 4 of triangle count
# possessive: linear time whatever the text; words that are missing are None
CORNER = re.compile(rb"(?<!\S)vertex(?!\S)(?:\s++(\S++)(?:\s++(\S++)(?:\s++(\S++))?)?)?", re.I)
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_stl(data: bytes, what: str) -> RawMesh:
    """A binary file has exactly the length its count needs; anything else is read as text."""
    if len(data) >= HEADER:
        count = int(np.frombuffer(data, "<u4", 1, HEADER - 4)[0])
        if len(data) == HEADER + count * RECORD.itemsize:
            return _soup(np.frombuffer(data, RECORD, count, HEADER)["corners"], what)
        if b"vertex" not in data:
            raise InputError(
                f"{what} is not an STL file: a binary one with {count:,} triangles has "
                f"{HEADER + count * RECORD.itemsize:,} bytes, got {len(data):,}"
            )
    count = sum(1 for _ in CORNER.finditer(data))
    if not count or count % 3:
        raise InputError(
            f"{what} is not an STL file: it must hold three `vertex` lines for each triangle, "
            f"got {count:,} of them"
        )
    refuse_too_many(0, count // 3, what)
    words = (word for corner in CORNER.finditer(data) for word in corner.groups())
    try:
        return _soup(np.fromiter((float(word or b"") for word in words), np.float64), what)
    except ValueError:
        raise InputError(f"{what} has a `vertex` line that is not three numbers") from None


def _soup(corners: NDArray[np.floating], what: str) -> RawMesh:
    refuse_too_many(0, corners.size // 9, what)
    vertices = corners.astype(np.float64).reshape(-1, 3)
    return RawMesh.of(vertices, np.arange(len(vertices)).reshape(-1, 3)).welded()
