"""Progress over all runs of a study."""

import sys
from time import monotonic
from typing import Any


class StudyProgress:
    """A bar on stderr: runs done and failed, runs a minute, time left."""

    def __init__(self, total: int, before: int, requested: bool | None) -> None:
        self._total, self._done, self._before, self._failed = total, before, before, 0
        self._began = monotonic()
        self._bar: Any = None
        if requested or (requested is None and sys.stderr is not None and sys.stderr.isatty()):
            self._bar = _bar(bool(requested))
            self._task = self._bar.add_task("", total=total, completed=before, standing="starting")

    def add(self, status: str) -> None:
        """One more run ended."""
        self._done += 1
        self._failed += status != "finished"
        if self._bar is not None:
            text = f"{self._done} of {self._total} runs, {self._failed} failed, "
            text += f"{self.per_minute:.3g} a minute"
            self._bar.update(self._task, completed=self._done, standing=text, refresh=True)

    @property
    def per_minute(self) -> float:
        return 60 * (self._done - self._before) / max(monotonic() - self._began, 1e-9)

    def __enter__(self) -> "StudyProgress":
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def _bar(always: bool) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        BarColumn(bar_width=30),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[standing]}"),
        console=Console(stderr=True, force_terminal=True if always else None),
        auto_refresh=False,
        transient=True,
    )
