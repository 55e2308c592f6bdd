"""A simulation that goes on by itself at the pace of the clock, while somebody drags its bodies."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.errors import DovetailError, InputError
from dovetail.model.frozen import DYNAMIC
from dovetail.model.values import Array
from dovetail.simulate.live.simulation import Simulation
from dovetail.view.live.pictures import LivePictures

PULL = 20.0  # [1/s] natural frequency of the spring to the mouse; critically damped
PAUSE = 0.01  # [s]
LONGEST = 0.1  # [s] of simulated time in one go


class LiveSession:
    """Steps while it plays; all that the page asks for happens between two steps."""

    def __init__(
        self,
        simulation: Simulation,
        controller: Callable[[Simulation], object] | None = None,
        record: str | Path | None = None,
    ) -> None:
        self.simulation, self._controller, self._record = simulation, controller, record
        self.pictures = LivePictures(simulation)
        self.playing, self.message = False, ""
        self._grabbed: tuple[int, Array, float, Array] | None = None  # body, arm, depth, target
        self._recording: Any = None
        self._lock, self._ends = threading.RLock(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        last = time.monotonic()
        while not self._ends.is_set():
            now = time.monotonic()
            if self.playing:
                until = self.simulation.time + min(now - last, LONGEST)
                while self.playing and self.simulation.time < until:
                    self._step()
            last = now
            time.sleep(PAUSE)

    def _step(self) -> None:
        with self._lock:
            try:
                if self._controller is not None:
                    self._controller(self.simulation)
                self._pull()
                self.simulation.step()
            except (DovetailError, ArithmeticError) as error:
                self.playing, self.message = False, str(error)

    def _pull(self) -> None:
        """The force of the mouse, for one step."""
        if self._grabbed is None:
            return
        body, arm, _, target = self._grabbed
        state, mass = self.simulation.state, float(self.simulation.model.mass[body])
        point = state.x[body] + state.R[body] @ arm
        speed = state.v[body] + state.R[body] @ np.cross(state.omega[body], arm)
        force = mass * (PULL**2 * (target - point) - 2.0 * PULL * speed)
        force -= mass * self.simulation.model.gravity
        self.simulation.body(self.simulation.model.names[body]).push(force, point=point)

    def do(self, what: str, request: dict[str, Any]) -> dict[str, Any]:
        """Obey the page; returns what it shows."""
        with self._lock:
            try:
                self._obey(what, request)
            except (DovetailError, ValueError, TypeError, KeyError) as error:
                self.message = str(error)
        return self.shown()

    def _obey(self, what: str, request: dict[str, Any]) -> None:
        self.message = ""
        match what:
            case "play" | "pause":
                self.playing = what == "play"
            case "step":
                self.playing = False
                self._step()
            case "reset":
                self._stop_recording()
                self.simulation.reset()
            case "record":
                self._start_recording()
            case "stop":
                self._stop_recording()
            case "grab":
                self._grab(float(request["x"]), float(request["y"]))
            case "drag" if self._grabbed is not None:
                body, arm, depth, _ = self._grabbed
                to = self.pictures.world_point(float(request["x"]), float(request["y"]), depth)
                self._grabbed = body, arm, depth, to
            case "release":
                self._grabbed = None
            case _:
                pass

    def _grab(self, column: float, row: float) -> None:
        found = self.pictures.at_pixel(column, row)
        if found is None or self.simulation.model.motion[found[0]] != DYNAMIC:
            return
        body, point = found
        state = self.simulation.state
        arm = state.R[body].T @ (point - state.x[body])
        self._grabbed = body, arm, self.pictures.depth_of(point), point
        self.message = f"holding {self.simulation.model.names[body]}"

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
            self._recording, self.message = None, f"wrote {self._record}"

    def shown(self) -> dict[str, Any]:
        """What the page shows besides the picture."""
        return {
            "time": self.simulation.time, "playing": self.playing, "message": self.message,
            "recording": self._recording is not None, "can_record": self._record is not None,
        }  # fmt: skip

    def picture(self) -> bytes:
        with self._lock:
            return self.pictures.png()

    def close(self) -> None:
        self._ends.set()
        self._thread.join(timeout=5)
        with self._lock:
            self._stop_recording()
