"""Playback of a result in the browser: the bodies, a timeline, the curves beside it."""

import threading
import time
from collections.abc import Callable

import numpy as np
import viser
from viser import uplot

from dovetail.errors import InputError
from dovetail.results import Result
from dovetail.view.appearance import CURVE_COLOURS
from dovetail.view.stage import Stage

LOOPBACK = "127.0.0.1"  # a result is nobody else's business
FRAMES_PER_SECOND = 30.0
MOST_CURVE_POINTS = 1000


class Player:
    """One result on one local server. `close` frees the port."""

    def __init__(self, result: Result, port: int = 8080, title: str = "dovetail") -> None:
        if len(result.time) == 0:
            raise InputError("the result has no frame to show; was the run stopped at once?")
        self.times = np.asarray(result.time)
        self.server = viser.ViserServer(host=LOOPBACK, port=port, verbose=False)
        self.server.gui.configure_theme(dark_mode=False, show_logo=False)
        self.server.gui.main_panel.dock_right()
        self.stage = Stage(self.server, result)
        self._closed = threading.Event()
        self._controls(title)
        self._curves(result)
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.server.get_port()}"

    def seek(self, frame: int) -> None:
        """Move the slider, and with it the bodies."""
        self.frame.value = frame  # type: ignore[misc]  # viser sets it through __setattr__

    def close(self) -> None:
        self._closed.set()
        self._thread.join(timeout=2)
        self.server.stop()

    def _controls(self, title: str) -> None:
        gui = self.server.gui
        last = len(self.times) - 1
        gui.set_panel_label(title)
        self.clock = gui.add_markdown(self._clock_text(0))
        self.frame = gui.add_slider("frame", 0, max(last, 1), 1, 0, disabled=last == 0)
        self.playing = gui.add_checkbox("play", initial_value=last > 0)
        span = float(self.times[-1] - self.times[0])
        # A run shorter than 2 s is slowed down, one longer than a minute is sped up.
        natural = float(np.clip(span / np.clip(span, 2.0, 60.0), 1e-4, 1e4)) if span else 1.0
        self.speed = gui.add_number("speed (x real time)", natural, min=1e-4, max=1e4, step=0.001)
        restart = gui.add_button("back to the start")
        restart.on_click(lambda _: self.seek(0))
        self.frame.on_update(lambda _: self._show())

    def _curves(self, result: Result) -> None:
        """The energies over time, thinned to what a screen can show."""
        rows = np.unique(np.linspace(0, len(self.times) - 1, MOST_CURVE_POINTS).astype(int))
        curves = {k: v for k, v in result.energy.items() if k == "total" or np.any(v)}
        # Zero is in the picture, so that a change in the ninth digit does not look like a storm.
        low = min(0.0, *(float(np.min(v)) for v in curves.values()))
        high = max(0.0, *(float(np.max(v)) for v in curves.values()))
        margin = 0.05 * (high - low) or 1.0
        self.server.gui.add_uplot(
            data=(self.times[rows], *(np.asarray(v)[rows] for v in curves.values())),
            series=(
                uplot.Series(label="t [s]"),
                *(
                    uplot.Series(label=f"{name} [J]", stroke=colour, width=2)
                    for name, colour in zip(curves, CURVE_COLOURS)
                ),
            ),
            title="energy",
            scales={
                "x": uplot.Scale(time=False, auto=True),
                "y": uplot.Scale(auto=False, range=(low - margin, high + margin)),
            },
            legend=uplot.Legend(show=True),
            aspect=1.2,
        )

    def _show(self) -> None:
        frame = min(int(self.frame.value), len(self.times) - 1)
        self.stage.show(frame)
        self.clock.content = self._clock_text(frame)

    def _clock_text(self, frame: int) -> str:
        return f"**t = {self.times[frame]:.4f} s** of {self.times[-1]:.4g} s"

    def _play(self) -> None:
        """Advance the slider with the wall clock; the slider's callback moves the bodies."""
        before = time.monotonic()
        now = float(self.times[0])
        while not self._closed.wait(1 / FRAMES_PER_SECOND):
            after = time.monotonic()
            if self.playing.value and self.server.get_clients():
                shown = int(self.frame.value)
                if not self.times[shown] <= now < self.times[min(shown + 1, len(self.times) - 1)]:
                    now = float(self.times[shown])  # the user moved the slider
                now += (after - before) * float(self.speed.value)
                if now > self.times[-1]:
                    now = float(self.times[0])
                frame = int(np.searchsorted(self.times, now, side="right")) - 1
                if frame != shown:
                    self.seek(frame)
            before = after


def show(
    result: Result,
    port: int = 8080,
    open_browser: bool = True,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve `result` on this machine until Ctrl-C."""
    player = Player(result, port)
    try:
        if ready is not None:
            ready(player.address)
        if open_browser:
            import webbrowser

            webbrowser.open(player.address)
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        pass
    finally:
        player.close()
