"""Ctrl-C ends a run between two steps, where everything is whole."""

import signal
from types import FrameType
from typing import Any


class CtrlC:
    """While active, the first Ctrl-C requests the end; a second one breaks off a long step.

    `in_step` is set by the loop while nothing but the stepper can be left half done.
    """

    def __init__(self) -> None:
        self.pressed = False
        self.in_step = False
        self._before: Any = None

    def __enter__(self) -> "CtrlC":
        try:
            self._before = signal.signal(signal.SIGINT, self._on_signal)
        except ValueError:  # not the main thread: Ctrl-C does not arrive here
            self._before = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.pressed and self.in_step:
            raise KeyboardInterrupt
        self.pressed = True
