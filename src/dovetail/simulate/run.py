"""Running a scene: checks, where to record, and how a run ends."""

from collections.abc import Callable, Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.contact.law import ContactMethod
from dovetail.integrators.interface import Integrator
from dovetail.model.scene import Scene
from dovetail.results.header import Header
from dovetail.results.lock import locked
from dovetail.results.result import Result
from dovetail.results.side_files import remove_leftovers
from dovetail.results.status import FAILED, FINISHED, INTERRUPTED
from dovetail.results.warnings import keep_warnings
from dovetail.runtime.compile_ahead import compile_ahead
from dovetail.runtime.options import named_options
from dovetail.simulate.energy_watch import Gain
from dovetail.simulate.events import Event
from dovetail.simulate.failures import explained
from dovetail.simulate.interrupt import CtrlC
from dovetail.simulate.live.simulation import Simulation
from dovetail.simulate.loop import OnStep, TimeLoop
from dovetail.simulate.needed_kernels import needed_kernels
from dovetail.simulate.plan import Plan, checked_plan
from dovetail.simulate.prepared import Prepared, prepared
from dovetail.simulate.progress import ProgressReport, progress_for
from dovetail.simulate.recording import FileRecorder, MemoryRecorder, Recorder
from dovetail.simulate.resuming import to_resume
from dovetail.simulate.run_header import run_header
from dovetail.simulate.scene_argument import RunChoices, found_scene
from dovetail.simulate.start_checks import say
from dovetail.simulate.starting_overlaps import overlaps_behind
from dovetail.simulate.step_control import StepControl
from dovetail.simulate.watching import Watch

if TYPE_CHECKING:
    from dovetail.stability.monitor import Monitor

# Rows set aside at first; more make the file grow.
CONTACTS_PER_FRAME, MAX_CONTACTS, MAX_WAYPOINTS = 16, 1 << 20, 1 << 14
MAX_FRAMES_UNKNOWN = 1 << 17  # where a step control decides how many there will be


# Numbers that overflow are found by the check of every state, which names the body and the time.
@named_options
@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def simulate(
    scene: Scene | str | PathLike[str],
    duration: float | None = None,
    step: float | None = None,
    contact: ContactMethod | str | None = None,
    integrator: Integrator | str | None = None,
    *,
    out: str | PathLike[str] | None = None,
    every: int | None = None,
    resume: bool = False,
    events: Iterable[Event] = (),
    step_control: StepControl | None = None,
    progress: bool | Callable[[ProgressReport], None] | None = None,
    on_step: OnStep | None = None,
    monitor: "Monitor | None" = None,
    check: bool | None = None,
    extendable: bool = True,
) -> Result:
    """Move `scene` from t = 0 to `duration` and return what happened.

    Args:
        scene: what moves: a `Scene`, or a scene file. The `run` section of a file says what is not
            given here: `dt.simulate("press.yaml")`.
        duration: [s] of simulated time.
        step: [s]; the last one is shorter where the duration is no multiple.
        contact: such as `dt.contact.SDF(...)`, or its name; None, where no file names one, lets
            bodies pass through each other.
        integrator: such as `dt.integrators.LieVerlet()`, or its name; default: one that fits.
        out: result file, written as the run goes; without it the result is kept in memory.
        every: record one frame every so many steps (the last state always); default 1.
        resume: continue `out` where it was stopped or killed, bit for bit; a longer `duration`
            extends it.
        events: `dt.Event`s to watch for.
        step_control: chooses the step as the run goes, from `step` on.
        progress: None shows a bar on a terminal, True always, False never; or a function.
        on_step: called after each step with (t, state).
        monitor: a `dt.stability.Monitor()` that reports contacts that are inconsistent, not
            unique or unstable; what it found is in `result.findings`.
        check: None says at the start what is suspicious and cheap to find (`result.warnings`);
            True looks for all that `dovetail check` does, and refuses errors; False says nothing.
        extendable: False keeps no checkpoint of a finished run, for many short runs: a longer
            `duration` starts over then, and a power cut may take a file written in its last second.

    Raises:
        InputError: what was requested makes no sense; nothing was run.
        RunError: the run could not continue; `error.result` has everything up to there.
    """
    functions = {"on_step": on_step}
    moving, chosen = found_scene(
        scene,
        RunChoices(duration, step, contact, integrator, every, step_control, monitor),
        "simulate()",
        needed=("duration", "step"),
    )
    duration, step, contact, integrator = (
        chosen.duration, chosen.step, chosen.contact, chosen.integrator,
    )  # fmt: skip
    every = 1 if chosen.every is None else chosen.every
    step_control, monitor = chosen.step_control, chosen.monitor
    plan = checked_plan(moving, duration, step, every, out, resume, events, step_control, functions)
    made = prepared(moving, plan, contact, integrator, check)
    plan, contact, integrator = made.plan, made.contact, made.integrator
    watch = None if monitor is None else Watch(monitor, plan.model, contact)
    header = run_header(
        moving, plan.model, contact, integrator, step=plan.step, every=plan.every,
        duration=plan.duration, control=plan.control, events=plan.events,
    )  # fmt: skip
    planned = _planned_rows(plan, contact, header)
    compiling = compile_ahead(*needed_kernels(plan.model, contact, integrator))
    if plan.out is None:
        with compiling:
            recorder = MemoryRecorder(header, planned, moving)
            loop = TimeLoop(plan, Simulation.of_run(made), recorder, on_step, watch)
            return _run(loop, recorder, made, progress, True, watch)
    with locked(plan.out), compiling:
        remove_leftovers(plan.out)
        unfinished = to_resume(plan.out, header, plan) if resume else None
        if isinstance(unfinished, Result):
            return Result(unfinished.stored, unfinished.stats.get("wall_time"), moving)
        simulation = Simulation.of_run(made)
        file_recorder = FileRecorder(plan.out, header, planned, moving, extendable)
        loop = TimeLoop(plan, simulation, file_recorder, on_step, watch)
        if unfinished is None:
            file_recorder.start_over()
        else:
            stored, checkpoint = unfinished
            loop.resume(checkpoint.loop, checkpoint.stepper, checkpoint.control)
            file_recorder.resume(stored, checkpoint)
        return _run(loop, file_recorder, made, progress, unfinished is None, watch)


def _run(
    loop: TimeLoop,
    recorder: Recorder,
    made: Prepared,
    progress: Any,
    starting: bool,
    watch: Watch | None,
) -> Result:
    """Run the loop and finish, interrupt or fail the recording."""
    plan = made.plan
    status, reason, failure, resumed = FINISHED, "", None, not starting
    whole = True  # the stepper is between two steps
    with CtrlC() as ctrl_c, progress_for(progress, plan.duration) as bar:
        try:
            if starting:
                loop.begin()
                starting = False
            loop.run(ctrl_c, bar)
            if loop.ended_by is not None:
                reason = f"ended by event {loop.ended_by!r} at t = {loop.t:.9g} s"
            elif loop.t < plan.duration:
                status = INTERRUPTED
        except KeyboardInterrupt:
            status, whole = INTERRUPTED, False
        except Exception as error:
            failure, whole = explained(error, loop.t, loop.cause()), False
            status, reason = FAILED, str(failure)
        finally:
            ctrl_c.in_step = False
        if starting:
            recorder.abandon()
        elif status == INTERRUPTED:
            reason = f"stopped by Ctrl-C at t = {loop.t:.9g} s"
        snapshot = loop.snapshot if whole and status == INTERRUPTED else None
        result = None if starting else recorder.stop(status, reason, snapshot)
    if watch is not None and result is not None:
        watch.finish(result, resumed)
    if result is not None:
        gained = warnings_of_energy(loop.energy.gain, made)
        say(gained)
        keep_warnings(result, (*made.warnings, *gained))
    if failure is not None:
        failure.result = result
        raise failure
    assert result is not None
    return result


def warnings_of_energy(gain: Gain | None, made: Prepared) -> tuple[str, ...]:
    """That energy appears from nowhere, and from which overlap."""
    if gain is None:
        return ()
    return (str(gain), *overlaps_behind(gain.begin, made.scene, made.contact))


def _planned_rows(plan: Plan, contact: ContactMethod | None, header: Header) -> dict[str, int]:
    frames = plan.n_frames
    if plan.control is not None:
        frames = min(frames, MAX_FRAMES_UNKNOWN)
    planned = {
        "frames": frames,
        "contacts": 0 if contact is None else min(CONTACTS_PER_FRAME * frames, MAX_CONTACTS),
        "events": 64 if plan.events else 0,
        "waypoints": min(frames * plan.model.n_bodies, MAX_WAYPOINTS),
    }
    return {table: planned[table] for table in header.tables}
