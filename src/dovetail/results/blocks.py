"""Columns of a large result read a part at a time, so that memory does not grow with the file."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.model.values import Array
from dovetail.results.stored import Stored

BLOCK_BYTES = 1 << 21  # of all columns read at once, about
GROUP_BYTES = 1 << 25  # of the poses of some bodies at all frames


def frame_blocks(
    stored: Stored, paths: Sequence[str], every: int = 1
) -> Iterator[tuple[slice, dict[str, NDArray[Any]]]]:
    """Every `every`-th frame in blocks: which of those frames, and a copy of the columns."""
    frames = -(-stored.rows["frames"] // every)
    row_bytes = sum(stored.column(path)[:1].nbytes for path in paths)
    size = max(1, BLOCK_BYTES // max(row_bytes * every, 1))
    for begin in range(0, frames, size):
        end = min(begin + size, frames)
        rows = slice(begin * every, (end - 1) * every + 1, every)
        yield slice(begin, end), {path: np.array(stored.column(path)[rows]) for path in paths}
        stored.release()


def poses_of_bodies(stored: Stored, bodies: Sequence[int], every: int = 1) -> tuple[Array, Array]:
    """x (frames, m, 3) [m] and R (frames, m, 3, 3) of some bodies, at every `every`-th frame."""
    frames = -(-stored.rows["frames"] // every)
    x, R = np.empty((frames, len(bodies), 3)), np.empty((frames, len(bodies), 3, 3))
    for rows, columns in frame_blocks(stored, ("position", "rotation"), every):
        x[rows] = columns["position"][:, bodies]
        R[rows] = columns["rotation"][:, bodies]
    return x, R


def body_groups(stored: Stored, bodies: Sequence[int]) -> Iterator[Sequence[int]]:
    """The bodies in groups whose poses at all frames are a few blocks."""
    size = max(1, GROUP_BYTES // (96 * stored.rows["frames"]))
    for begin in range(0, len(bodies), size):
        yield bodies[begin : begin + size]
