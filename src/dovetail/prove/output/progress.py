"""The progress of a question: pairs examined, or steps of a driven motion."""

import sys
from math import inf
from time import perf_counter
from typing import Any

from dovetail.runtime.compile_notice import notice

PAUSE = 0.1  # [s] between updates


class ProofProgress:
    """A bar on stderr; None: if that is a terminal."""

    def __init__(self, requested: bool | None = False) -> None:
        self._bar: Any = None
        self._due = inf
        if requested or (requested is None and sys.stderr is not None and sys.stderr.isatty()):
            self._bar, self._due = _bar(bool(requested)), 0.0
            self._task = self._bar.add_task("", total=1.0, report="starting")

    def show(self, done: int, total: int, text: str) -> None:
        """`done` of `total`, and what is at work."""
        now = perf_counter()
        if now >= self._due:
            self._due = now + PAUSE
            share = done / max(total, 1)
            self._bar.update(self._task, completed=share, report=text, refresh=True)

    def _say(self, text: str) -> None:
        self._bar.update(self._task, report=text, refresh=True)

    def __enter__(self) -> "ProofProgress":
        if self._bar is not None:
            self._bar.start()
            self._messages = notice.shown_by(self._say)
            self._messages.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._messages.__exit__(None, None, None)
            self._bar.stop()


def _bar(always: bool) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        BarColumn(bar_width=30),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[report]}"),
        console=Console(stderr=True, force_terminal=True if always else None),
        auto_refresh=False,
        transient=True,
    )
