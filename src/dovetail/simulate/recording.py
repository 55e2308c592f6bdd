"""Where the frames of a run go: memory, or a file with checkpoints."""

from collections.abc import Callable
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from dovetail.contact.law import ContactRecord
from dovetail.errors import RunError
from dovetail.model.scene import Scene
from dovetail.results.checkpoint import (
    Arrays,
    Checkpoint,
    checkpoint_path,
    write_checkpoint,
)
from dovetail.results.header import Header
from dovetail.results.result import Result
from dovetail.results.rows import RowTables
from dovetail.results.run_file import RunFile
from dovetail.results.side_files import side_path
from dovetail.results.status import FAILED, FINISHED, INTERRUPTED
from dovetail.results.stored import StoredInFile, StoredInMemory
from dovetail.results.timing import read_wall_time, write_wall_time

FLUSH_SECONDS = 0.2
CHECKPOINT_SECONDS = 1.0
COST_SHARE = 0.02  # of the run's time that flushes and checkpoints may take

TakeSnapshot = Callable[[], tuple[Arrays, Arrays, Arrays]]  # of loop, stepper and control


class Recorder(Protocol):
    """Takes what the loop records."""

    due: float  # when `pause` wants to be called next, on the clock of perf_counter [s]
    keep_due: float  # and `keep`

    def begin(self) -> None:
        """The first frame is there: the run has started properly."""

    def add_frame(self, row: dict[str, Any], contacts: ContactRecord, seconds: float) -> None: ...

    def add_frames(self, rows: Arrays, seconds: float) -> None:
        """Several frames without contacts, made in that time."""

    def add_event(self, which: int, time: float) -> None: ...

    def add_waypoints(self, rows: Arrays) -> None:
        """The path to the next frame, before that is added."""

    def pause(self, now: float, snapshot: TakeSnapshot) -> None:
        """Between two steps: a moment to write things down."""

    def keep(self, snapshot: TakeSnapshot) -> None:
        """Between two steps: remember the state in case that the next step is broken off."""

    def abandon(self) -> None:
        """The first frame could not be made: leave everything as it was."""

    def stop(self, status: str, reason: str, snapshot: TakeSnapshot | None) -> Result:
        """The result, with everything recorded; `snapshot` where the run can be resumed."""


class MemoryRecorder:
    """Keeps everything in memory."""

    due = keep_due = inf

    def __init__(self, header: Header, planned: dict[str, int], scene: Scene) -> None:
        self._header, self._scene = header, scene
        self._tables = RowTables(header.tables, planned)
        self._seconds: list[float] = []

    def begin(self) -> None:
        pass

    def add_frame(self, row: dict[str, Any], contacts: ContactRecord, seconds: float) -> None:
        self._tables.add_frame(row, contacts)
        self._seconds.append(seconds)

    def add_frames(self, rows: Arrays, seconds: float) -> None:
        self._tables.add_frames(rows)
        count = len(rows["time"])
        self._seconds += [seconds / count] * count

    def add_event(self, which: int, time: float) -> None:
        self._tables.add_event(which, time)

    def add_waypoints(self, rows: Arrays) -> None:
        self._tables.add_waypoints(rows)

    def pause(self, now: float, snapshot: TakeSnapshot) -> None:
        pass

    def keep(self, snapshot: TakeSnapshot) -> None:
        pass

    def abandon(self) -> None:
        pass

    def stop(self, status: str, reason: str, snapshot: TakeSnapshot | None) -> Result:
        stored = StoredInMemory(self._header, self._tables, status, reason)
        return Result(stored, np.array(self._seconds), self._scene)


class FileRecorder:
    """Fills the result file, and saves checkpoints from which a killed run is resumed."""

    def __init__(
        self, path: Path, header: Header, planned: dict[str, int], scene: Scene,
        extendable: bool = True,
    ) -> None:  # fmt: skip
        """`extendable`: a finished run keeps the checkpoint from which a longer one goes on."""
        self._path, self._scene, self._extendable = path, scene, extendable
        self._began = perf_counter()
        self._settings = header.settings
        self._file = RunFile(path, header, planned)
        self._seconds: list[float] = []
        self._next_flush = self._next_checkpoint = self.due = inf
        self._kept: Checkpoint | None = None
        self.keep_due = 0.0

    def start_over(self) -> None:
        """Begin a new file; the one at `path` stays whole until `begin`.

        Where no checkpoint is kept, a file is begun when the first rows are to be written: a run
        that ends before writes it at once.
        """
        if not self._extendable:
            return
        try:
            self._file.begin()
        except OSError as error:
            raise RunError(f"the result {self._path} could not be begun: {error}") from error

    def resume(self, stored: StoredInFile, checkpoint: Checkpoint) -> None:
        """Continue after the rows of `checkpoint`."""
        self._file.resume(stored, checkpoint.rows)
        frames = checkpoint.rows["frames"]
        known = read_wall_time(self._path, frames)
        self._seconds = [float("nan")] * frames if known is None else known.tolist()
        self._schedule(perf_counter())

    def begin(self) -> None:
        checkpoint_path(self._path).unlink(missing_ok=True)  # of an older run
        side_path(self._path, "timing.npy").unlink(missing_ok=True)
        if self._file.is_begun:
            self._file.publish()
        self._schedule(perf_counter())

    def add_frame(self, row: dict[str, Any], contacts: ContactRecord, seconds: float) -> None:
        self._file.pending.add_frame(row, contacts)
        self._seconds.append(seconds)
        self._write_if_full()

    def add_frames(self, rows: Arrays, seconds: float) -> None:
        self._file.pending.add_frames(rows)
        count = len(rows["time"])
        self._seconds += [seconds / count] * count
        self._write_if_full()

    def _write_if_full(self) -> None:
        if self._file.block_is_full and self.due < inf:
            self.due = 0.0

    def add_event(self, which: int, time: float) -> None:
        self._file.pending.add_event(which, time)

    def add_waypoints(self, rows: Arrays) -> None:
        self._file.pending.add_waypoints(rows)

    def pause(self, now: float, snapshot: TakeSnapshot) -> None:
        if now >= self._next_checkpoint:
            self._save(snapshot)
            cost = perf_counter() - now
            self._next_checkpoint = now + max(CHECKPOINT_SECONDS, cost / COST_SHARE)
        else:
            self._file.flush()
        self._next_flush = now + FLUSH_SECONDS
        self.due = min(self._next_flush, self._next_checkpoint)

    def keep(self, snapshot: TakeSnapshot) -> None:
        began = perf_counter()
        self._kept = Checkpoint(self._settings, self._file.rows, *snapshot())
        now = perf_counter()
        self.keep_due = now + (now - began) / COST_SHARE

    def write_pending(self) -> None:
        """Write the frames there are; no run can be resumed from them."""
        self._file.flush()
        now = perf_counter()
        self._next_flush, self._next_checkpoint = now + FLUSH_SECONDS, inf
        self.due = self._next_flush

    def stop(self, status: str, reason: str, snapshot: TakeSnapshot | None) -> Result:
        """A finished run keeps a checkpoint too, of before its last step: it may be extended.

        Without one a run shorter than the time between checkpoints may be lost in a power cut, too:
        to wait for the disk can take longer than the run.
        """
        unwritten, durable = None, True
        try:
            if snapshot is not None:
                self._save(snapshot)
            elif status == FINISHED and not self._extendable:
                checkpoint_path(self._path).unlink(missing_ok=True)
                durable = perf_counter() - self._began > CHECKPOINT_SECONDS
            elif self._kept is not None and status != FAILED:
                self._file.flush()
                write_checkpoint(self._path, self._kept, durable=status != FINISHED)
            stored = self._file.stop(status, reason, durable)
        except OSError as error:  # no space to shrink the file; what was written is kept
            why = f"the result could not be completed: {error.strerror or error}"
            unwritten = RunError(f"{why}; free some space, then resume")
            if not self._file.is_begun:
                raise unwritten from error
            status = INTERRUPTED if status == FINISHED else status
            self._file.mark(status, reason or str(unwritten))
            stored = StoredInFile(self._path)
        seconds = np.array(self._seconds)
        if durable:
            write_wall_time(self._path, seconds)
        result = Result(stored, seconds[: stored.rows["frames"]], self._scene)
        if unwritten is not None and status == INTERRUPTED:
            unwritten.result = result
            raise unwritten
        return result

    def abandon(self) -> None:
        self._file.discard()

    def _save(self, snapshot: TakeSnapshot) -> None:
        """Frames first, then the checkpoint that counts on them."""
        self._file.flush()
        self._file.sync()
        self._kept = Checkpoint(self._settings, self._file.rows, *snapshot())
        write_checkpoint(self._path, self._kept)
        write_wall_time(self._path, np.array(self._seconds))

    def _schedule(self, now: float) -> None:
        self._next_flush, self._next_checkpoint = now + FLUSH_SECONDS, now + CHECKPOINT_SECONDS
        self.due = min(self._next_flush, self._next_checkpoint)
