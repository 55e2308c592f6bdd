"""The progress bar on stderr, with a sentence beside it."""

import sys
from contextlib import ExitStack

from dovetail.runtime.compile_notice import notice


def is_bar_wanted(requested: bool | None) -> bool:
    """None: if stderr is a terminal."""
    return bool(requested or (requested is None and sys.stderr is not None and sys.stderr.isatty()))


class ProgressBar:
    """Share done, time left or elapsed, and a text; `always`: even where stderr is no terminal."""

    def __init__(self, total: float, always: bool, elapsed: bool = False, done: int = 0) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._rich = Progress(
            BarColumn(bar_width=30),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn() if elapsed else TimeRemainingColumn(),
            TextColumn("{task.fields[report]}"),
            console=Console(stderr=True, force_terminal=True if always else None),
            auto_refresh=False,
            transient=True,
        )
        self._task = self._rich.add_task("", total=total, completed=done, report="starting")
        self._shown = ExitStack()

    def show(self, done: float, text: str) -> None:
        self._rich.update(self._task, completed=done, report=text, refresh=True)

    def _say(self, text: str) -> None:
        self._rich.update(self._task, report=text, refresh=True)

    def __enter__(self) -> "ProgressBar":
        self._rich.start()
        self._shown.callback(self._rich.stop)
        self._shown.enter_context(notice.shown_by(self._say))
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.close()
