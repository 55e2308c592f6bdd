"""The ways of pairs of bodies from one stop to the next, judged together by one kernel."""

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.forest import forest_of
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only
from dovetail.verifier.pair_paths import paths_between
from dovetail.verifier.recorded_motion import BodyMotion
from dovetail.verifier.side_by_side import SideBySide


class Paths:
    """Bodies on their ways, with what the judge is asked about them."""

    def __init__(
        self, bodies: list[BodyMotion], defect: float, clearance: float, budget: int
    ) -> None:
        self._moving = [SideBySide(bodies, quantity) for quantity in ("x", "R", "v", "w")]
        self._forest = forest_of([body.tree for body in bodies])
        self._asked = (float(defect), float(clearance), int(budget))

    def judge(
        self, pairs: NDArray[np.int32], rooms: Array, k: int
    ) -> tuple[NDArray[np.int64], Array, Array]:
        """From stop k to the next: codes (n,), rows (s, simplex_a, simplex_b, tests), rooms left.

        `rooms` (n,) [m] beyond the clearance are known to be between the bodies at stop k.
        """
        left, codes = np.array(rooms), np.empty(len(pairs), np.int64)
        found = np.empty((len(pairs), 4))
        if len(pairs):
            x, R, v, w = (quantity[k] for quantity in self._moving)
            paths_between(
                self._forest, read_only(pairs, np.int32), x, R, v, w, *self._asked, left, codes,
                found,
            )  # fmt: skip
        return codes, found, left


class Rooms:
    """How far [m] beyond the clearance pairs of bodies are known to be apart at the last stop."""

    def __init__(self, n_bodies: int) -> None:
        self._n_bodies = n_bodies
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._rooms: Array = np.empty(0)

    def _keys_of(self, pairs: NDArray[np.int32]) -> NDArray[np.int64]:
        return pairs[:, 0].astype(np.int64) * self._n_bodies + pairs[:, 1]

    def of(self, pairs: NDArray[np.int32]) -> Array:
        """(n,) of `pairs` (n, 2); 0 where none is known."""
        keys = self._keys_of(pairs)
        if not len(self._keys):
            return np.zeros(len(keys))
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._rooms[at], 0.0)

    def keep(self, pairs: NDArray[np.int32], rooms: Array) -> None:
        """`pairs` (n, 2) in ascending order, and no others."""
        self._keys, self._rooms = self._keys_of(pairs), rooms
