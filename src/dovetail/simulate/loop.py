"""The time loop itself."""

from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.errors import RunError, error_text
from dovetail.integrators.interface import (
    FrameBlock,
    Snapshot,
    StepReport,
    observed_state,
)
from dovetail.model.values import Array
from dovetail.multibody.state import BodyState, StateByName
from dovetail.results.checkpoint import Arrays
from dovetail.runtime.compile_notice import notice
from dovetail.simulate.energy_watch import EnergyWatch
from dovetail.simulate.events import EventWatch
from dovetail.simulate.failures import refuse_not_finite, seems_finite
from dovetail.simulate.frame import Tally, frame_rows
from dovetail.simulate.interrupt import CtrlC
from dovetail.simulate.plan import Plan
from dovetail.simulate.progress import Progress, ProgressReport
from dovetail.simulate.recorded_frames import RecordedFrames
from dovetail.simulate.recording import Recorder
from dovetail.simulate.watching import Watch

if TYPE_CHECKING:
    from dovetail.simulate.live.simulation import Simulation

SMALLEST_STEP = 1e-14  # of the duration: below, time no longer moves

FIRST_CHUNK = 16  # steps in one go, doubled as long as they take less than
CHUNK_SECONDS = 0.02
MOST_FRAMES = 2048  # in one go

OnStep = Callable[[float, Any], object]


class TimeLoop:
    """Steps a simulation from 0 to the duration, or to a terminal event, and records frames."""

    def __init__(
        self,
        plan: Plan,
        simulation: "Simulation",
        recorder: Recorder,
        on_step: OnStep | None,
        watch: Watch | None = None,
    ) -> None:
        self._plan, self._simulation, self._recorder = plan, simulation, recorder
        self._on_step, stepper = on_step, simulation.stepper
        self._stepper = stepper
        self._watch = EventWatch(plan.events, plan.model, stepper)
        self._monitor = watch
        self._frames = RecordedFrames(plan.model, stepper, recorder, self._look_at_frame)
        self.energy = EnergyWatch(plan.model)
        self.t, self._k = 0.0, 0
        self._h = plan.step  # the next one, where a step control decides
        self._recorded, self._contacts = -1, 0
        self._last = StepReport()
        steps_alone = not plan.events and plan.control is None and on_step is None and watch is None
        steps_alone = steps_alone and not simulation.has_limited_servos
        self._ahead: Any = stepper if steps_alone and _steps_ahead(stepper) else None
        self._chunk = FIRST_CHUNK  # steps in one go
        self.ended_by: str | None = None  # a terminal event
        self.stopped = False  # by Ctrl-C in `on_step`

    def begin(self) -> None:
        """Record the initial state."""
        if self._plan.control is not None:
            self._h = self._checked_step(self._plan.control.first(self._plan.step))
        refuse_not_finite(self._plan.model, self._stepper.bodies)
        self._watch.begin()
        self._record()
        self._recorder.begin()

    def run(self, ctrl_c: CtrlC, progress: Progress) -> None:
        """Go on until the end, a terminal event or Ctrl-C."""
        duration, recorder = self._plan.duration, self._recorder
        while not self._is_done and not ctrl_c.pressed:
            if perf_counter() >= recorder.keep_due or self._next_step_ends:
                recorder.keep(self.snapshot)
            ctrl_c.in_step = True
            if self._ahead is None:
                self._advance()
            else:
                self._steps_ahead()
            ctrl_c.in_step = False
            if self._k % self._plan.every == 0 or self._is_done:
                self._record()
            now = perf_counter()
            if now >= recorder.due and not self._is_done:  # the last step may be a shorter one
                self._pause(now)
            if now >= progress.due:
                iterations = self._last.iterations
                report = ProgressReport(self.t, duration, self._k, self._contacts, iterations)
                progress.update(report, now)

            if self.stopped:
                return

    @property
    def _is_done(self) -> bool:
        return self.t >= self._plan.duration or self.ended_by is not None

    @property
    def _next_step_ends(self) -> bool:
        """Whether the next step may be the last one, which a longer run would not take."""
        if self._plan.control is None:
            return self._k >= self._plan.n_steps - 1
        return self.t + self._h > self._plan.duration * (1 - SMALLEST_STEP)

    def _pause(self, now: float) -> None:
        try:
            self._recorder.pause(now, self.snapshot)
        except OSError as error:
            why = error.strerror or error
            raise RunError(f"the result could not be written: {why}", self.t) from error

    def snapshot(self) -> tuple[Arrays, Arrays, Arrays]:
        """All that `resume` needs: of the loop, the stepper and the step control."""
        tally = self._frames.tally
        loop: Arrays = {
            "t": np.array(self.t),
            "k": np.array(self._k),
            "h": np.array(self._h),
            "tally": np.array(
                [tally.iterations, tally.rejected, tally.unsettled, tally.unconverged]
            ),
            "residual": np.array([tally.residual, tally.creep]),
            "recorded": np.array([self._recorded, self._contacts]),
            "events": self._watch.values.copy(),
            **self._simulation.kept(),
            **self._frames.path.snapshot(),
            **self.energy.snapshot(),
        }
        of_control = getattr(self._plan.control, "snapshot", dict)
        return loop, self._stepper.snapshot(), of_control()

    def resume(self, loop: Arrays, stepper: Arrays, control: Arrays) -> None:
        """Return to where `snapshot` was taken."""
        if self._simulation.has_limited_servos:
            self._simulation.return_to(stepper, loop, float(loop["t"]))
        else:
            self._stepper.restore(stepper)
        step_control: Any = self._plan.control
        if control:  # only one with a state of its own saved any
            step_control.restore(control)
        self.t, self._k, self._h = float(loop["t"]), int(loop["k"]), float(loop["h"])
        iterations, rejected, unsettled, unconverged = loop["tally"].tolist()
        residual, creep = loop["residual"].tolist()
        self._frames.tally = Tally(iterations, rejected, residual, creep, unsettled, unconverged)
        self._recorded, self._contacts = loop["recorded"].tolist()
        self._watch.values = loop["events"]
        self._frames.path.restore(loop)
        self.energy.restore(loop)
        self._frames.began = notice.run_clock()

    def cause(self) -> str:
        """What may have made a step fail; "" where nothing is known."""
        return self._simulation.cause()

    def _advance(self) -> None:
        """One accepted step, and what happened in it."""
        t_before = self.t
        watched = bool(self._plan.events)
        before = self._stepper.snapshot() if watched or self._plan.control is not None else {}
        if self._plan.control is None:
            t_next = self._plan.time_after(self._k + 1)
            report = self._simulation.advance_to(t_next)
        else:
            t_next, report = self._controlled_step(before)
        self._last = report
        state = self._stepper.bodies
        self._simulation.refuse_state(t_next - t_before)
        self._k += 1
        self.t = t_next
        self._frames.add_step(report, state)
        if watched:
            self._record_events(t_before, before)
        if self._on_step is not None:
            try:
                self._on_step(self.t, StateByName(self._plan.model, observed_state(self._stepper)))
            except KeyboardInterrupt:  # the step is whole
                self.stopped = True
            except Exception as error:
                raise RunError(f"`on_step` failed: {error_text(error)}", self.t) from error

    def _steps_ahead(self) -> None:
        """Many steps at once, as long as nothing has to be done between them."""
        began, plan = perf_counter(), self._plan
        count = min(self._chunk, max(1, plan.n_steps - 1 - self._k))  # the last one alone
        steps = np.arange(self._k, self._k + count + 1)
        times = np.array([self.t, *(plan.time_after(int(k)) for k in steps[1:])])
        records = (steps[1:] % plan.every == 0) | (times[1:] >= plan.duration)
        which = np.where(records, np.cumsum(records) - 1, -1)
        block, done, left, failure = self._ahead.steps_ahead(times, which)
        made = len(block.iterations)
        self._last = left
        if made:
            frames = self._frames
            block.iterations[0] += frames.tally.iterations
            block.residual[0] = max(block.residual[0], frames.tally.residual)
            frames.tally = Tally()
            now = notice.run_clock()
            at = times[1:][records][:made]
            rows = frame_rows(plan.model, at, block)
            self._look_at_energy(at, block, rows)
            self._recorder.add_frames(rows, now - frames.began)
            frames.began = now
            self._recorded = int(steps[1:][records][made - 1])
            self._last = StepReport(int(block.iterations[-1]))
        self._frames.tally.add(left)
        self._k, self.t = self._k + done, float(times[done])
        if failure is not None:
            raise failure
        state = self._stepper.bodies
        self._simulation.refuse_state(float(times[-1] - times[-2]))
        self._frames.path.begin(state)
        if perf_counter() - began < CHUNK_SECONDS:
            self._chunk = min(2 * self._chunk, MOST_FRAMES * plan.every)

    def _look_at_energy(self, times: Array, block: FrameBlock, rows: dict[str, Any]) -> None:
        energies = [rows[f"energy/{part}"] for part in ("kinetic", "potential", "total")]
        for k in self.energy.worth_a_look(*energies):
            state = BodyState(float(times[k]), block.x[k], block.R[k], block.v[k], block.omega[k])
            self.energy.look(state, *(float(energy[k]) for energy in energies))

    def _controlled_step(self, before: Snapshot) -> tuple[float, StepReport]:
        """Try until the step control accepts; a step that fails has an infinite error."""
        control, stepper, duration = self._plan.control, self._stepper, self._plan.duration
        assert control is not None
        while True:
            t_next = self.t + self._h
            if t_next > duration - SMALLEST_STEP * duration:
                t_next = duration
            failure = None
            try:
                report = self._simulation.advance_to(t_next)
                if not seems_finite(stepper.bodies):
                    refuse_not_finite(self._plan.model, stepper.bodies)
            except RunError as error:
                failure, report = error, StepReport(error=inf)
            accepted, h = control.next(t_next - self.t, report)
            self._h = self._checked_step(h)
            if accepted and failure is not None:
                raise failure
            if accepted:
                return t_next, report
            self._frames.tally.add(report)
            self._frames.tally.rejected += 1
            stepper.restore(before)

    def _checked_step(self, h: float) -> float:
        least = SMALLEST_STEP * self._plan.duration
        if not least <= h < inf:
            raise RunError(
                f"the step control must keep the step above {least:.3g} s, it requests {h:.3g} s",
                self.t,
            )
        return float(h)

    def _record_events(self, t_before: float, before: Snapshot) -> None:
        happened, ended = self._watch.after_step(t_before, before, self.t)
        for which, time in happened:
            self._recorder.add_event(which, time)
        if ended:
            which, self.t = happened[-1]
            self.ended_by = self._plan.events[which].name
            self._frames.path.drop_step()
            if self.t > t_before:
                self._frames.path.add_step(self._stepper.bodies)

    def _record(self) -> None:
        """Add the current state as a frame, once."""
        if self._recorded == self._k:
            return
        self._contacts = self._frames.record(observed_state(self._stepper), self._stepper.observe())
        self._recorded = self._k

    def _look_at_frame(self, state: BodyState, row: dict[str, Any], contacts: Any) -> None:
        self.energy.look(state, row["energy/kinetic"], row["energy/potential"], row["energy/total"])
        if self._monitor is not None:
            self._monitor.look(state, contacts)


def _steps_ahead(stepper: Any) -> bool:
    return bool(getattr(stepper, "can_step_ahead", False)) and not hasattr(stepper, "waypoints")
