"""Steps as frames of a recorder: the one place where frames are made, of runs and by hand."""

from typing import TYPE_CHECKING, Any, Protocol

from dovetail.contact.law import ContactRecord, in_body_order
from dovetail.integrators.interface import Observation, Stepper, StepReport
from dovetail.model.frozen import Model
from dovetail.multibody.state import BodyState
from dovetail.runtime.compile_notice import notice
from dovetail.simulate.frame import Tally, frame_row
from dovetail.simulate.path import PathSinceFrame

if TYPE_CHECKING:
    from dovetail.simulate.recording import Recorder


class LooksAtFrames(Protocol):
    """Who is shown every frame before it is kept."""

    def __call__(self, state: BodyState, row: dict[str, Any], contacts: ContactRecord) -> None: ...


class RecordedFrames:
    """What happened since the last frame, and the next one made of it."""

    def __init__(
        self, model: Model, stepper: Stepper, recorder: "Recorder",
        look: LooksAtFrames | None = None,
    ) -> None:  # fmt: skip
        self._model, self._recorder, self._look = model, recorder, look
        self.tally, self.path = Tally(), PathSinceFrame(stepper)
        self.began = notice.run_clock()

    def use(self, stepper: Stepper) -> None:
        """Follow the paths of this stepper from now on."""
        self.path = PathSinceFrame(stepper)
        self.path.begin(stepper.bodies)

    def record(self, state: BodyState, observation: Observation) -> int:
        """Add the state as a frame; returns how many contacts it has."""
        row = frame_row(self._model, state, observation, self.tally)
        contacts = in_body_order(observation.contact.contacts)
        if self._look is not None:
            self._look(state, row, contacts)
        waypoints = self.path.rows(state)
        if waypoints is not None:
            self._recorder.add_waypoints(waypoints)
        self.path.begin(state)
        now = notice.run_clock()
        self._recorder.add_frame(row, contacts, now - self.began)
        self.began, self.tally = now, Tally()
        return len(contacts.gaps)

    def add_step(self, report: StepReport, state: BodyState) -> None:
        """A step was made that led to `state`."""
        self.tally.add(report)
        self.path.add_step(state)
