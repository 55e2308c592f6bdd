"""The result file of a run in progress.

Frames gather in memory and are written in blocks: the raw bytes of each column first, then the
row counts in one write. A reader, or a resume after a kill, trusts only what is counted.
"""

import os
from contextlib import suppress
from pathlib import Path

from dovetail.results.datasets import REASON, STATUS, Place
from dovetail.results.header import Header
from dovetail.results.layout import lay_out, write_checksums, write_row_counts
from dovetail.results.raw_bytes import copy_range, replace_durably, write_array_at, write_at
from dovetail.results.rows import RowTables
from dovetail.results.seal import Seal
from dovetail.results.sealing import put_seal, take_seal_off
from dovetail.results.side_files import side_path
from dovetail.results.status import REASON_BYTES, RUNNING, STATUS_BYTES, packed
from dovetail.results.stored import StoredInFile, Written
from dovetail.results.whole_file import write_whole_file

BLOCK_BYTES = 1 << 20


class RunFile:
    """One result file being filled. `rows` are all rows, written or not."""

    def __init__(self, path: Path, header: Header, planned: dict[str, int]) -> None:
        """`planned` rows of each table are expected; more make the file grow."""
        self.path, self.header, self._planned = path, header, planned
        self._columns = header.tables
        frame_bytes = sum(column.row_bytes for column in self._columns["frames"])
        self._block = max(1, min(1024, BLOCK_BYTES // frame_bytes))
        self.pending = RowTables(header.tables, dict.fromkeys(header.tables, self._block))
        self._descriptor = -1

    @property
    def is_begun(self) -> bool:
        """Whether there is a file; until then all rows are in memory."""
        return self._descriptor >= 0

    def begin(self) -> None:
        """Lay out a new file beside `path`; `publish` puts it there."""
        self._laid = side_path(self.path, "new")
        self.capacity = dict(self._planned)
        self._places = lay_out(self._laid, self.header, self.capacity, RUNNING)
        self._descriptor = os.open(self._laid, os.O_RDWR)

    def resume(self, stored: StoredInFile, rows: dict[str, int]) -> None:
        """Continue the file of a stopped run after its first `rows` rows.

        Where the header is another one (a longer duration), the file is written again: the old one
        stays whole until then.
        """
        self._laid, self._places = self.path, stored.places
        self.capacity = dict(stored.capacity)
        self._descriptor = os.open(self.path, os.O_RDWR)
        self.pending.first = dict(rows)
        if stored.header.settings != self.header.settings:
            larger = {table: max(count, rows[table]) for table, count in self._planned.items()}
            self._rewrite(larger, RUNNING, "", "grow")
            return
        self._write_status(RUNNING, "")
        take_seal_off(self._descriptor)
        write_row_counts(self._descriptor, self._places, rows)

    @property
    def rows(self) -> dict[str, int]:
        return self.pending.rows

    @property
    def block_is_full(self) -> bool:
        return self.pending.buffers["frames"].count >= self._block

    def publish(self) -> None:
        """Put the new file in the place of whatever was there; until then that one is whole."""
        self.flush()
        self._laid.replace(self.path)
        self._laid = self.path

    def flush(self) -> None:
        """Write the rows gathered so far, then their count."""
        if not self.is_begun:
            self.begin()
            self.publish()
            return
        self._grow_to_fit(self.rows)
        for table, columns in self._columns.items():
            buffer, first = self.pending.buffers[table], self.pending.first[table]
            if buffer.count == 0:
                continue
            for column in columns:
                place = self._places[column.path]
                at = place.offset + first * place.row_bytes
                write_array_at(self._descriptor, buffer.filled(column.path), at)
        self.pending.drop_written()
        write_row_counts(self._descriptor, self._places, self.rows)

    def sync(self) -> None:
        """Make what was written outlast a power cut."""
        os.fsync(self._descriptor)

    def stop(self, status: str, reason: str = "", durable: bool = True) -> StoredInFile:
        """Write what is left, shrink the file to the rows there are, and offer it for reading.

        One that is `durable` outlasts a power cut, once this returns.
        """
        if not self.is_begun:
            places, whole = write_whole_file(
                self.path, self.header, self.pending, status, reason, durable
            )
            return self._written(places, whole, status, reason)
        self.flush()
        seal: Seal | None
        sync = self.sync if durable else lambda: None
        if self.capacity == self.rows:
            self._sum_up()
            sync()
            seal = put_seal(self._descriptor, self._status_bytes(status, reason))
            sync()
            self._write_status(status, reason)
            sync()
        else:
            seal = self._rewrite(self.rows, status, reason, "compact", durable)
        self.close()
        return self._written(self._places, seal, status, reason)

    def _written(
        self, places: dict[str, Place], seal: Seal | None, status: str, reason: str
    ) -> StoredInFile:
        written = Written(self.header, places, self.rows, seal, status, reason)
        return StoredInFile.of_run(self.path, written)

    def mark(self, status: str, reason: str) -> None:
        """Only record how the run ended, where there is no space to shrink the file."""
        with suppress(OSError):  # then it reads as interrupted, which is also true
            self._write_status(status, reason)
        self.close()

    def discard(self) -> None:
        """Delete a file that was never published."""
        if self.is_begun:
            self.close()
            self._laid.unlink(missing_ok=True)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _sum_up(self) -> None:
        rows = self.pending.first
        write_checksums(self._descriptor, self._places, self._columns, self.capacity, rows)

    def _grow_to_fit(self, needed: dict[str, int]) -> None:
        if all(needed[table] <= self.capacity[table] for table in needed):
            return
        larger = {
            table: self.capacity[table]
            if needed[table] <= self.capacity[table]
            else max(self._planned[table], 2 * needed[table])
            for table in needed
        }
        self._rewrite(larger, RUNNING, "", "grow")

    def _rewrite(
        self, capacity: dict[str, int], status: str, reason: str, ending: str, durable: bool = True
    ) -> Seal | None:
        """The same rows in a file of another size, put in place in one move."""
        written = self.pending.first
        temporary = side_path(self.path, ending)
        places = lay_out(temporary, self.header, capacity, status, reason)
        descriptor, seal = os.open(temporary, os.O_RDWR), None
        try:
            self._copy(self._descriptor, self._places, descriptor, places, written)
            if status != RUNNING:
                write_checksums(descriptor, places, self._columns, capacity, written)
                seal = put_seal(descriptor)
        except OSError:
            os.close(descriptor)
            temporary.unlink(missing_ok=True)
            raise
        if self._laid == self.path and durable:
            replace_durably(temporary, self.path)
        else:
            temporary.replace(self._laid)
        os.close(self._descriptor)
        self._descriptor, self._places, self.capacity = descriptor, places, dict(capacity)
        return seal

    def _copy(
        self,
        source: int,
        source_places: dict[str, Place],
        target: int,
        target_places: dict[str, Place],
        rows: dict[str, int],
    ) -> None:
        for table, columns in self._columns.items():
            for column in columns:
                a, b = source_places[column.path], target_places[column.path]
                copy_range(source, target, a.offset, b.offset, rows[table] * a.row_bytes)
        write_row_counts(target, target_places, rows)

    def _status_bytes(self, status: str, reason: str) -> dict[int, bytes]:
        """The bytes that say how the run ended, by offset."""
        return {
            self._places[REASON].offset: packed(reason, REASON_BYTES),
            self._places[STATUS].offset: packed(status, STATUS_BYTES),
        }

    def _write_status(self, status: str, reason: str) -> None:
        for offset, data in self._status_bytes(status, reason).items():
            write_at(self._descriptor, data, offset)
