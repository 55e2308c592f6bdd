"""Every mistake of a file is told with the file's name, and not more than can be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from dovetail.errors import InputError
from dovetail.io.limits import MOST_MISTAKES


@contextmanager
def mistakes_in(path: Path) -> Iterator[None]:
    """Put the name of the file before each sentence of an InputError raised inside.

    Extreme numbers may overflow inside without a warning: what comes out of them is checked.
    """
    try:
        with np.errstate(all="ignore"):
            yield
    except InputError as error:
        kept = [
            sentence if sentence.startswith(path.name) else f"{path.name}: {sentence}"
            for sentence in error.mistakes[:MOST_MISTAKES]
        ]
        if len(error.mistakes) > MOST_MISTAKES:
            kept.append(f"{path.name}: and more mistakes; correct these first")
        raise InputError(kept) from None
