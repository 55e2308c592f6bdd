"""A simulation that goes on by itself at the pace of the clock, while somebody drags its bodies."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import DovetailError, InputError
from dovetail.model.frozen import DYNAMIC
from dovetail.model.values import Array, quote, vector3
from dovetail.simulate.live.simulation import Simulation
from dovetail.view.page.net_forces import net_wrenches, on_moving
from dovetail.view.page.stream import FrameStream

PULL = 20.0  # [1/s] natural frequency of the spring to the pointer; critically damped
PAUSE = 0.02  # [s]
PICTURE = 1.0 / 30.0  # [s] between two frames, by the clock
LONGEST = 0.1  # [s] of simulated time that is made up for
MAX_STEPS = 1000  # of one command


class LiveSession:
    """Steps while it plays; what the page requests happens between two steps."""

    def __init__(
        self,
        simulation: Simulation,
        controller: Callable[[Simulation], object] | None = None,
        record: str | Path | None = None,
    ) -> None:
        self.simulation, self._controller, self._record = simulation, controller, record
        self.stream = FrameStream(simulation.model.n_bodies)
        self.playing, self._note = False, ""
        self._grabbed: tuple[int, Array, Array] | None = None  # body, point (body frame), target
        self._recording: Any = None
        self._pushed = simulation.time
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        last = time.monotonic()
        while not self._ends.is_set():
            for command in self.stream.commands():
                self._obey(command)
            now = time.monotonic()
            until = self.simulation.time + min(now - last, LONGEST)
            while self.playing and self.simulation.time < until:
                self._step()
                if time.monotonic() - now > PICTURE:
                    break  # slower than the clock: show what there is
            last = now
            self._push()
            self.stream.wait(PAUSE)
        self._stop_recording()

    def _step(self) -> None:
        try:
            if self._controller is not None:
                self._controller(self.simulation)
            self._pull()
            self.simulation.step()
        except Exception as error:  # of the controller too: the page says it, the thread lives on
            self.playing, self._note = False, f"{type(error).__name__}: {error}"
            if isinstance(error, DovetailError):
                self._note = str(error)
            self._report()

    def _push(self) -> None:
        """The present state, if the page has not got it."""
        simulation = self.simulation
        if simulation.time != self._pushed:
            state, self._pushed = simulation.state, simulation.time
            self.stream.push(simulation.time, state.x, state.R, self._pairs())

    def _pairs(self) -> tuple[Any, Any, Any] | None:
        """Bodies, points and net forces of all pairs in contact."""
        contacts = self.simulation.contacts
        if not len(contacts.bodies):
            return None
        pairs, pair = np.unique(contacts.bodies, axis=0, return_inverse=True)
        group = pair.ravel().astype(np.int64)
        force, point, _ = net_wrenches(
            contacts.points, contacts.forces, contacts.torques, group, len(pairs)
        )
        sign = on_moving(pairs, self.simulation.model.motion == DYNAMIC)
        return pairs, point, sign[:, None] * force

    def _pull(self) -> None:
        """The force of the pointer, for one step."""
        if self._grabbed is None:
            return
        body, arm, target = self._grabbed
        state, model = self.simulation.state, self.simulation.model
        point = state.x[body] + state.R[body] @ arm
        speed = state.v[body] + state.R[body] @ np.cross(state.omega[body], arm)
        mass = float(model.mass[body])
        force = mass * (PULL**2 * (target - point) - 2.0 * PULL * speed - model.gravity)
        self.simulation.body(model.names[body]).push(force, point=point)

    def _obey(self, command: dict[str, Any]) -> None:
        self._note = ""
        try:
            self._do(command)
        except (DovetailError, ValueError, TypeError, KeyError) as error:
            self._note = str(error)
        self._report()

    def _do(self, command: dict[str, Any]) -> None:
        match command["kind"]:
            case "resume" | "pause" as kind:
                self.playing = kind == "resume"
            case "step":
                self.playing = False
                for _ in range(min(int(command.get("steps", 1)), MAX_STEPS)):
                    self._step()
            case "reset":
                self._stop_recording()
                self.simulation.reset()
            case "record":
                if command.get("on"):
                    self._start_recording()
                else:
                    self._stop_recording()
            case "drag":
                self._grab(command)
            case "release":
                self._grabbed = None

    def _grab(self, command: dict[str, Any]) -> None:
        model, body = self.simulation.model, command["body"]
        if not isinstance(body, int) or not 0 <= body < model.n_bodies:
            raise InputError(f"`body` must be the number of a body, got {quote(body)}")
        if model.motion[body] != DYNAMIC:
            raise InputError(f"{model.names[body]} is not dynamic and cannot be dragged")
        self._grabbed = (
            body,
            vector3(command["point"], "`point`", "m"),
            vector3(command["target"], "`target`", "m"),
        )
        self._note = f"holding {model.names[body]}"

    def _start_recording(self) -> None:
        if self._recording is not None:
            return
        if self._record is None:
            raise InputError("give sim.view(record='run.h5') a file to record to")
        self._recording = self.simulation.recording(self._record)
        self._recording.__enter__()

    def _stop_recording(self) -> None:
        if self._recording is not None:
            self._recording.__exit__(None, None, None)
            self._recording, self._note = None, f"wrote {self._record}"

    def _report(self) -> None:
        self.stream.report(
            playing=self.playing, recording=self._recording is not None, note=self._note
        )

    def close(self) -> None:
        self._ends.set()
        self.stream.close()
        self._thread.join(timeout=5)
