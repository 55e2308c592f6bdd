"""The monitor of contacts beside a run, and over a result that is there."""

import json
from typing import TYPE_CHECKING, Any

from dovetail.contact.law import ContactMethod, ContactRecord
from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.model.values import quote
from dovetail.multibody.state import BodyState
from dovetail.results.findings import write_findings
from dovetail.results.result import Result
from dovetail.results.stored import StoredInFile
from dovetail.stability.finding import Finding

if TYPE_CHECKING:
    from dovetail.stability.monitor import Monitor


class Watch:
    """Gives a monitor every recorded state of one run."""

    def __init__(self, monitor: Any, model: Model, contact: ContactMethod | None) -> None:
        from dovetail.stability.monitor import Monitor  # with its kernels, for those who want it

        if not isinstance(monitor, Monitor):
            raise InputError(f"`monitor` must be a dt.stability.Monitor(), got {quote(monitor)}")
        self._monitor, self._model = monitor, model
        self._friction = getattr(contact, "friction", 0.0)
        monitor.begin()

    def look(self, state: BodyState, contacts: ContactRecord) -> None:
        self._monitor.look(self._model, state, contacts, self._friction)

    def finish(self, result: Result, resumed: bool) -> None:
        """Give the result its findings; those before a resume are found again."""
        if resumed:
            self._monitor.begin()
            examine(result, self._monitor)
        result.findings = tuple(self._monitor.findings)
        if isinstance(result.stored, StoredInFile):
            write_findings(result.stored.path, result.findings)


def examine(result: Result, monitor: "Monitor", frames: Any = None) -> list[Finding]:
    """Let `monitor` look at recorded frames, all of them where None; returns what it found."""
    model, friction = result.scene.build(), friction_of(result)
    found = []
    for frame in range(len(result.time)) if frames is None else frames:
        state = state_at(result, frame)
        found += monitor.look(model, state, result.contacts.at(frame), friction)
    return found


def state_at(result: Result, frame: int) -> BodyState:
    """The motion of all bodies in one frame."""
    column = result.stored.column
    x, R, v, spin = (
        column(name)[frame] for name in ("position", "rotation", "velocity", "angular_velocity")
    )
    omega = (R.transpose(0, 2, 1) @ spin[:, :, None])[:, :, 0]
    return BodyState(float(result.time[frame]), x.copy(), R.copy(), v.copy(), omega)


def friction_of(result: Result) -> Any:
    """The friction the contact method of the run was given."""
    contact = json.loads(result.stored.header.settings).get("contact")
    if not isinstance(contact, dict):
        return 0.0
    for inside in (contact, *contact.values()):
        if isinstance(inside, dict) and "friction" in inside:
            return inside["friction"]
    return 0.0
