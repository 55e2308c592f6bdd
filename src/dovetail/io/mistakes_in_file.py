"""Every mistake of a file is sentences with the file's name, and not more than can be read."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np

from dovetail.errors import InputError
from dovetail.io.limits import MAX_MISTAKES


@contextmanager
def mistakes_in(path: Path) -> Iterator[None]:
    """Put the name of the file before each sentence of an InputError raised inside.

    Extreme numbers may overflow inside without a warning: what comes out of them is checked.
    """
    try:
        with np.errstate(all="ignore"):
            yield
    except InputError as error:
        named = (
            sentence if sentence.startswith(path.name) else f"{path.name}: {sentence}"
            for sentence in error.mistakes
        )
        raise InputError(bearable(named, path.name)) from None


def bearable(sentences: Iterable[str], file: str) -> list[str]:
    """The first mistakes, and a last sentence where there are more of them."""
    kept = list(islice(sentences, MAX_MISTAKES + 1))
    if len(kept) > MAX_MISTAKES:
        kept[-1] = f"{file}: and more mistakes; correct these first"
    return kept
