"""The progress of a question: pairs examined, or steps of a driven motion."""

from math import inf
from time import perf_counter

from dovetail.runtime.progress_bar import ProgressBar, is_bar_wanted

PAUSE = 0.1  # [s] between updates


class ProofProgress:
    """A bar on stderr; None: if that is a terminal."""

    def __init__(self, requested: bool | None = False) -> None:
        self._bar: ProgressBar | None = None
        self._due = inf
        if is_bar_wanted(requested):
            self._bar, self._due = ProgressBar(1.0, bool(requested), elapsed=True), 0.0

    def show(self, done: int, total: int, text: str) -> None:
        """`done` of `total`, and what is at work."""
        now = perf_counter()
        if now >= self._due and self._bar is not None:
            self._due = now + PAUSE
            self._bar.show(done / max(total, 1), text)

    def __enter__(self) -> "ProofProgress":
        if self._bar is not None:
            self._bar.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.__exit__()
