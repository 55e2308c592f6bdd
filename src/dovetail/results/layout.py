"""Laying out a result file once, so that a run only ever fills in bytes at known places.

Every dataset is contiguous and allocated at its full size when the file is created; HDF5 then
closes it. Nothing the HDF5 library must understand changes afterwards, so the file is valid
whatever happens to the process that fills it, and the space not yet filled is a hole on disk.
"""

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from dovetail.results.datasets import ROWS, Place, datasets_of
from dovetail.results.description import described_datasets
from dovetail.results.header import Header
from dovetail.results.integrity import CHECKSUMS, SUMMED_ROWS, Tables, slices, sum_of_rows
from dovetail.results.raw_bytes import read_array_at, write_array_at
from dovetail.results.seal import BLOCK, NOT_SEALED

UNSEALED_VERSION = 1  # of files without a seal


def lay_out(
    path: Path, header: Header, capacity: dict[str, int], status: str, reason: str = ""
) -> dict[str, Place]:
    """Create the file at its full size and return where each dataset lies.

    Raises OSError where there is no space for it, and leaves nothing behind then.
    """
    datasets = datasets_of(header, capacity, status, reason)
    try:
        image, places, size = described_datasets(header.version, datasets)
        image[:BLOCK] = np.frombuffer(NOT_SEALED, np.uint8)
        with path.open("wb", buffering=0) as file:
            file.truncate(size)
            write_array_at(file.fileno(), image, 0)
            for dataset in datasets:
                if dataset.values is not None:
                    write_array_at(file.fileno(), dataset.values, places[dataset.path].offset)
        return places
    except (OSError, RuntimeError) as error:  # HDF5 raises the latter where closing fails
        path.unlink(missing_ok=True)
        raise OSError(f"no space for it: {' '.join(str(error).split())}") from error


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
