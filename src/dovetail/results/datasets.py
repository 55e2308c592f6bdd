"""The datasets of a result file, in their order: what each is called, holds and says of itself."""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.results.header import Header
from dovetail.results.integrity import CHECKSUMS, SUMMED_ROWS, sums_needed
from dovetail.results.status import REASON_BYTES, STATUS_BYTES, packed

Kind = tuple[str, int, str, str, str]  # path, dimensions, type, meaning, unit
ROWS, STATUS, REASON = "run/rows", "run/status", "run/reason"


@dataclass(frozen=True)
class Place:
    """Where a dataset's raw bytes are."""

    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def row_bytes(self) -> int:
        return prod(self.shape[1:]) * self.dtype.itemsize

    @property
    def size(self) -> int:
        return prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True, eq=False)
class Dataset:
    """One array of a file; texts are UTF-8 of fixed length, padded with zeros."""

    path: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    meaning: str = ""
    unit: str = ""
    values: NDArray[Any] | None = None  # None: space to be filled

    @property
    def kind(self) -> Kind:
        """All that the description of a file says of it but sizes and its place."""
        dtype = "text" if self.dtype.kind == "S" else self.dtype.str
        return self.path, len(self.shape), dtype, self.meaning, self.unit


def datasets_of(
    header: Header, capacity: dict[str, int], status: str, reason: str
) -> list[Dataset]:
    """What is constant, with its values, then space for the rows of every column."""
    tables = header.tables
    counts, sums = np.zeros(len(tables), "<i8"), (sums_needed(tables, capacity),)
    found = [
        _put(ROWS, counts, f"rows filled in: {', '.join(tables)}"),
        _put(STATUS, bytes_of(packed(status, STATUS_BYTES)), "finished, interrupted, ..."),
        _put(REASON, bytes_of(packed(reason, REASON_BYTES)), "why it did not finish"),
        _put(SUMMED_ROWS, counts, "rows when the checksums were made"),
        Dataset(CHECKSUMS, sums, np.dtype("<u4"), "CRC-32 of each 4 KiB of each column", "1"),
        _put("run/settings", text_of(header.settings), "JSON: how the run was made"),
        _put("bodies/name", texts_of(header.names)),
        _put("bodies/motion", texts_of(header.motion)),
        _put("bodies/mass", header.mass, unit="kg"),
        _put("bodies/inertia", header.inertia, "body frame, centre of mass", "kg m^2"),
        _put("joints/name", texts_of(header.joint_names)),
        _put("gravity", header.gravity, unit="m/s^2"),
        _put("events/names", texts_of(header.event_names)),
        _put("scene/document", text_of(header.document), "JSON: the scene of the run"),
    ]
    for key in sorted(header.meshes):
        for part, array in sorted(header.meshes[key].items()):
            found.append(_put(f"scene/meshes/{key}/{part}", array))
    for table, columns in tables.items():
        rows = capacity[table]
        for column in columns:
            shape, dtype = (rows, *column.shape), np.dtype(column.dtype)
            found.append(Dataset(column.path, shape, dtype, column.meaning, column.unit))
    return found


def _put(path: str, values: NDArray[Any], meaning: str = "", unit: str = "") -> Dataset:
    values = np.ascontiguousarray(values).reshape(values.shape)  # a number keeps its shape
    return Dataset(path, values.shape, values.dtype, meaning, unit, values)


def bytes_of(raw: bytes) -> NDArray[Any]:
    """A text of fixed length."""
    return np.array(raw, dtype=f"S{max(len(raw), 1)}")


def text_of(text: str) -> NDArray[Any]:
    return bytes_of(text.encode())


def texts_of(texts: tuple[str, ...]) -> NDArray[Any]:
    """Texts of the same length."""
    raw = [text.encode() for text in texts]
    return np.array(raw, dtype=f"S{max([1, *map(len, raw)])}")
