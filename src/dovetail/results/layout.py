"""Laying out a result file once, so that a run only ever fills in bytes at known places.

Every dataset is contiguous and allocated at its full size when the file is created; HDF5 then
closes it. Nothing the HDF5 library must understand changes afterwards, so the file is valid
whatever happens to the process that fills it, and the space not yet filled is a hole on disk.
"""

from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from dovetail.results.header import Header
from dovetail.results.integrity import (
    CHECKSUMS,
    SUMMED_ROWS,
    Tables,
    slices,
    sum_of_rows,
    sums_needed,
)
from dovetail.results.raw_bytes import read_array_at, write_array_at
from dovetail.results.seal import BLOCK, NOT_SEALED
from dovetail.results.status import REASON_BYTES, STATUS_BYTES, packed

FORMAT, FORMAT_VERSION = "dovetail result", 2
UNSEALED_VERSION = 1  # of files without a seal
DESCRIPTION_BYTES = 1 << 15  # all HDF5 needs to know lies first: a file cut short still opens
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


def lay_out(
    path: Path, header: Header, capacity: dict[str, int], status: str, reason: str = ""
) -> dict[str, Place]:
    """Create the file at its full size and return where each dataset lies.

    Raises OSError where there is no space for it, and leaves nothing behind then.
    """
    try:
        places = _laid_out(path, header, capacity, status, reason)
        with path.open("r+b") as file:
            file.write(NOT_SEALED)
        return places
    except (OSError, RuntimeError) as error:  # HDF5 raises the latter where closing fails
        path.unlink(missing_ok=True)
        raise OSError(f"no space for it: {' '.join(str(error).split())}") from error


def _laid_out(
    path: Path, header: Header, capacity: dict[str, int], status: str, reason: str
) -> dict[str, Place]:
    with h5py.File(
        path, "w", libver=("v110", "v110"), alignment_threshold=8, alignment_interval=8,
        meta_block_size=DESCRIPTION_BYTES, userblock_size=BLOCK,
    ) as file:  # fmt: skip
        file.attrs["format"] = _text(FORMAT)
        file.attrs["format_version"] = np.int64(FORMAT_VERSION)
        file.attrs["dovetail_version"] = _text(header.version)
        file.attrs["units"] = _text("SI: m, kg, s, rad, N, J")
        new = _NewDatasets(file)
        tables = header.tables
        new.put(ROWS, np.zeros(len(tables), "<i8"), f"rows filled in: {', '.join(tables)}")
        new.put(STATUS, _bytes(packed(status, STATUS_BYTES)), "finished, interrupted, ...")
        new.put(REASON, _bytes(packed(reason, REASON_BYTES)), "why it did not finish")
        new.put(SUMMED_ROWS, np.zeros(len(tables), "<i8"), "rows when the checksums were made")
        sums = (sums_needed(tables, capacity),)
        new.reserve(CHECKSUMS, sums, "<u4", "CRC-32 of each 4 KiB of each column", "1")
        new.put("run/settings", _text(header.settings), "JSON: how the run was made")
        new.put("bodies/name", _texts(header.names))
        new.put("bodies/motion", _texts(header.motion))
        new.put("bodies/mass", header.mass, unit="kg")
        new.put("bodies/inertia", header.inertia, "body frame, centre of mass", "kg m^2")
        new.put("joints/name", _texts(header.joint_names))
        new.put("gravity", header.gravity, unit="m/s^2")
        new.put("events/names", _texts(header.event_names))
        new.put("scene/document", _text(header.document), "JSON: the scene of the run")
        for key in sorted(header.meshes):
            for part, array in sorted(header.meshes[key].items()):
                new.put(f"scene/meshes/{key}/{part}", array)
        for table, columns in tables.items():
            for column in columns:
                shape = (capacity[table], *column.shape)
                new.reserve(column.path, shape, column.dtype, column.meaning, column.unit)
        return {path: _place(dataset) for path, dataset in new.made.items()}


def write_row_counts(descriptor: int, places: dict[str, Place], rows: dict[str, int]) -> None:
    """All counts in one write: no kill comes between them."""
    write_array_at(descriptor, np.array(list(rows.values()), "<i8"), places[ROWS].offset)


def write_checksums(
    descriptor: int,
    places: dict[str, Place],
    tables: Tables,
    capacity: dict[str, int],
    rows: dict[str, int],
) -> None:
    """Sum up what the file holds, then say for how many rows that was."""
    for table, column, where in slices(tables, capacity, rows):
        size = rows[table] * column.row_bytes
        sums = sum_of_rows(read_array_at(descriptor, size, places[column.path].offset))
        write_array_at(descriptor, sums, places[CHECKSUMS].offset + 4 * where.start)
    write_array_at(descriptor, np.array(list(rows.values()), "<i8"), places[SUMMED_ROWS].offset)


def places_in(file: h5py.File) -> dict[str, Place]:
    """Where each contiguous dataset of an open file lies."""
    places: dict[str, Place] = {}

    def note(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and (item.size == 0 or item.id.get_offset() is not None):
            places[name] = _place(item)

    file.visititems(note)
    return places


def _place(dataset: h5py.Dataset) -> Place:
    return Place(dataset.id.get_offset() or 0, dataset.shape, dataset.dtype)


class _NewDatasets:
    """Contiguous datasets whose space is set aside at once and never filled by HDF5."""

    def __init__(self, file: h5py.File) -> None:
        self._file = file
        self.made: dict[str, h5py.Dataset] = {}
        self._creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        self._creation.set_layout(h5py.h5d.CONTIGUOUS)
        self._creation.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        self._creation.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        self._creation.set_obj_track_times(False)

    def reserve(
        self, path: str, shape: tuple[int, ...], dtype: Any, meaning: str, unit: str
    ) -> h5py.Dataset:
        group, _, name = path.rpartition("/")
        parent = self._file.require_group(group) if group else self._file
        kind = h5py.h5t.py_create(np.dtype(dtype), logical=True)
        space = h5py.h5s.create_simple(shape)
        identifier = h5py.h5d.create(parent.id, name.encode(), kind, space, self._creation)
        dataset = self.made[path] = h5py.Dataset(identifier)
        if meaning:
            dataset.attrs["meaning"] = _text(meaning)
        if unit:
            dataset.attrs["unit"] = _text(unit)
        return dataset

    def put(self, path: str, values: NDArray[Any], meaning: str = "", unit: str = "") -> None:
        dataset = self.reserve(path, values.shape, values.dtype, meaning, unit)
        if values.size:
            dataset[...] = values


def _bytes(raw: bytes) -> NDArray[Any]:
    """UTF-8 text of fixed length, padded with zeros."""
    return np.array(raw, dtype=h5py.string_dtype("utf-8", max(len(raw), 1)))


def _text(text: str) -> NDArray[Any]:
    return _bytes(text.encode())


def _texts(texts: tuple[str, ...]) -> NDArray[Any]:
    raw = [text.encode() for text in texts]
    return np.array(raw, dtype=h5py.string_dtype("utf-8", max([1, *map(len, raw)])))
