"""A result file that is written at once: a short run, of which nothing was written before."""

import os
from math import prod
from pathlib import Path

import numpy as np

from dovetail.results.datasets import ROWS, Place, datasets_of
from dovetail.results.description import Bytes, described_datasets
from dovetail.results.header import Header
from dovetail.results.integrity import CHECKSUMS, SUMMED_ROWS, slices, sum_of_rows
from dovetail.results.rows import RowTables
from dovetail.results.seal import BLOCK, Seal, make_seal
from dovetail.results.side_files import side_path


def write_whole_file(
    path: Path, header: Header, tables: RowTables, status: str, reason: str, durable: bool
) -> tuple[dict[str, Place], Seal]:
    """Put a sealed file with all rows at `path`: the bytes that a file filled bit by bit has."""
    rows = tables.rows
    datasets = datasets_of(header, rows, status, reason)
    description, places, size = described_datasets(header.version, datasets)
    data = np.zeros(size, np.uint8)
    data[: len(description)] = description
    for dataset in datasets:
        if dataset.values is not None:
            _put(data, dataset.values, places[dataset.path])
    counts = np.array(list(rows.values()), "<i8")
    _put(data, counts, places[ROWS])
    _put(data, counts, places[SUMMED_ROWS])
    sums = np.zeros(prod(places[CHECKSUMS].shape), "<u4")
    for table, column, where in slices(header.tables, rows, rows):
        values = tables.buffers[table].filled(column.path)
        if len(values):
            _put(data, values, places[column.path])
            sums[where] = sum_of_rows(values)
    _put(data, sums, places[CHECKSUMS])
    seal = make_seal(lambda count, at: data[at : at + count].tobytes(), size)
    data[:BLOCK] = np.frombuffer(seal.block(), np.uint8)
    temporary = side_path(path, "new")
    try:
        with temporary.open("wb") as file:
            file.write(data.data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    return places, seal


def _put(data: Bytes, values: np.ndarray, place: Place) -> None:
    raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    data[place.offset : place.offset + len(raw)] = raw
