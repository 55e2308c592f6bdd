"""The paths of pairs of bodies from one stop to the next, examined together by one kernel."""

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.forest import forest_of
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only
from dovetail.verifier.pair_paths import paths_between
from dovetail.verifier.recorded_motion import BodyMotion
from dovetail.verifier.side_by_side import SideBySide


class Paths:
    """Bodies on their paths, and what the verifier requires of them."""

    def __init__(
        self, bodies: list[BodyMotion], defect: float, clearance: float, budget: int
    ) -> None:
        self._moving = [SideBySide(bodies, quantity) for quantity in ("x", "R", "v", "w")]
        self._forest = forest_of([body.tree for body in bodies])
        self._required = (float(defect), float(clearance), int(budget))

    def examine(
        self, pairs: NDArray[np.int32], margins: Array, k: int
    ) -> tuple[NDArray[np.int64], Array, Array]:
        """From stop k to the next: codes (n,), rows (s, simplex_a, simplex_b, tests), margins left.

        `margins` (n,) [m] beyond the clearance are known to be between the bodies at stop k.
        """
        left, codes = np.array(margins), np.empty(len(pairs), np.int64)
        found = np.empty((len(pairs), 4))
        if len(pairs):
            x, R, v, w = (quantity[k] for quantity in self._moving)
            paths_between(
                self._forest, read_only(pairs, np.int32), x, R, v, w, *self._required, left, codes,
                found,
            )  # fmt: skip
        return codes, found, left


class Margins:
    """How far [m] beyond the clearance pairs of bodies are known to be apart at the last stop."""

    def __init__(self, n_bodies: int) -> None:
        self._n_bodies = n_bodies
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._margins: Array = np.empty(0)

    def _keys_of(self, pairs: NDArray[np.int32]) -> NDArray[np.int64]:
        return pairs[:, 0].astype(np.int64) * self._n_bodies + pairs[:, 1]

    def of(self, pairs: NDArray[np.int32]) -> Array:
        """(n,) of `pairs` (n, 2); 0 where none is known."""
        keys = self._keys_of(pairs)
        if not len(self._keys):
            return np.zeros(len(keys))
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._margins[at], 0.0)

    def keep(self, pairs: NDArray[np.int32], margins: Array) -> None:
        """`pairs` (n, 2) in ascending order, and no others."""
        self._keys, self._margins = self._keys_of(pairs), margins
