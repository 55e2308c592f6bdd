"""How hard bodies press at each frame."""

import numpy as np

from dovetail.model.values import Array
from dovetail.results import Result


def largest_force(result: Result) -> Array:
    """(frames,) [N] of the strongest contact of each frame; 0 without contacts."""
    size = np.linalg.norm(result.stored.column("contacts/forces"), axis=1)
    count = np.asarray(result.stored.column("contacts/count"))
    start = np.asarray(result.stored.column("contacts/start"))
    largest = np.zeros(len(count))
    touching = np.flatnonzero(count)
    if len(touching):
        # rows of a frame follow each other, so each segment ends where the next begins
        largest[touching] = np.maximum.reduceat(size, start[touching])
    return largest
