"""The paths of pairs of bodies from one stop to the next, verified together by one kernel."""

from typing import NamedTuple

import numpy as np

from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import FloatArray, Int32Array, Int64Array
from dovetail.verifier.pair_paths import paths_between
from dovetail.verifier.recorded_motion import BodyMotion
from dovetail.verifier.records import PATH_COLUMNS, Limits, StopMotions, VerifiedSurfaces
from dovetail.verifier.solid_paths import SOLID_COLUMNS, path_with_solid
from dovetail.verifier.stop_arrays import StopArrays


class PathCodes(NamedTuple):
    """What was found on the paths of n pairs."""

    codes: Int64Array  # (n,) CLEAR, MEET, UNDECIDED or TOUCH
    found: FloatArray  # (n, PATH_COLUMNS): see `records`
    margins: FloatArray  # (n,) [m] left beyond the clearance at the end


class PathVerifier:
    """Bodies on their paths, and the limits within which they are verified."""

    def __init__(
        self,
        bodies: list[BodyMotion],
        surfaces: VerifiedSurfaces,
        defect: float,
        clearance: float,
        budget: int,
    ) -> None:
        self._motions = [StopArrays(bodies, quantity) for quantity in ("x", "R", "v", "w")]
        self._surfaces = surfaces
        self._solids = np.zeros((len(bodies), SOLID_COLUMNS))
        for i, body in enumerate(bodies):
            if body.verified.solid is not None:
                self._solids[i] = body.verified.solid
        self._solids = read_only(self._solids)
        self._axis_error = np.array([body.axis_error for body in bodies])
        self._spins = self._axis_error > 0.0
        self._defect, self._clearance, self._budget = float(defect), float(clearance), int(budget)

    def verify(self, pairs: Int32Array, margins: FloatArray, k: int) -> PathCodes:
        """From stop k to the next.

        `margins` (n,) [m] beyond the clearance are known between the bodies at stop k.
        """
        left, codes = np.array(margins), np.empty(len(pairs), np.int64)
        found = np.empty((len(pairs), PATH_COLUMNS))
        if len(pairs):
            motions = StopMotions(*(quantity[k] for quantity in self._motions))
            with_solid = np.any(self._solids[pairs, 0] > 0.0, axis=1)
            spins = np.any(self._spins[pairs], axis=1)
            for group in (~with_solid & ~spins, ~with_solid & spins):
                if np.all(group):
                    self._verify_others(pairs, motions, left, codes, found)
                elif np.any(group):
                    parts = left[group], codes[group], found[group]
                    self._verify_others(pairs[group], motions, *parts)
                    left[group], codes[group], found[group] = parts
            for m in np.flatnonzero(with_solid).tolist():
                a, b = pairs[m].tolist()
                limits = self.limits(pairs[m])
                path = path_with_solid(self._surfaces, self._solids, a, b, motions, limits)
                codes[m], left[m] = path.code, 0.0
                found[m] = path.s, path.simplex_a, path.simplex_b, path.tests
        return PathCodes(codes, found, left)

    def _verify_others(
        self,
        pairs: Int32Array,
        motions: StopMotions,
        left: FloatArray,
        codes: Int64Array,
        found: FloatArray,
    ) -> None:
        """Pairs without a solid of revolution; fills the rows of codes and `found`."""
        if len(pairs):
            paths_between(
                self._surfaces, read_only(pairs, np.int32), motions, self.limits(pairs), left,
                codes, found,
            )  # fmt: skip

    def limits(self, pairs: Int32Array) -> Limits:
        """Rotations of these bodies are off by no more: the axes of others are not theirs."""
        off = float(np.max(self._axis_error[pairs]))
        return Limits(self._defect + off, self._clearance, self._budget, 0.0)


class KnownMargins:
    """How far [m] beyond the clearance pairs of bodies are known to be apart at the last stop."""

    def __init__(self, n_bodies: int) -> None:
        self._n_bodies = n_bodies
        self._keys: Int64Array = np.empty(0, np.int64)
        self._margins: FloatArray = np.empty(0)

    def _keys_of(self, pairs: Int32Array) -> Int64Array:
        keys: Int64Array = pairs[:, 0].astype(np.int64) * self._n_bodies + pairs[:, 1]
        return keys

    def of(self, pairs: Int32Array) -> FloatArray:
        """(n,) of `pairs` (n, 2); 0 where none is known."""
        keys = self._keys_of(pairs)
        if not len(self._keys):
            return np.zeros(len(keys))
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[at] == keys, self._margins[at], 0.0)

    def keep(self, pairs: Int32Array, margins: FloatArray) -> None:
        """`pairs` (n, 2) in ascending order, and no others."""
        self._keys, self._margins = self._keys_of(pairs), margins
