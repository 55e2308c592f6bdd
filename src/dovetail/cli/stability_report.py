"""The contacts of a scene or a result at one time, analysed and reported in lines."""

from typing import Any

import numpy as np

from dovetail.cli.scene_argument import find_scene
from dovetail.contact import LCP
from dovetail.contact.law import ContactRecord
from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.multibody.state import BodyState
from dovetail.results.loading import load
from dovetail.results.result import Result
from dovetail.simulate.requested import requested_contact
from dovetail.simulate.run import simulate
from dovetail.simulate.watching import friction_of, state_at
from dovetail.stability.monitor import Monitor, touching_rows


def analyse_result(
    path: str, time: float | None, friction: float | None, monitor: Monitor
) -> list[str]:
    """Lines about the recorded frame nearest to `time` [s], the last one where None."""
    result = load(path)
    frame = _frame(result, time)
    given = friction_of(result) if friction is None else friction
    model, state = result.scene.build(), state_at(result, frame)
    return _lines(model, state, result.contacts.at(frame), given, monitor)


def analyse_scene(
    source: str, time: float | None, friction: float | None, monitor: Monitor, allow: Any
) -> list[str]:
    """Lines about a scene at its start, or after a run with impulses to `time` [s]."""
    loaded = find_scene(source, allow)
    requested = requested_contact(loaded.run) if loaded.run.contact else None
    given = friction if friction is not None else getattr(requested, "friction", 0.0)
    end = 0.0 if time is None else time
    if end < 0:
        raise InputError(f"--time must be >= 0 s, got {end:g}")
    method = requested if isinstance(requested, LCP) and friction is None else LCP(friction=given)
    step = loaded.run.step or 1e-3
    if end == 0.0:  # one step that is not looked at: the first frame is the start
        result = simulate(loaded.scene, step, step, contact=method, progress=False)
        frame = 0
    else:
        result = simulate(loaded.scene, end, min(step, end), contact=method, progress=False)
        frame = -1
    state = state_at(result, frame)
    return _lines(result.scene.build(), state, result.contacts.at(frame), given, monitor)


def _frame(result: Result, time: float | None) -> int:
    if not len(result.time):
        raise InputError("the result has no frames to analyse")
    if time is None:
        return len(result.time) - 1
    if not result.time[0] <= time <= result.time[-1]:
        raise InputError(
            f"--time must be within the result, 0 to {result.time[-1]:g} s, got {time:g}"
        )
    return int(np.argmin(np.abs(result.time - time)))


def _lines(
    model: Model, state: BodyState, contacts: ContactRecord, friction: Any, monitor: Monitor
) -> list[str]:
    found = monitor.look(model, state, contacts, friction)
    count = len(touching_rows(model, contacts))
    said = "1 contact" if count == 1 else f"{count} contacts"
    lines = [f"t = {state.t:.6g} s: {said}, friction {friction}"]
    lines += [str(finding) for finding in found]
    if not found:
        lines.append(
            "every contact has one answer, and it is stable" if count else "none to analyse"
        )
    return lines
