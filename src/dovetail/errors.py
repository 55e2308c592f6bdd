"""Exceptions whose messages are for the user.

Exit codes of the command follow the class: InputError is 2, RunError is 1.
"""

import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any


class DovetailError(Exception):
    """Any failure the package explains itself, without a traceback for the user."""


class InputError(DovetailError):
    """Bad input: every mistake found, one sentence each.

    A sentence says what must hold, with its unit, what came, and what to do:
    "`mass` of body 'link2' must be > 0 kg, got -1.0".
    """

    def __init__(self, mistakes: str | Iterable[str]) -> None:
        self.mistakes = [mistakes] if isinstance(mistakes, str) else list(mistakes)
        super().__init__("\n".join(self.mistakes))


class RunError(DovetailError):
    """A run that could not go on: says at which time and why; what was computed is kept.

    `result` holds everything up to there, once `dt.simulate` raises it.
    """

    def __init__(self, reason: str, time: float | None = None) -> None:
        self.result: Any = None
        self.time = time
        super().__init__(reason if time is None else f"at t = {time:.9g} s: {reason}")


def error_text(error: BaseException) -> str:
    """An exception in a sentence; one that is not ours also says where it came from."""
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, DovetailError):
        return text
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    name = type(error).__name__
    return f"{name if text == name else f'{name}: {text}'}{where}"
