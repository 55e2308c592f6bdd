"""A simulation one can hold in the hand: step, steer, look, measure."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from dovetail.errors import InputError, RunError
from dovetail.integrators.interface import Snapshot
from dovetail.model.by_name import UnknownAttributeError, refuse_unknown_attribute
from dovetail.model.frozen import DYNAMIC
from dovetail.model.values import Array, quote
from dovetail.multibody.state import BodyState, place_kinematic
from dovetail.runtime.options import named_options
from dovetail.simulate.fingerprint import canonical, described, described_scene
from dovetail.simulate.live.given_coordinates import given_coordinates
from dovetail.simulate.live.measured import MeasuredSimulation
from dovetail.simulate.live.queries import Queries
from dovetail.simulate.live.recording import LiveRecording
from dovetail.simulate.live.saved_state import SavedState
from dovetail.simulate.live.sensors import Recorder
from dovetail.simulate.methods import chosen_methods

SETTABLE = ("efforts",)
UNIT = 1e-3  # by which the length of a quaternion may be off: three digits


class Simulation(MeasuredSimulation, Queries):
    """A scene at one moment, advanced step by step.

    Args:
        scene: what moves: a `Scene`, or a scene file, whose `run` section says what is not given
            here.
        step: [s] of every step.
        contact: such as `dt.contact.IPC(...)`, or its name; None, where no file names one, lets
            bodies pass through each other.
        integrator: as in `dt.simulate`; default: one that fits.
        check: as in `dt.simulate`: None says what is suspicious, True looks for all and refuses
            errors, False says nothing.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name in SETTABLE:
            object.__setattr__(self, name, value)
            return
        if name[0] != "_" and type(self) is Simulation and "_made" in self.__dict__:
            how = _how_to_change(name)
            if name in self.__dict__:
                raise UnknownAttributeError(f"`{name}` of a Simulation cannot be set; {how}")
            if getattr(getattr(Simulation, name, None), "fset", None) is None:
                refuse_unknown_attribute(self, name, SETTABLE, how)
        super().__setattr__(name, value)

    @named_options
    def set_state(self, q: Any = None, v: Any = None) -> None:
        """Set coordinates and velocities of joints and free bodies, at the time it is.

        Arrays as `q` and `v` are, or dicts by name of joint or free body; what is not given stays.
        Loops are closed by joints that a dict leaves out. Refused where bodies would intersect.
        """
        self._refuse_recording("a state")
        old_q, old_v = self.q_and_v()
        new_q, held = self._taken(q, old_q, "q")
        new_v, _ = self._taken(v, old_v, "v")
        self._refuse_stretched(new_q)
        new_q = self.space.closed(new_q, held, self.state)
        state = self.space.state(new_q, new_v, self.state)
        moved = (state.x != self.state.x).any(axis=1) | (state.R != self.state.R).any(axis=(1, 2))
        if q is not None:
            self._placing.refuse(state, np.flatnonzero(moved).tolist())
        self.meter.count_from(new_q)
        self._go(state, self.meter.joint_values(state))

    def _taken(self, given: Any, old: Array, name: str) -> tuple[Array, list[str]]:
        """The new q or v, and which joints were given."""
        new = given_coordinates(given, old, name, lambda one: getattr(self._place(one), name))
        if given is None or isinstance(given, Mapping):
            return new, list(given or ())
        return new, [place.name for place in self.meter.places]

    def _refuse_stretched(self, q: Array) -> None:
        """Quaternions of free bodies and balls, the last four of their coordinates, are unit."""
        for place in self.meter.places:
            size = place.q.stop - place.q.start
            if size == place.v.stop - place.v.start + 1:
                length = float(np.linalg.norm(q[place.q][-4:]))
                if abs(length - 1.0) > UNIT:
                    raise InputError(
                        f"`q` of {quote(place.name)} must have a unit quaternion (w, x, y, z), its "
                        f"length is {length:g}"
                    )

    def place_body(self, body: int, x: Array, R: Array, v: Array, spin: Array) -> None:
        """Put a body that no joint holds elsewhere."""
        self._refuse_recording("a pose")
        who = f"body {quote(self.model.names[body])}"
        if self.model.motion[body] != DYNAMIC:
            raise InputError(f"{who} is not dynamic and cannot be placed while it runs")
        holding = [p.name for p in self.model.joints if body in (p.body_a, p.body_b)]
        if holding:
            raise InputError(
                f"{who} is held by joint {quote(holding[0])}; use set_state(q={{...}}), which "
                "moves all that its joints carry"
            )
        state = self.state.copy()
        state.x[body], state.R[body], state.v[body] = x, R, v
        state.omega[body] = R.T @ spin
        moved = (x != self.state.x[body]).any() or (self.state.R[body] != R).any()
        if moved:
            self._placing.refuse(state, [body])
        self._go(state, self.meter.joint_values(self.state) if self._counts else {})

    def _go(self, state: BodyState, values: dict[tuple[int, int], float]) -> None:
        """Continue from `state`, as if nothing had happened before."""
        stepper: Any = self._stepper
        if not hasattr(stepper, "set_state"):
            raise InputError(
                f"integrator {self.integrator.name} cannot be given a state: its stepper has no "
                "`set_state`"
            )
        torn, self._whole_steps.torn = self._whole_steps.torn, False
        if torn:  # its time may be that of the step's start, or of its end
            self._k, self._t0 = 0, self.time
        now = self.snapshot()
        try:
            stepper.restore(self._starts[self._steered])
            if hasattr(stepper, "set_inputs"):
                stepper.set_inputs(self.controls.inputs(self.time), carried=True)
            place_kinematic(self.model, state)
            stepper.set_state(state, values)
        except (InputError, RunError):
            self.restore(now)
            self._whole_steps.torn = torn
            raise
        self._changed, self._begun = self._pushed, True
        self._forget()

    def _refuse_recording(self, what: str) -> None:
        if self._recordings:
            raise InputError(
                f"{what} cannot be set while the run is recorded: the path between frames would "
                "jump; end the recording first"
            )

    @named_options
    def reset(self, state: Any = None) -> None:
        """Back to the start of the scene at t = 0, efforts and targets off, gains kept.

        It moves on as a new simulation would, bit for bit.

        `state`: a snapshot to return to, or what `set_state` takes: (q, v) or {"q": ..., "v": ...}.
        """
        if isinstance(state, SavedState):
            self.restore(state)
            return
        given = _parts_of(state)
        self._refuse_recording("a state")
        self._release()
        self.controls.clear()
        self._k, self._t0, self._pushed, self._begun = 0, 0.0, False, False
        self._cut, self._whole_steps.torn = None, False
        self._restore_stepper(self._starts[False], 0.0)
        self._changed = False
        self._forget()
        if self._counts:
            self.meter.angle[...] = 0.0
            self.meter.look(self.state)
        if self.has_limited_servos:
            self.steer()
        if given is not None:
            self.set_state(**given)

    def _release(self) -> None:
        """Step the scene as it is, until an effort or a target is set; gains are kept."""
        if self._steered:
            self._steered = False
            self.controls.clear()
            stepper, controls = self._steppers[False]
            integrator = chosen_methods(self.model, self.contact, self._given_integrator)[1]
            self._use(stepper, controls, integrator)

    @cached_property
    def _made_by(self) -> str:
        parts = [described_scene(self.model), self._step, described(self.contact)]
        return canonical([*parts, described(self._given_integrator)])

    def snapshot(self) -> SavedState:
        """All that the next steps depend on; `restore` continues bit for bit."""
        self._whole_steps.refuse_torn()
        if self._changed:
            self._apply()
        run = {"k": np.array(self._k), "t0": np.array(self._t0), **self.kept()}
        run["pushed"] = np.array(self._pushed)
        return SavedState(
            self._made_by, self.time, self._steered, run, self._stepper.snapshot(),
            self.controls.snapshot(),
        )  # fmt: skip

    @named_options
    def restore(self, saved: SavedState) -> None:
        """Return to a snapshot of this simulation, or of one of the same scene and methods."""
        if not isinstance(saved, SavedState):
            raise InputError(f"`restore` takes what `snapshot` gave, got {quote(saved)}")
        if saved.made_by != self._made_by:
            raise InputError(
                "the snapshot is of another simulation: scene, step, contact and integrator must "
                "be the same"
            )
        self._refuse_recording("a state")
        self._whole_steps.torn = False
        if saved.steered:
            self.steer()
        else:
            self._release()
        self.controls.restore(saved.controls)
        self.return_to(saved.stepper, saved.run, float(saved.stepper.get("t", self.time)))
        self._k, self._t0 = int(saved.run["k"]), float(saved.run["t0"])
        self._pushed, self._changed, self._begun = bool(saved.run["pushed"]), False, True

    def _restore_stepper(self, saved: Snapshot, t: float) -> None:
        """Return to `saved` of time t [s] with the inputs of `controls`.

        They act before, so that what is made of loads at once is made of these, and after, since a
        stepper may restore what they were.
        """
        stepper: Any = self._stepper
        if not hasattr(stepper, "set_inputs"):
            stepper.restore(saved)
            return
        stepper.set_inputs(self.controls.inputs(t, self._cut), carried=True)
        stepper.restore(saved)
        stepper.set_inputs(self.controls.inputs(t, self._cut), carried=True)

    # records

    @named_options
    def recording(self, path: Any, every: int = 1) -> LiveRecording:
        """Write frames to a result file: `with sim.recording("run.h5", every=10): ...`.

        One frame every so many steps; the file is what `dt.simulate` writes.
        """
        return LiveRecording(self, path, every)

    @named_options
    def view(
        self,
        controller: Any = None,
        record: Any = None,
        port: int = 0,
        open_browser: bool = True,
        block: bool = True,
    ) -> Any:
        """Show the simulation in the browser of this machine: play, pause, step, drag, record.

        Args:
            controller: function of the simulation, called before every step.
            record: result file that the page's button records to.
            port: 0 takes any that is free.
            open_browser: False only prints the address.
            block: False returns a server at once, whose `close()` ends it.
        """
        from dovetail.view.live.show import show  # upward on purpose: see the import contract

        return show(self, controller, record, port, open_browser, block)

    def sense(self, every: int = 1, **sensors: Any) -> Recorder:
        """Read sensors after every so many steps: `sim.sense(tilt=dt.sensors.Gyro("a"))`.

        Each is one of `dt.sensors`, or any function of the simulation.
        """
        recorder = Recorder(self, every, sensors)
        self._listeners.append(recorder)
        return recorder

    def listeners(self) -> list[Any]:
        """What is reported of every step."""
        return self._listeners

    def recordings(self) -> list[LiveRecording]:
        """Those that go on."""
        return self._recordings


def _how_to_change(name: str) -> str:
    if name == "time":
        return "it is that of the steps taken; reset() returns to the start"
    if name in ("q", "v", "state"):
        return "set_state(q=..., v=...) moves joints and free bodies"
    return "what a simulation begins with stays; begin another one: dt.Simulation(...)"


def _parts_of(state: Any) -> Mapping[str, Any] | None:
    """What `set_state` takes, of what `reset` is given."""
    if state is None or isinstance(state, Mapping):
        return state
    if isinstance(state, tuple | list) and len(state) == 2:
        return {"q": state[0], "v": state[1]}
    raise InputError(
        'the state to reset to must be a snapshot, (q, v) or {"q": ..., "v": ...}, got '
        f"{quote(state)}"
    )
