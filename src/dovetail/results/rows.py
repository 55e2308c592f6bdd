"""Rows gathered in memory: a whole run without a file, or the part not yet written to one."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.contact.law import ContactRecord
from dovetail.results.columns import Column


class RowBuffer:
    """Growing arrays, one per column of a table."""

    def __init__(self, columns: tuple[Column, ...], capacity: int) -> None:
        self.columns = columns
        self.arrays: dict[str, NDArray[Any]] = {
            column.path: np.zeros((max(capacity, 1), *column.shape), column.dtype)
            for column in columns
        }
        self.count = 0

    @property
    def capacity(self) -> int:
        return len(next(iter(self.arrays.values())))

    def append(self, row: Mapping[str, Any]) -> None:
        """Add one row; every column must be given."""
        if self.count == self.capacity:
            self._reserve(self.count + 1)
        for path, array in self.arrays.items():
            array[self.count] = row[path]
        self.count += 1

    def extend(self, rows: Mapping[str, NDArray[Any]], count: int) -> None:
        """Add `count` rows at once."""
        if self.count + count > self.capacity:
            self._reserve(self.count + count)
        for path, array in self.arrays.items():
            array[self.count : self.count + count] = rows[path]
        self.count += count

    def filled(self, path: str) -> NDArray[Any]:
        """The rows there are (a view)."""
        return self.arrays[path][: self.count]

    def clear(self) -> None:
        self.count = 0

    def _reserve(self, needed: int) -> None:
        capacity = max(needed, 2 * self.capacity)
        for path, array in self.arrays.items():
            larger = np.zeros((capacity, *array.shape[1:]), array.dtype)
            larger[: self.count] = array[: self.count]
            self.arrays[path] = larger


class RowTables:
    """The frames, contacts, events and waypoints of a run, or of the last part of one.

    `first` counts the rows that came before, so that `contacts/start` is right in the whole.
    """

    def __init__(
        self, tables: Mapping[str, tuple[Column, ...]], capacity: Mapping[str, int]
    ) -> None:
        self.buffers = {name: RowBuffer(tables[name], capacity[name]) for name in tables}
        self.first = dict.fromkeys(tables, 0)

    @property
    def rows(self) -> dict[str, int]:
        """Rows of each table so far, those before `first` included."""
        return {name: self.first[name] + buffer.count for name, buffer in self.buffers.items()}

    def add_frame(self, row: Mapping[str, Any], contacts: ContactRecord) -> None:
        """Add a frame with its contacts."""
        count = len(contacts.gaps)
        touching = self.buffers["contacts"]
        start = self.first["contacts"] + touching.count
        if count:
            touching.extend(
                {
                    "contacts/bodies": contacts.bodies,
                    "contacts/points": contacts.points,
                    "contacts/normals": contacts.normals,
                    "contacts/forces": contacts.forces,
                    "contacts/gaps": contacts.gaps,
                    "contacts/torques": contacts.torques,
                },
                count,
            )
        self.buffers["frames"].append({**row, "contacts/start": start, "contacts/count": count})

    def add_frames(self, rows: Mapping[str, NDArray[Any]]) -> None:
        """Add frames without contacts."""
        count = len(rows["time"])
        start = np.full(count, self.first["contacts"] + self.buffers["contacts"].count)
        none = np.zeros(count, np.int64)
        frames = {**rows, "contacts/start": start, "contacts/count": none}
        self.buffers["frames"].extend(frames, count)

    def add_event(self, which: int, time: float) -> None:
        self.buffers["events"].append({"events/which": which, "events/time": time})

    def add_waypoints(self, rows: Mapping[str, NDArray[Any]]) -> None:
        """Add the path to the next frame, to be called before `add_frame`."""
        count = len(rows["waypoints/body"])
        frame = np.full(count, self.first["frames"] + self.buffers["frames"].count)
        self.buffers["waypoints"].extend({**rows, "waypoints/frame": frame}, count)

    def drop_written(self) -> None:
        """Drop the rows after they were written, keeping count of them."""
        self.first = self.rows
        for buffer in self.buffers.values():
            buffer.clear()
