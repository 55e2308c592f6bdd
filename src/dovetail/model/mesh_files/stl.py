"""STL: a soup of triangles, binary or text; corners at the same place are made one vertex."""

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.mesh_files.raw import RawMesh, refuse_too_many

HEADER = 84  # bytes: 80 of comment, 4 of triangle count
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_stl(data: bytes, what: str) -> RawMesh:
    """A binary file has exactly the length its count asks for; anything else is read as text."""
    if len(data) >= HEADER:
        count = int(np.frombuffer(data, "<u4", 1, HEADER - 4)[0])
        if len(data) == HEADER + count * RECORD.itemsize:
            return _soup(np.frombuffer(data, RECORD, count, HEADER)["corners"], what)
        if b"vertex" not in data:
            raise InputError(
                f"{what} is not an STL file: a binary one with {count:,} triangles has "
                f"{HEADER + count * RECORD.itemsize:,} bytes, got {len(data):,}"
            )
    words = data.split()
    corners = [i for i, word in enumerate(words) if word.lower() == b"vertex"]
    if not corners or len(corners) % 3:
        raise InputError(
            f"{what} is not an STL file: it must hold three `vertex` lines for each triangle, "
            f"got {len(corners)} of them"
        )
    try:
        values = [[float(word) for word in words[i + 1 : i + 4]] for i in corners]
        return _soup(np.array(values, dtype=np.float64), what)
    except ValueError:
        raise InputError(f"{what} has a `vertex` line that is not three numbers") from None


def _soup(corners: NDArray[np.floating], what: str) -> RawMesh:
    vertices = corners.astype(np.float64).reshape(-1, 3)
    refuse_too_many(0, len(vertices) // 3, what)
    return RawMesh.of(vertices, np.arange(len(vertices)).reshape(-1, 3)).welded()
