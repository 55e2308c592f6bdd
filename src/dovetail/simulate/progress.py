"""The progress bar: how far, how long still, contacts and iterations."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Any

from dovetail.errors import InputError
from dovetail.model.values import quote
from dovetail.runtime.progress_bar import ProgressBar, is_bar_wanted

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
    """A progress bar on stderr; `always` draws it even where that is no terminal."""

    def __init__(self, duration: float, always: bool) -> None:
        super().__init__(self._draw)
        self._bar = ProgressBar(duration, always)

    def __enter__(self) -> "Bar":
        self._bar.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.__exit__()

    def _draw(self, at: ProgressReport) -> None:
        text = f"t = {at.time:.4g} of {at.duration:.4g} s"
        text += f", {at.contacts} contacts, {at.iterations} iterations"
        self._bar.show(at.time, text)


def progress_for(requested: Any, duration: float) -> Progress:
    """None: a bar if stderr is a terminal; True or False: a bar or none; or a function."""
    if callable(requested):
        return Progress(requested)
    if requested is not None and not isinstance(requested, bool):
        raise InputError(
            f"`progress` must be None, True, False or a function, got {quote(requested)}"
        )
    if is_bar_wanted(requested):
        return Bar(duration, always=bool(requested))
    return Progress(None)
