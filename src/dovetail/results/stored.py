"""Where a result's columns are read from: a file, or the memory of the run that made them."""

import mmap
import os
from pathlib import Path
from typing import Any, Protocol

import h5py
import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.results.columns import TABLES
from dovetail.results.header import Header
from dovetail.results.layout import FORMAT, FORMAT_VERSION, REASON, ROWS, STATUS, Place, places_in
from dovetail.results.rows import RowTables
from dovetail.results.status import EVERY_STATUS, INTERRUPTED, KILLED, RUNNING


class Stored(Protocol):
    """The rows of a run and what is constant about it."""

    name: str  # of the file
    header: Header
    status: str
    reason: str
    rows: dict[str, int]

    def column(self, path: str) -> NDArray[Any]:
        """All rows of one column (do not change them)."""


class StoredInMemory:
    """A run that was kept in memory."""

    name = "result"

    def __init__(self, header: Header, tables: RowTables, status: str, reason: str) -> None:
        self.header, self.status, self.reason = header, status, reason
        self.rows = tables.rows
        self._columns = {
            path: buffer.filled(path)
            for buffer in tables.buffers.values()
            for path in buffer.arrays
        }

    def column(self, path: str) -> NDArray[Any]:
        return self._columns[path]


class StoredInFile:
    """A result file, mapped as it was when opened: a new run does not disturb it."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name
        while not self._opened(path):
            pass  # a run put a new file in place between our two looks at it

    def _opened(self, path: Path) -> bool:
        """Map the file and read its description; False if the two were different files."""
        descriptor = _open(path)
        try:
            mapped = os.fstat(descriptor)
            self._bytes = None
            if mapped.st_size:
                self._bytes = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
            with h5py.File(path, "r") as file:
                self._read(file)
                return os.path.samestat(mapped, os.stat(path))  # noqa: PTH116
        except InputError:
            raise
        except Exception as error:  # h5py raises many kinds on a damaged file
            raise InputError(
                f"{path} must be a whole dovetail result file, but it cannot be read "
                f"({' '.join(str(error).split())}); it is damaged, cut short, or of another kind"
            ) from error
        finally:
            os.close(descriptor)

    def column(self, path: str) -> NDArray[Any]:
        return self._columns[path]

    def _read(self, file: h5py.File) -> None:
        if _plain(file.attrs.get("format", b"")) != FORMAT:
            raise InputError(f"{self.path} is an HDF5 file, but not a dovetail result")
        version = int(file.attrs["format_version"])
        if version > FORMAT_VERSION:
            raise InputError(
                f"{self.path} has result format {version}, this dovetail reads up to "
                f"{FORMAT_VERSION}; use a newer dovetail"
            )
        counts = [int(n) for n in file[ROWS][:]]
        self.rows = dict(zip(TABLES, counts))
        self.recorded_status = _plain(file[STATUS][()])
        if self.recorded_status not in EVERY_STATUS:
            raise ValueError(f"status {self.recorded_status!r}")
        still = self.recorded_status == RUNNING
        self.status = INTERRUPTED if still else self.recorded_status
        self.reason = KILLED if still else _plain(file[REASON][()])
        self.header = _header(file)
        self.places = places_in(file)
        self.capacity: dict[str, int] = {}
        self._columns: dict[str, NDArray[Any]] = {}
        for table, columns in self.header.tables.items():
            for column in columns:
                data = file[column.path]
                if data.shape[1:] != column.shape or not 0 <= self.rows[table] <= data.shape[0]:
                    raise ValueError(f"{column.path} has {data.shape} for {self.rows[table]} rows")
                self.capacity[table] = data.shape[0]
                rows = self._mapped(column.path, column.dtype)
                self._columns[column.path] = (data[:] if rows is None else rows)[: self.rows[table]]

    def _mapped(self, path: str, dtype: str) -> NDArray[Any] | None:
        """The column as a view of the file; None where HDF5 itself must read it."""
        place: Place | None = self.places.get(path)
        if place is None or place.dtype != np.dtype(dtype):
            return None
        if place.size == 0 or self._bytes is None:
            return np.zeros(place.shape, dtype)
        if place.offset + place.size > len(self._bytes):
            raise ValueError(f"{path} lies beyond the end of the file")
        count = place.size // np.dtype(dtype).itemsize
        return np.frombuffer(self._bytes, dtype, count, place.offset).reshape(place.shape)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        raise InputError(f"there is no result file {path}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be opened: {error.strerror}") from error


def _header(file: h5py.File) -> Header:
    meshes = {
        key: {part: data[()] for part, data in group.items()}
        for key, group in file.get("scene/meshes", {}).items()
    }
    return Header(
        names=_texts(file["bodies/name"]),
        motion=_texts(file["bodies/motion"]),
        mass=file["bodies/mass"][:],
        inertia=file["bodies/inertia"][:],
        gravity=file["gravity"][:],
        event_names=_texts(file["events/names"]),
        settings=_plain(file["run/settings"][()]),
        version=_plain(file.attrs["dovetail_version"]),
        document=_plain(file["scene/document"][()]),
        meshes=meshes,
        joint_names=_texts(file["joints/name"]) if "joints/name" in file else (),
        waypoints="waypoints/frame" in file,
    )


def _plain(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _texts(data: Any) -> tuple[str, ...]:
    return tuple(_plain(value) for value in data[:])
