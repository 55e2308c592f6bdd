"""Frames of a simulation in a result file, as `dt.simulate` writes it."""

from numbers import Integral
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any

from dovetail import __version__
from dovetail.contact.law import in_body_order
from dovetail.errors import InputError
from dovetail.integrators.interface import Stepper, StepReport
from dovetail.model.values import quote
from dovetail.results.header import Header, header_of
from dovetail.results.lock import locked
from dovetail.results.result import Result
from dovetail.results.side_files import remove_leftovers
from dovetail.results.status import FAILED, FINISHED
from dovetail.runtime.compile_notice import notice
from dovetail.simulate.embedded_scene import embedded_scene
from dovetail.simulate.fingerprint import canonical, described, described_scene
from dovetail.simulate.frame import Tally, frame_row
from dovetail.simulate.path import PathSinceFrame
from dovetail.simulate.plan import checked_place
from dovetail.simulate.recording import FileRecorder, MemoryRecorder

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
        self._steps = self._recorded = 0

    def __enter__(self) -> "LiveRecording":
        simulation, header = self._simulation, self._header()
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
        self._tally, self._began = Tally(), notice.run_clock()
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
        self._path = PathSinceFrame(stepper)
        self._path.begin(stepper.bodies)

    def after_step(self, report: StepReport) -> None:
        """Take a step that was made."""
        self._steps += 1
        self._tally.add(report)
        self._path.add_step(self._simulation.state)
        if self._steps % self._every == 0:
            self._record()

    def _record(self) -> None:
        if self._recorded == self._steps:
            return
        simulation = self._simulation
        state, observation = simulation.state, simulation.observe()
        row = frame_row(simulation.model, state, observation, self._tally)
        contacts = in_body_order(observation.contact.contacts)
        waypoints = self._path.rows(state)
        if waypoints is not None:
            self._recorder.add_waypoints(waypoints)
        self._path.begin(state)
        now = notice.run_clock()
        self._recorder.add_frame(row, contacts, now - self._began)
        self._recorded, self._began, self._tally = self._steps, now, Tally()
        if perf_counter() >= self._recorder.due:
            self._recorder.write_pending()

    def _header(self) -> Header:
        simulation = self._simulation
        document, meshes, left_out = embedded_scene(simulation.scene)
        settings = {
            "dovetail": __version__,
            "duration": None,
            "step": simulation.step_size,
            "every": self._every,
            "contact": described(simulation.contact),
            "integrator": described(simulation.integrator),
            "step_control": None,
            "events": [],
            "scene": described_scene(simulation.model),
            "functions_not_kept": [*left_out, INPUTS],
        }
        contact: Any = simulation.contact
        potential = contact is not None and contact.kind == "potential"
        waypoints = bool(getattr(simulation.integrator, "leaves_waypoints", potential))
        return header_of(
            simulation.model, (), canonical(settings), __version__, document, meshes, waypoints
        )
