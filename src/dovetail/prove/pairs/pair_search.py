"""The searches of one pair of bodies: decide a clearance, find the least distance."""

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.forest_arrays import Forest
from dovetail.model.values import Array
from dovetail.prove.motion.chains import PairMotion
from dovetail.prove.motion.records import MEET, Cell, Demand, Found, workspace
from dovetail.prove.pairs.closest import closest_point
from dovetail.prove.pairs.near import mark_near
from dovetail.prove.pairs.revolving import n_nodes, revolving
from dovetail.prove.pairs.search import ROUNDING, limit_of, search, slack_of
from dovetail.prove.pairs.throughout import meet_throughout
from dovetail.runtime.records import Int64Array

DEPTH = 4096  # of the stack: two entries for each halving of a tree or of a cell
SMALLEST = 2.0**-44  # of the range: cells are not halved beyond
TIMES_MIDDLE = 8  # and that many times what the middle of the cell takes
STATIC_TESTS = 1_000_000  # of one configuration
THROUGHOUT_TESTS = 20_000

Marks = NDArray[np.bool_]


class Goal(NamedTuple):
    """Of a search for the least distance."""

    best: float  # [m] known to occur
    accuracy: float  # of the part of the distance beyond `radius`
    radius: float = 0.0  # [m] of both bodies about what is examined of them


class PairSearch:
    """Two bodies `a`, `b` of a forest and the ranges of the coordinates between them."""

    def __init__(self, forest: Forest, numbers: tuple[int, int], motion: PairMotion) -> None:
        self._forest, self._numbers, self.motion = forest, numbers, motion
        self._work = workspace(DEPTH, len(motion.parameters), len(motion.chain.screws))
        self._roots = np.array([[forest.root[n] for n in numbers]], np.int64)
        self._revolving = revolving(forest, numbers, motion)
        self.tests = 0

    def decide(self, low: Array, high: Array, clearance: float, budget: int) -> tuple[Found, Array]:
        """Whether the bodies keep `clearance` [m] in all of the cell.

        The middle is tried first: where the bodies cross, pairs of triangles that just touch each
        other somewhere in the cell need not be decided.
        """
        middle = 0.5 * (low + high)
        demand = Demand(clearance, inf, False, 0.0, 0.0, SMALLEST, budget)
        found, at = self._run(middle, middle, demand)
        if found.code == MEET or np.array_equal(low, high):
            return found, at
        return self._run(low, high, demand)

    def minimise(
        self, low: Array, high: Array, clearance: float, goal: Goal, budget: int
    ) -> tuple[Found, Array]:
        """The least distance in the cell, if it is less than the best one known."""
        best, accuracy, radius = goal
        demand = Demand(clearance, best, True, accuracy, 1e-12, SMALLEST, budget, radius)
        return self._run(low, high, demand)

    def point_between(
        self, found: Found, at: Array, radii: tuple[float, float]
    ) -> tuple[float, float, float]:
        """[m] in the world between the two simplices that `found` names, a in its initial pose."""
        a, b = self._numbers
        return closest_point(self._forest, (a, b), self.motion, found, at, radii)

    def _run(self, low: Array, high: Array, demand: Demand) -> tuple[Found, Array]:
        a, b = self._numbers
        motion = self.motion
        cell = Cell(np.asarray(low, float), np.asarray(high, float))
        starts, tests = self._starts(cell, demand)
        if demand.budget > tests:
            demand = demand._replace(budget=demand.budget - tests)
        found = search(
            self._forest, a, b, motion.chain, motion.course, cell, starts, demand, self._work
        )
        found = found._replace(tests=found.tests + tests)
        self.tests += found.tests
        return found, self._work.at.copy()

    def rounding(self, low: Array, high: Array) -> float:
        """[m] of positions of the two bodies relative to each other in the cell."""
        a, b = self._numbers
        cell = Cell(np.asarray(low, float), np.asarray(high, float))
        return float(slack_of(self._forest, a, b, self.motion.chain, self.motion.course, cell))

    def follows_exactly(self, low: Array, high: Array) -> bool:
        """Whether coordinates on a course are known as well as rounding lets positions be."""
        screws, error = self.motion.chain.screws, self.motion.course.error
        if not error.any():
            return True
        rounding = self.rounding(low, high)
        extent = rounding / (ROUNDING * (len(screws) + 1))
        arms = np.where(screws[:, :3].any(axis=1), extent, 1.0)
        return float(error @ arms) <= rounding

    def _starts(self, cell: Cell, demand: Demand) -> tuple[Int64Array, int]:
        """Pairs of nodes that may come too close in the cell, and the tests this took."""
        if self._revolving is None or not np.any(cell.high > cell.low):
            return self._roots, 0
        least = float(limit_of(demand.best, demand))
        if not np.isfinite(least):
            return self._roots, 0
        slack = self.rounding(cell.low, cell.high)
        left, tests = self._revolving.pairs_left(cell, least + slack, demand.budget // 2)
        return (self._roots if left is None else left), tests

    def decide_briefly(
        self, low: Array, high: Array, clearance: float, budget: int
    ) -> tuple[Found, Array]:
        """The same with a budget that follows from what the middle takes."""
        middle = 0.5 * (low + high)
        demand = Demand(clearance, inf, False, 0.0, 0.0, SMALLEST, STATIC_TESTS)
        found, at = self._run(middle, middle, demand)
        if found.code == MEET:
            return found, at
        enough = max(budget, TIMES_MIDDLE * int(found.tests))
        return self._run(low, high, demand._replace(budget=enough))

    def at(self, where: Array, clearance: float) -> Found:
        """The same of a single configuration."""
        demand = Demand(clearance, inf, False, 0.0, 0.0, SMALLEST, STATIC_TESTS)
        return self._run(where, where, demand)[0]

    def throughout(
        self, low: Array, high: Array, clearance: float, off: float, budget: int = THROUGHOUT_TESTS
    ) -> bool:
        """Whether the bodies meet in all of the cell, even if their points are `off` [m] off."""
        a, b = self._numbers
        shown, tests = meet_throughout(
            self._forest, a, b, self.motion.chain, self.motion.course, Cell(low, high),
            clearance, off, self._work, budget,
        )  # fmt: skip
        self.tests += int(tests)
        return bool(shown)

    def near(
        self, low: Array, high: Array, least: float, budget: int
    ) -> tuple[Marks, Marks] | None:
        """Which simplices of a and of b may come closer than `least` [m] in the cell.

        None where the budget of tests ends before that is known.
        """
        a, b = self._numbers
        marks = tuple(np.zeros(self._simplices(n), np.bool_) for n in self._numbers)
        whole, tests = mark_near(
            self._forest, a, b, self.motion.chain, self.motion.course, Cell(low, high), least,
            *marks, self._work, budget,
        )  # fmt: skip
        self.tests += int(tests)
        return (marks[0], marks[1]) if whole else None

    def _simplices(self, body: int) -> int:
        """How many there are: one more than nodes with children."""
        return (n_nodes(self._forest, int(self._forest.root[body])) + 1) // 2
