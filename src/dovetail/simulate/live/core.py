"""The stepper of a simulation, its time, and the inputs that are handed to it."""

import math
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from dovetail.contact.derived_settings import derived_before
from dovetail.contact.law import ContactMethod, ContactRecord
from dovetail.errors import InputError
from dovetail.integrators.interface import (
    Integrator,
    Observation,
    Snapshot,
    Stepper,
    StepReport,
    observed_state,
)
from dovetail.model.frozen import Model
from dovetail.model.joints.actuation import is_limited_servo
from dovetail.model.scene import Scene
from dovetail.model.values import Array, Mistakes, is_count, positive, quote
from dovetail.multibody.state import BodyState, initial_state
from dovetail.runtime.compile_ahead import compile_ahead
from dovetail.runtime.options import named_options
from dovetail.simulate.failures import explained
from dovetail.simulate.live.controls import Controls
from dovetail.simulate.live.placing import PlacingCheck
from dovetail.simulate.live.whole_steps import BetweenSteps, WholeSteps
from dovetail.simulate.methods import chosen_methods
from dovetail.simulate.needed_kernels import needed_kernels
from dovetail.simulate.plan import Plan, checked_model
from dovetail.simulate.prepared import Prepared, prepared
from dovetail.simulate.runaway import Runaway
from dovetail.simulate.scene_argument import RunChoices, found_scene
from dovetail.simulate.starting_overlaps import started_apart

if TYPE_CHECKING:
    from dovetail.multibody.joint_space import JointSpace
    from dovetail.multibody.joint_values import JointMeter
    from dovetail.simulate.live.recording import LiveRecording

HORIZON = 1.0  # [s] of motion that the check of speeds assumes
SILENT: Any = {"over": "ignore", "invalid": "ignore", "divide": "ignore"}  # states are checked
MEASURED = "dovetail.multibody.measured_rows"
READERS = ("measure", "measure_now", "read_free", "read_balls")
FORGOTTEN = dict.fromkeys(("_squares", "_observed", "_contacts", "_reactions", "_q_and_v"))


class SimulationCore:
    """Steps and inputs; `Simulation` adds what is read and set by name."""

    # of the state, computed where it is asked for
    _observed: Observation | None
    _contacts: ContactRecord | None
    _reactions: tuple[Array, Array] | None
    _q_and_v: tuple[Array, Array] | None

    @named_options
    def __init__(
        self,
        scene: Scene | str | PathLike[str],
        step: float | None = None,
        contact: ContactMethod | str | None = None,
        integrator: Integrator | str | None = None,
        *,
        check: bool | None = None,
    ) -> None:
        given = RunChoices(step=step, contact=contact, integrator=integrator)
        moving, chosen = found_scene(scene, given, "Simulation()", needed=("step",))
        model, h = _checked(moving, chosen.step)
        plan = Plan(model, math.inf, h, every=1, out=None, events=(), control=None)
        made = prepared(moving, plan, chosen.contact, chosen.integrator, check)
        self._begin(made, by_hand=True)

    @classmethod
    def of_run(cls, made: Prepared) -> Self:
        """What `dt.simulate` steps: nobody asks for its joints or returns to its start."""
        simulation = cls.__new__(cls)
        simulation._begin(made, by_hand=False)
        return simulation

    def _begin(self, made: Prepared, by_hand: bool) -> None:
        plan = made.plan
        self.scene, self._step, self.model = made.scene, plan.step, plan.model
        self._given_integrator = made.given_integrator if by_hand else made.integrator
        self.warnings = made.warnings
        self.contact, self.integrator = made.contact, made.integrator
        self.initial = initial_state(self.model)
        self.controls = Controls(self.model.n_bodies)
        self.controls.finish()
        self._steered = False
        self._recordings: list[LiveRecording] = []
        self._listeners: list[Any] = []  # have `after_step(report)`
        self._placing = PlacingCheck(self.scene, self.model, self.contact)
        self._runaway = Runaway(self.model, HORIZON if by_hand else plan.duration)
        self.has_limited_servos = any(
            is_limited_servo(entry)
            for placed in self.model.joints
            for entry in placed.joint.actuation
        )
        read = by_hand or self.has_limited_servos
        self._counts = read and any(placed.joint.freedoms for placed in self.model.joints)
        self._stepper = self._start(self.model)
        self._starts = {False: self._stepper.snapshot()} if by_hand else {}
        self._steppers: dict[bool, tuple[Stepper, Controls]] = {
            False: (self._stepper, self.controls)
        }
        self._k, self._t0, self._begun = 0, 0.0, False
        self._squares: tuple[float, float, float] | None = None  # of the motion after the last step
        self._whole_steps = WholeSteps()
        self._changed, self._pushed = False, False
        self._cut: Array | None = None  # (k,) efforts of motors at their limit, see `_saturated`
        self._forget()
        if self._counts:
            self.meter.look(self.state)
        if self.has_limited_servos:
            self.steer()
        self._made = True

    def _start(self, model: Model) -> Stepper:
        modules, kernels = needed_kernels(model, self.contact, self.integrator)
        if self._counts:
            modules = [*modules, MEASURED]
            kernels = [*kernels, *(f"{MEASURED}:{one}" for one in READERS)]
        with compile_ahead(modules, kernels), np.errstate(**SILENT):
            return started_apart(self.integrator, model, self.contact, self.scene)

    def _use(
        self,
        stepper: Stepper | None = None,
        controls: Controls | None = None,
        integrator: Integrator | None = None,
    ) -> None:
        """Step by these from now on; what is None stays."""
        new = {"_stepper": stepper, "controls": controls, "integrator": integrator}
        self.__dict__.update({name: part for name, part in new.items() if part is not None})

    def _forget(self) -> None:
        """What was computed of the state before no longer holds."""
        self.__dict__.update(FORGOTTEN)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise InputError(
            "a Simulation cannot be copied or pickled; sim.snapshot() can: restore(...) it in a "
            "simulation of the same scene, step and methods"
        )

    def __repr__(self) -> str:
        names = type(self.contact).__name__ if self.contact else "no contact"
        return (
            f"<Simulation: {self.model.n_bodies} bodies, {len(self.model.joints)} joints, "
            f"{names}, {self.integrator.name}, t = {self.time:.6g} s>"
        )

    # time

    @property
    def time(self) -> float:
        """[s]."""
        return self._stepper.bodies.t

    @property
    def step_size(self) -> float:
        """[s]."""
        return self._step

    @property
    def state(self) -> BodyState:
        """The motion of all bodies (do not change it)."""
        return observed_state(self._stepper)

    def step(self, count: int = 1) -> None:
        """Take one step, or `count` of them.

        Raises:
            RunError: a step could not be made; says at which time and why.
        """
        if (type(count) is not int or count < 0) and not is_count(count, 0):
            raise InputError(f"`count` must be a whole number of steps >= 0, got {quote(count)}")
        whole = self._whole_steps
        if whole.torn or not whole.lock.acquire(blocking=False):
            whole.refuse()
        try:
            with np.errstate(**SILENT):
                if count == 1:
                    self._advance()
                else:
                    self._advance_by(count)
        finally:
            whole.lock.release()

    def _advance_by(self, count: int) -> None:
        with BetweenSteps() as ctrl_c:
            for _ in range(count):
                self._advance()
                ctrl_c.after_step()

    def _advance(self) -> None:
        k = self._k + 1
        try:
            report = self.advance_to(self._t0 + k * self._step)
            self.refuse_state(self._step)
        except Exception as error:
            failed = explained(error, self.time, self.cause())
            raise failed from error
        except BaseException:  # Ctrl-C in the middle of it
            self._whole_steps.torn = True
            raise
        self.__dict__.update(_k=k, _begun=True)  # `__setattr__` looks for what users set
        if self._pushed:
            self.controls.force[...] = 0.0
            self.controls.torque[...] = 0.0
            self._pushed, self._changed = False, True
        for recording in self._recordings:
            recording.after_step(report)
        for listener in self._listeners:
            listener.after_step(report)

    def advance_to(self, t: float) -> StepReport:
        """One step to t [s], whatever it leads to; steps by hand and of runs are made here."""
        if self._changed or self.controls.may_saturate:
            self._apply()
        self._forget()
        report = self._stepper.step(t)
        if self._counts:
            self.__dict__["_squares"] = self.meter.look(self.state)
        return report

    def refuse_state(self, h: float) -> None:
        """Raise RunError for what a step of h [s] must not lead to."""
        self._runaway.refuse_state(self._stepper.bodies, h, self._squares)

    @property
    def stepper(self) -> Stepper:
        """What moves the bodies."""
        return self._stepper

    def cause(self) -> str:
        """What may have made a step fail."""
        cause = self._runaway.cause(self.state)
        driven = [
            quote(self.model.joints[j].name)
            for (j, _), row in self.controls.row_of.items()
            if self.controls.effort[row] or not np.isnan(self.controls.target[row])
        ]
        if not driven:
            return cause
        what = (
            f"efforts or targets are set on joints {', '.join(dict.fromkeys(driven[:4]))}: a "
            "controller that diverges needs smaller gains or a smaller step"
        )
        return f"{cause}; {what}" if cause else what

    # inputs

    def steer(self) -> None:
        """Let joints take efforts and targets; the first to be set calls it."""
        if self._steered or not self.model.joints:
            return
        state, values = self.state.copy(), self.meter.joint_values(self.state)
        made = True not in self._steppers
        if made:
            from dovetail.simulate.live.steered_model import steered  # with the rows of joints

            model, controls = steered(self.model)
            if self._given_integrator is None:
                self._use(integrator=chosen_methods(model, self.contact, None)[1])
            with derived_before():
                stepper = self._start(model)
            self._steppers[True], self._starts[True] = (stepper, controls), stepper.snapshot()
        force, torque = self.controls.force, self.controls.torque
        self._steered = True
        self._use(*self._steppers[True])
        self.controls.force[...], self.controls.torque[...] = force, torque
        if self._begun:
            self._go(state, values)
        elif not made:  # it was stepped before a reset
            self._restore_stepper(self._starts[True], 0.0)
        for recording in self._recordings:
            recording.use(self._stepper)
        self._changed = True
        self._forget()

    @property
    def steered(self) -> bool:
        """Whether joints take efforts and targets already."""
        return self._steered

    @property
    def kept_gains(self) -> Controls:
        """The controls that have gains, those of before a reset too."""
        return self._steppers.get(True, (self._stepper, self.controls))[1]

    def inputs_changed(self) -> None:
        """Inputs differ from those that the stepper has."""
        self.__dict__["_changed"] = True

    def _apply(self) -> None:
        """Hand the inputs to the stepper."""
        saturated = None
        if self.controls.may_saturate:
            saturated = self._saturated()
            if saturated is None and self._cut is None and not self._changed:
                return  # the stepper has them
        stepper: Any = self._stepper
        if not hasattr(stepper, "set_inputs"):
            raise InputError(
                f"integrator {self.integrator.name} takes no forces between steps: its stepper has "
                "no `set_inputs`"
            )
        stepper.set_inputs(self.controls.inputs(self.time, saturated, self._pushed))
        self.__dict__.update(_cut=saturated, _changed=False)

    def _saturated(self) -> Array | None:
        """(k,) efforts of motors at their limit, nan of others; None where none is."""
        controls = self.controls
        self.meter.look(self.state)  # a step may have been taken back
        self._q_and_v = None
        rows = controls.measured_by(self.meter.coordinates)
        if rows is not None:
            return controls.cut_at_limits(*self.meter.measured, rows, self.time)
        acting = controls.acting(*self._coordinate_values(), self.time)
        at_limit = np.abs(acting) >= controls.limit
        return np.where(at_limit, acting, np.nan) if at_limit.any() else None

    def _coordinate_values(self) -> tuple[Array, Array]:
        """q and v (k,) of the coordinates that can be steered; 0 for q of balls."""
        q, v = self.q_and_v()
        controls = self.controls
        if controls.places is None:
            controls.place(self.meter.places, self.model.joints)
        assert controls.places is not None
        at_q, at_v = controls.places
        return np.where(controls.has_value, q[at_q], 0.0), v[at_v]

    def acting_efforts(self, coordinates: list[tuple[int, int]]) -> Array:
        """[N or N m] that motors and targets exert along coordinates of joints now."""
        if not self._steered:
            model, t = self.model, self.time
            found = []
            for j, i in coordinates:
                entries = model.joints[j].joint.actuation
                motor = entries[i].motor if i < len(entries) else None
                if isinstance(motor, tuple | list):  # it prescribes the motion; `.wrench` has it
                    motor = np.nan
                found.append(float(motor(t)) if callable(motor) else float(motor or 0.0))
            return np.array(found)
        acting = self.controls.acting(*self._coordinate_values(), self.time)
        rows = [self.controls.row_of.get(one, -1) for one in coordinates]
        return np.array([acting[row] if row >= 0 else np.nan for row in rows])

    def push(self, body: int, force: Array, torque: Array) -> None:
        """Add a force and a torque about the centre of mass, for the next step."""
        self.controls.force[body] += force
        self.controls.torque[body] += torque
        self._pushed = self._changed = True

    @cached_property
    def space(self) -> "JointSpace":
        """The model in joint coordinates."""
        from dovetail.multibody.joint_space import JointSpace  # with the kernels of trees

        return JointSpace(self.model)

    def kept(self) -> dict[str, Array]:
        """What the next steps depend on besides the stepper: revolutions and motors at limits."""
        angle = self.meter.angle.copy() if self._counts else np.zeros(0)
        return {"angle": angle, "cut": np.zeros(0) if self._cut is None else self._cut.copy()}

    def return_to(self, stepper: Snapshot, kept: dict[str, Array], t: float) -> None:
        """Continue from a snapshot of the stepper at t [s] and from what `kept` gave then."""
        self._cut = kept["cut"].copy() if len(kept["cut"]) else None
        self._restore_stepper(stepper, t)
        self._forget()
        if self._counts:
            self.meter.angle[...] = kept["angle"]
            self.meter.look(self.state)

    @cached_property
    def meter(self) -> "JointMeter":
        return self.space.meter

    def q_and_v(self) -> tuple[Array, Array]:
        """Joint coordinates and velocities of the state, computed once."""
        found = self._q_and_v
        if found is None:
            read = self.meter.read if self._counts else self.meter.values
            found = self.__dict__["_q_and_v"] = read(self.state)
        return found

    def _go(self, state: BodyState, values: dict[tuple[int, int], float]) -> None:
        """Continue from `state`, as if nothing had happened before."""
        raise NotImplementedError

    def _restore_stepper(self, saved: Snapshot, t: float) -> None:
        """Return to `saved` of time t [s] with the inputs of `controls`."""
        raise NotImplementedError


def _checked(scene: Any, step: Any) -> tuple[Model, float]:
    """The model of the scene and the step; raises one InputError with all mistakes."""
    found = Mistakes()
    model = checked_model(scene, found)
    h = found.take(positive, step, "`step`", "s")
    found.raise_if_any()
    assert model is not None and h is not None
    return model, h
