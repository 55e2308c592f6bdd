"""Settings that a method has derived for a model are printed, so that nobody has to guess them."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_REPORTED = 8  # lines
_reported: ContextVar[bool] = ContextVar("reported", default=False)


@contextmanager
def derived_before() -> Iterator[None]:
    """A method that is prepared here was prepared for the same bodies before: print nothing."""
    token = _reported.set(True)
    try:
        yield
    finally:
        _reported.reset(token)


def report_derived(sentences: Iterable[str]) -> None:
    """Print on stderr what was derived; DOVETAIL_QUIET=1 silences it."""
    if _reported.get() or os.environ.get("DOVETAIL_QUIET") == "1":
        return
    for number, sentence in enumerate(sentences):
        if number == MAX_REPORTED:
            print("dovetail: and so on for more pairs", file=sys.stderr)
            return
        print(f"dovetail: contact {sentence}", file=sys.stderr)


def report_note(sentence: str) -> None:
    """Print on stderr what a run did by itself; DOVETAIL_QUIET=1 silences it."""
    if os.environ.get("DOVETAIL_QUIET") != "1":
        print(f"dovetail: {sentence}", file=sys.stderr)
