"""A quantity of all bodies at one stop, from arrays that are stored body by body."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.runtime.read_only import read_only
from dovetail.verifier.recorded_motion import BodyMotion

BLOCK = 64  # stops that are transposed at once


class StopArrays:
    """`quantity` of each body, read stop by stop: arrays[k] is (n_bodies, ...), read-only."""

    def __init__(self, bodies: Sequence[BodyMotion], quantity: str) -> None:
        self._bodies, self._quantity = bodies, quantity
        self._begin = -BLOCK
        self._rows: NDArray[Any] = np.empty(0)

    def __getitem__(self, k: int) -> NDArray[Any]:
        if not self._begin <= k < self._begin + BLOCK:
            self._begin = k - k % BLOCK
            block = slice(self._begin, self._begin + BLOCK)
            rows = np.stack([getattr(body, self._quantity)[block] for body in self._bodies], axis=1)
            self._rows = read_only(rows, rows.dtype)
        row: NDArray[Any] = self._rows[k - self._begin]
        return row
