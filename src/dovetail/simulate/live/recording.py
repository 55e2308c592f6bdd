"""Frames of a simulation in a result file, as `dt.simulate` writes it."""

from numbers import Integral
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any

from dovetail.errors import InputError
from dovetail.integrators.interface import Stepper, StepReport
from dovetail.model.values import quote
from dovetail.results.lock import locked
from dovetail.results.result import Result
from dovetail.results.side_files import remove_leftovers
from dovetail.results.status import FAILED, FINISHED
from dovetail.simulate.plan import checked_place
from dovetail.simulate.recorded_frames import RecordedFrames
from dovetail.simulate.recording import FileRecorder, MemoryRecorder
from dovetail.simulate.run_header import run_header

if TYPE_CHECKING:
    from dovetail.simulate.live.simulation import Simulation

FRAMES, CONTACTS = 256, 1024  # rows set aside at first; more make the file grow
INPUTS = "forces, efforts and targets set between steps"


class LiveRecording:
    """Records while it is entered: `with sim.recording("run.h5") as recording: ...`.

    `recording.result` is there when it ended. Without a path frames are kept in memory.
    """

    def __init__(self, simulation: "Simulation", path: Any, every: Any) -> None:
        if isinstance(every, bool) or not isinstance(every, Integral) or every < 1:
            raise InputError(f"`every` must be a whole number of steps >= 1, got {quote(every)}")
        self._simulation, self._every = simulation, int(every)
        self.path: Path | None = checked_place(path, False, "`path`")
        self.result: Result | None = None
        self._recorder: Any = None
        self._lock: Any = None

    def __enter__(self) -> "LiveRecording":
        simulation = self._simulation
        header = run_header(
            simulation.scene, simulation.model, simulation.contact, simulation.integrator,
            step=simulation.step_size, every=self._every, not_kept=[INPUTS],
        )  # fmt: skip
        planned = {"frames": FRAMES, "contacts": CONTACTS, "events": 0, "waypoints": FRAMES}
        planned = {table: planned[table] for table in header.tables}
        if self.path is None:
            self._recorder = MemoryRecorder(header, planned, simulation.scene)
        else:
            self._lock = locked(self.path)
            self._lock.__enter__()
            remove_leftovers(self.path)
            self._recorder = FileRecorder(self.path, header, planned, simulation.scene)
            self._recorder.start_over()
        self._frames = RecordedFrames(simulation.model, simulation._stepper, self._recorder)
        self._steps, self._recorded = 0, -1
        self.use(simulation._stepper)
        self._record()
        self._recorder.begin()
        simulation.recordings().append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._simulation.recordings().remove(self)
        status, reason = FINISHED, ""
        try:
            if error is None:
                self._record()
            else:
                status, reason = FAILED, str(error) or type(error).__name__
            self.result = self._recorder.stop(status, reason, None)
        finally:
            if self._lock is not None:
                self._lock.__exit__(None, None, None)

    def use(self, stepper: Stepper) -> None:
        """Follow the paths of this stepper."""
        self._frames.use(stepper)

    def after_step(self, report: StepReport) -> None:
        """Take a step that was made."""
        self._steps += 1
        self._frames.add_step(report, self._simulation.state)
        if self._steps % self._every == 0:
            self._record()

    def _record(self) -> None:
        if self._recorded == self._steps:
            return
        simulation = self._simulation
        self._frames.record(simulation.state, simulation.observe())
        self._recorded = self._steps
        if perf_counter() >= self._recorder.due:
            self._recorder.write_pending()
