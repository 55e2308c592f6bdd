"""The progress bar: how far, how long still, contacts and iterations."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Any

from dovetail.errors import InputError
from dovetail.model.values import quote
from dovetail.runtime.compile_notice import notice

SHORTEST_PAUSE = 0.1  # [s] between updates
COST_SHARE = 0.01  # of the run's time that updates may take


@dataclass(frozen=True)
class ProgressReport:
    """How far a run is."""

    time: float  # [s] simulated
    duration: float  # [s]
    steps: int
    contacts: int  # of the last frame
    iterations: int  # of the last step


class Progress:
    """Calls `show` at most ten times a second and for at most 1 % of the time."""

    def __init__(self, show: Callable[[ProgressReport], None] | None) -> None:
        self._show = show
        self.due = inf if show is None else 0.0

    def update(self, report: ProgressReport, now: float) -> None:
        """Show `report`; the loop calls this when `due` has come."""
        assert self._show is not None
        self._show(report)
        cost = perf_counter() - now
        self.due = now + max(SHORTEST_PAUSE, cost / COST_SHARE)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Bar(Progress):
    """A rich progress bar on stderr; `always` draws it even where that is no terminal."""

    def __init__(self, duration: float, always: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        super().__init__(self._draw)
        self._rich = RichProgress(
            BarColumn(bar_width=30),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[report]}"),
            console=Console(stderr=True, force_terminal=True if always else None),
            auto_refresh=False,
            transient=True,
        )
        self._task = self._rich.add_task("", total=duration, report="starting")

    def __enter__(self) -> "Bar":
        self._rich.start()
        self._messages = notice.shown_by(self._say)
        self._messages.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._messages.__exit__(None, None, None)
        self._rich.stop()

    def _say(self, text: str) -> None:
        self._rich.update(self._task, report=text, refresh=True)

    def _draw(self, at: ProgressReport) -> None:
        text = f"t = {at.time:.4g} of {at.duration:.4g} s"
        text += f", {at.contacts} contacts, {at.iterations} iterations"
        self._rich.update(self._task, completed=at.time, report=text, refresh=True)


def progress_for(requested: Any, duration: float) -> Progress:
    """None: a bar if stderr is a terminal; True or False: a bar or none; or a function."""
    if callable(requested):
        return Progress(requested)
    if requested is not None and not isinstance(requested, bool):
        raise InputError(
            f"`progress` must be None, True, False or a function, got {quote(requested)}"
        )
    if requested or (requested is None and sys.stderr is not None and sys.stderr.isatty()):
        return Bar(duration, always=bool(requested))
    return Progress(None)
