"""The least clearance that occurs, and what is proven to be kept."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

import numpy as np

from dovetail.model.frozen import GROUND, Model
from dovetail.model.values import Array
from dovetail.prove.kinematic.pair import Pair
from dovetail.prove.kinematic.prepared_pairs import PairRequest
from dovetail.prove.motion.chains import PairMotion, SweptTree
from dovetail.prove.motion.records import CLEAR, Found
from dovetail.prove.pairs.nested import pose_at
from dovetail.prove.pairs.pair_search import Goal

ACCURACY = 0.01  # of the least clearance
MINIMISE_TESTS = 2_000_000
KEPT = (0.1, 0.5)  # of the least clearance: tried where all of it is not shown to be kept
KEPT_TESTS = 8_000_000  # of one of these
POLISH = 1e-9  # of the range: accuracy of the place of the least clearance
SAMPLES = 9  # of each pair, where the search for the least clearance starts
SAMPLE_TESTS = 200_000  # of one configuration: in threads thousands of triangles are equally near
POLISH_TESTS = 4_000_000  # of all steps downhill


@dataclass(eq=False)
class Least:
    """The least clearance so far, the tessellation taken off; `left` counts the tests left."""

    model: Model
    request: PairRequest
    left: Callable[[], int]
    clearance: float = inf  # [m]
    proven: float = inf  # [m]
    between: tuple[str, str] | None = None
    at: dict[str, float] = field(default_factory=dict)
    point: tuple[float, float, float] | None = None
    where: Array | None = None  # parameters of the pair there

    def joint_values(self, motion: PairMotion, at: Array) -> dict[str, float]:
        """Those of the pair, and the initial pose of the others if they have it."""
        return self.request.plan.at(self._all_parameters(motion, at))

    def _all_parameters(self, motion: PairMotion, at: Array) -> Array:
        rest: Array = np.clip(0.0, self.request.low, self.request.high)
        rest[list(motion.parameters)] = at
        return rest

    def _point(self, pair: Pair, found: Found, at: Array) -> tuple[float, float, float]:
        """[m] between the two bodies; a pair is searched as if its body a stayed in its place."""
        motion, point = pair.motion, pair.search.point_between(found, at, pair.radii)
        own = SweptTree(self.model, self.request.plan).motion(GROUND, motion.a)
        if own is None:
            return point
        R, x = pose_at(own, self._all_parameters(motion, at)[list(own.parameters)])
        a, b, c = (R @ motion.chain.R_a.T @ (np.array(point) - motion.chain.x_a) + x).tolist()
        return a, b, c

    def note(self, pair: Pair, found: Found, at: Array) -> None:
        """A distance [m] that occurs."""
        clearance = pair.true_clearance(found.distance)
        if clearance < self.clearance:
            self.clearance = clearance
            self.between = pair.names
            self.at = self.joint_values(pair.motion, at)
            self.point = self._point(pair, found, at)
            self.where = np.array(at, dtype=float)

    def _best(self, pair: Pair) -> float:
        """[m] of what is examined of a pair: smaller distances are of interest."""
        return self.clearance + pair.margin.radius + pair.margin.outside

    def _nearest(
        self, pair: Pair, low: Array, high: Array, clearance: float, accuracy: float, budget: int
    ) -> tuple[Found, Array]:
        """The least distance in a cell, where it is below the least so far."""
        goal = Goal(self._best(pair), accuracy, pair.margin.radius)
        return pair.search.minimise(low, high, clearance, goal, budget)

    def sample(self, pair: Pair) -> None:
        """Distances at some configurations, so that the search starts with a good bound."""
        for t in np.linspace(0.0, 1.0, SAMPLES):
            self.try_at(pair, pair.low + t * (pair.high - pair.low))

    def try_at(self, pair: Pair, at: Array) -> None:
        """The distance at one configuration."""
        best = self._best(pair)
        found, _ = self._nearest(pair, at, at, 0.0, ACCURACY, SAMPLE_TESTS)
        if found.distance < best:
            self.note(pair, found, at)

    def minimise(self, pair: Pair, low: Array, high: Array) -> None:
        """In a cell in which the pair is free."""
        best = self._best(pair)
        budget = min(MINIMISE_TESTS, self.left())
        found, at = self._nearest(pair, low, high, pair.free_at, ACCURACY, budget)
        if found.distance < best:
            self.note(pair, found, at)
        kept = found.proven if found.code == CLEAR else self._kept(pair, low, high)
        self.proven = min(self.proven, pair.true_clearance(kept))

    def _kept(self, pair: Pair, low: Array, high: Array) -> float:
        """[m] of what is examined: what is shown to be kept where the search did not end."""
        kept, radius = pair.free_at, pair.margin.radius
        for share in KEPT:
            wanted = radius + share * (self._best(pair) - radius)
            if wanted > pair.free_at:
                budget = min(KEPT_TESTS, self.left() // 2)
                if pair.search.decide(low, high, wanted, budget)[0].code != CLEAR:
                    break
                kept = wanted
        return kept

    def polish(self, pairs: list[Pair]) -> None:
        """Follow the least clearance downhill, to well below the accuracy of the search."""
        for pair in pairs:
            if pair.names == self.between and self.clearance > 0.0:
                self._downhill(pair)

    def _downhill(self, pair: Pair) -> None:
        low, high, search = pair.low, pair.high, pair.search
        assert self.where is not None
        at, step = self.where, 0.05 * (high - low)
        budget = search.tests + min(POLISH_TESTS, self.left())
        while np.any(step > POLISH * (high - low)) and search.tests < budget:
            before = self.clearance
            for move in (*np.diag(step), *np.diag(-step)):
                tried = np.clip(at + move, low, high)
                found, _ = self._nearest(pair, tried, tried, 0.0, 0.0, SAMPLE_TESTS)
                self.note(pair, found, tried)
                if self.clearance < before:
                    at = tried
                    break
            else:
                step = 0.5 * step
