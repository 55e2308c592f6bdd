"""Where a result's columns are read from: a file, or the memory of the run that made them."""

import mmap
import os
import stat
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import h5py
import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.results.bounded_file import refuse_unbounded
from dovetail.results.columns import LATER, TABLES
from dovetail.results.cut_short import SIGNATURE, described
from dovetail.results.damage import Lost, without_lost
from dovetail.results.datasets import REASON, ROWS, STATUS, Place
from dovetail.results.description import FORMAT, FORMAT_VERSION
from dovetail.results.header import Header
from dovetail.results.header_text import checked_settings, numbers_in, refuse_other_kind
from dovetail.results.integrity import CHECKSUMS, SUMMED_ROWS, damaged_rows, slices
from dovetail.results.layout import UNSEALED_VERSION, places_in
from dovetail.results.rows import RowTables
from dovetail.results.seal import BLOCK, Seal
from dovetail.results.sealing import seal_in, seal_mistake
from dovetail.results.status import (
    DAMAGED,
    EVERY_STATUS,
    FINISHED,
    INTERRUPTED,
    KILLED,
    REASON_BYTES,
    RUNNING,
    packed,
)

SUMMED_AT_OPENING = 1 << 28  # [bytes] larger results are trusted until `dovetail check`


class Stored(Protocol):
    """The rows of a run and what is constant about it."""

    name: str  # of the file
    header: Header
    status: str
    reason: str
    rows: dict[str, int]
    seal: Seal | None  # that the file was found to agree with

    def column(self, path: str) -> NDArray[Any]:
        """All rows of one column (do not change them)."""

    def release(self) -> None:
        """Memory may let go of what was read; it is read again when it is needed."""


class StoredInMemory:
    """A run that was kept in memory."""

    name = "result"
    seal: Seal | None = None

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

    def release(self) -> None:
        pass


@dataclass(frozen=True, eq=False)
class Written:
    """What a run knows of the file that it wrote."""

    header: Header
    places: dict[str, Place]
    rows: dict[str, int]
    seal: Seal | None
    status: str
    reason: str


class StoredInFile:
    """A result file, mapped as it was when opened: a new run does not disturb it."""

    def __init__(self, path: Path, verify: bool | None = None) -> None:
        """`verify` compares the seal or does not; None does so unless the file is large."""
        self.path, self.name, self._verify = path, path.name, verify
        self.seal: Seal | None = None
        while not self._opened(path):
            pass  # a run put a new file in place between our two looks at it

    @classmethod
    def of_run(cls, path: Path, written: Written) -> "StoredInFile":
        """The file at `path`, which this process wrote: nothing of it needs to be examined."""
        stored = cls.__new__(cls)
        stored.path, stored.name, stored._verify = path, path.name, None
        stored.header, stored.places, stored.seal = written.header, written.places, written.seal
        stored.rows = stored.capacity = dict(written.rows)
        stored.status = stored.recorded_status = written.status
        stored.reason = packed(written.reason, REASON_BYTES).rstrip(b"\0").decode()
        with path.open("rb") as file:
            stored._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        columns = [column for table in written.header.tables.values() for column in table]
        stored._columns = {
            column.path: stored._view(stored.places[column.path], column.dtype)
            for column in columns
        }
        return stored

    def _opened(self, path: Path) -> bool:
        """Map the file and read its description; False if the two were different files."""
        descriptor = _open(path)
        try:
            mapped = os.fstat(descriptor)
            self._bytes = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
            with described(path, mapped.st_size) as file:
                refuse_unbounded(file, mapped.st_size)
                self._read(file)
                return os.path.samestat(mapped, os.stat(path))  # noqa: PTH116
        except InputError as error:
            if str(path) in str(error):
                raise
            raise InputError(f"{path} cannot be used: {error}") from None
        except Exception as error:  # h5py raises many kinds on a damaged file
            raise InputError(
                f"{path} must be a dovetail result file, but it cannot be read "
                f"({' '.join(str(error).split())}); it is damaged, cut short, or of another kind"
            ) from error
        finally:
            os.close(descriptor)

    def column(self, path: str) -> NDArray[Any]:
        return self._columns[path]

    def release(self) -> None:
        if hasattr(mmap, "MADV_DONTNEED"):
            self._bytes.madvise(mmap.MADV_DONTNEED)

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
        if self.rows.get("frames", 0) < 1:
            raise InputError("it says that it has no frames, and a result has at least one")
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
        lost: dict[str, NDArray[np.bool_]] = {}
        for table, columns in self.header.tables.items():
            for column in columns:
                data = file[column.path]
                if data.shape[1:] != column.shape or not 0 <= self.rows[table] <= data.shape[0]:
                    raise ValueError(f"{column.path} has {data.shape} for {self.rows[table]} rows")
                refuse_other_kind(data, column.dtype)
                self.capacity[table] = data.shape[0]
                rows, there = self._mapped(column.path, column.dtype)
                used = (data[:] if rows is None else rows)[: self.rows[table]]
                self._columns[column.path] = used
                if there < len(used):
                    lost[column.path] = np.arange(len(used)) >= there
        size = sum(column.nbytes for column in self._columns.values())
        broken = ""
        if self._verify or (self._verify is None and size <= SUMMED_AT_OPENING):
            lost |= self._not_as_summed(file, lost)
            broken = self._seal_mistake(version)
        self._columns, self.rows, damage = without_lost(self.header.tables, self._columns, lost)
        if broken and not damage:
            damage = f"{broken}: its scene, its header or its structure was changed"
        if damage:
            self.status, self.reason = DAMAGED, damage

    def _seal_mistake(self, version: int) -> str:
        """What is wrong with the seal of a file that is not being written."""
        data = self._bytes
        if version <= UNSEALED_VERSION and data[: len(SIGNATURE)] == SIGNATURE:
            return ""
        seal, broken = seal_in(data[:BLOCK])
        if broken or self.recorded_status == RUNNING:
            return broken
        if seal is None and self.recorded_status != FINISHED:
            return ""  # there was no space to put one
        broken = seal_mistake(seal, lambda count, at: data[at : at + count], len(data))
        self.release()
        self.seal = None if broken else seal
        return broken

    def _not_as_summed(self, file: h5py.File, lost: Lost) -> dict[str, NDArray[np.bool_]]:
        """Rows whose checksums are not those the run left, where it left some."""
        sums, summed = file.get(CHECKSUMS), file.get(SUMMED_ROWS)
        if self.recorded_status == RUNNING or sums is None or summed is None:
            return {}
        if list(summed[:]) != list(self.rows.values()):
            return {}
        recorded, tables = sums[:], self.header.tables
        return {
            column.path: damaged_rows(column, self._columns[column.path], recorded[where])
            for _, column, where in slices(tables, self.capacity, self.rows)
            if column.path not in lost
        }

    def _mapped(self, path: str, dtype: str) -> tuple[NDArray[Any] | None, int]:
        """The column as a view of the file, and how many of its rows the file still has.

        None, and as many as there may be, where HDF5 itself must read it.
        """
        place: Place | None = self.places.get(path)
        if place is None or place.dtype != np.dtype(dtype):
            return None, sys.maxsize
        if place.size == 0:
            return np.zeros(place.shape, dtype), sys.maxsize
        there = (len(self._bytes) - place.offset) // max(place.row_bytes, 1)
        if there < place.shape[0]:
            cut = np.zeros(place.shape, dtype)
            if there > 0:
                whole = replace(place, shape=(there, *place.shape[1:]))
                cut[:there] = self._view(whole, dtype)
            return cut, max(there, 0)
        return self._view(place, dtype), sys.maxsize

    def _view(self, place: Place, dtype: str) -> NDArray[Any]:
        count = place.size // np.dtype(dtype).itemsize
        return np.frombuffer(self._bytes, dtype, count, place.offset).reshape(place.shape)


def _open(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe would wait for ever
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise InputError(f"{path} cannot be opened: it must be a plain file")
        return descriptor
    except FileNotFoundError:
        raise InputError(f"there is no result file {path}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be opened: {error.strerror}") from error


def _header(file: h5py.File) -> Header:
    meshes = {
        key: {part: data[()] for part, data in group.items()}
        for key, group in file.get("scene/meshes", {}).items()
    }
    names = _texts(file["bodies/name"])
    count = len(names)
    return Header(
        names=names,
        motion=_of_each(count, _texts(file["bodies/motion"])),
        mass=numbers_in(file["bodies/mass"], (count,)),
        inertia=numbers_in(file["bodies/inertia"], (count, 3, 3)),
        gravity=numbers_in(file["gravity"], (3,)),
        event_names=_texts(file["events/names"]),
        settings=checked_settings(_plain(file["run/settings"][()])),
        version=_plain(file.attrs["dovetail_version"]),
        document=_plain(file["scene/document"][()]),
        meshes=meshes,
        joint_names=_texts(file["joints/name"]) if "joints/name" in file else (),
        waypoints="waypoints/frame" in file,
        without=frozenset(path for path in LATER if path not in file),
    )


def _of_each(count: int, texts: tuple[str, ...]) -> tuple[str, ...]:
    if len(texts) != count:
        raise ValueError(f"it says of {len(texts)} bodies how they move, and names {count}")
    return texts


def _plain(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _texts(data: Any) -> tuple[str, ...]:
    return tuple(_plain(value) for value in data[:])
