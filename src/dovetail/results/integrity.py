"""Checksums of a result's columns, so that damage is found and what is whole is still read.

Each column's rows are summed in blocks of 4 KiB (CRC-32) when a run ends; the sums of all columns
lie in one dataset, in the order of the columns, each column with space for its whole capacity.
"""

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.results.columns import Column

BLOCK = 1 << 12  # [bytes]
CHECKSUMS, SUMMED_ROWS = "run/checksums", "run/summed_rows"
Tables = dict[str, tuple[Column, ...]]
Sums = NDArray[np.uint32]


def sums_needed(tables: Tables, capacity: dict[str, int]) -> int:
    """How many checksums a file of that capacity may need."""
    return sum(_blocks(column, capacity[table]) for table, column in _columns(tables))


def sum_of_rows(data: NDArray[Any]) -> Sums:
    """A checksum per block of the raw bytes of a column's rows."""
    raw = np.ascontiguousarray(data).reshape(-1).view(np.uint8).data
    return np.array([zlib.crc32(raw[at : at + BLOCK]) for at in range(0, len(raw), BLOCK)], "<u4")


def damaged_rows(column: Column, data: NDArray[Any], sums: Sums) -> NDArray[np.bool_]:
    """Which rows of a column lie in a block whose checksum is not the recorded one."""
    damaged = np.zeros(len(data), bool)
    for block in np.flatnonzero(sum_of_rows(data) != sums):
        first, last = block * BLOCK // column.row_bytes, (block + 1) * BLOCK // column.row_bytes
        damaged[first : last + 1] = True
    return damaged


def slices(
    tables: Tables, capacity: dict[str, int], rows: dict[str, int]
) -> Iterator[tuple[str, Column, slice]]:
    """Where in the dataset of checksums those of each column's rows lie."""
    at = 0
    for table, column in _columns(tables):
        yield table, column, slice(at, at + _blocks(column, rows[table]))
        at += _blocks(column, capacity[table])


def _columns(tables: Tables) -> Iterator[tuple[str, Column]]:
    for table, columns in tables.items():
        for column in columns:
            yield table, column


def _blocks(column: Column, rows: int) -> int:
    return -(-rows * column.row_bytes // BLOCK)
