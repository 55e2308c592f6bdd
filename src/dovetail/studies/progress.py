"""Progress over all runs of a study."""

from time import monotonic

from dovetail.runtime.progress_bar import ProgressBar, is_bar_wanted


class StudyProgress:
    """A bar on stderr: runs done and failed, runs a minute, time left."""

    def __init__(self, total: int, before: int, requested: bool | None) -> None:
        self._total, self._done, self._before, self._failed = total, before, before, 0
        self._began = monotonic()
        self._bar: ProgressBar | None = None
        if is_bar_wanted(requested):
            self._bar = ProgressBar(total, bool(requested), done=before)

    def add(self, status: str) -> None:
        """One more run ended."""
        self._done += 1
        self._failed += status != "finished"
        if self._bar is not None:
            text = f"{self._done} of {self._total} runs, {self._failed} failed, "
            text += f"{self.per_minute:.3g} a minute"
            self._bar.show(self._done, text)

    @property
    def per_minute(self) -> float:
        return 60 * (self._done - self._before) / max(monotonic() - self._began, 1e-9)

    def __enter__(self) -> "StudyProgress":
        if self._bar is not None:
            self._bar.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.__exit__()
