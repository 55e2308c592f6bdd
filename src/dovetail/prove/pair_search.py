"""The searches of one pair of bodies: decide a clearance, find the least distance, the meetings."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from dovetail.collision.bvh.forest_arrays import Forest
from dovetail.model.values import Array
from dovetail.prove.chains import PairMotion
from dovetail.prove.closest import closest_point
from dovetail.prove.records import CLEAR, MEET, Cell, Demand, Found, workspace
from dovetail.prove.revolving import revolving
from dovetail.prove.search import ROUNDING, limit_of, search, slack_of
from dovetail.prove.throughout import meet_throughout
from dovetail.runtime.records import Int64Array

DEPTH = 4096  # of the stack: two entries for each halving of a tree or of a cell
SMALLEST = 2.0**-44  # of the range: cells are not halved beyond
BRACKET = 1e-6  # of the range: ends of meetings are found to that
NARROW = 2.0**-10  # of the range: parts that slide on each other are not followed more finely
BOX_RESOLUTION = 1 / 32  # of each range: the same for several coordinates
BOX_TESTS = 2000  # of one of these cells: a cell that is not decided counts as meeting
MAX_CELLS = 20_000  # of one search for meetings
MEETING_TESTS = 20_000  # of one cell while the ends of meetings are bracketed, at least
TIMES_MIDDLE = 8  # and that many times what the middle of the cell takes
STATIC_TESTS = 1_000_000  # of one configuration
THROUGHOUT_TESTS = 20_000

Nested = Callable[[Array], bool]  # whether one body lies in the other at these coordinates


@dataclass(frozen=True)
class Interval:
    """Coordinates in which two bodies meet, or may do so."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    certain: bool


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
        self, low: Array, high: Array, clearance: float, best: float, accuracy: float, budget: int
    ) -> tuple[Found, Array]:
        """The least distance in the cell, to a relative `accuracy`, if it is less than `best`."""
        demand = Demand(clearance, best, True, accuracy, 1e-12, SMALLEST, budget)
        return self._run(low, high, demand)

    def point_between(self, found: Found, at: Array) -> tuple[float, float, float]:
        """[m] in the world between the two simplices that `found` names, a in its initial pose."""
        a, b = self._numbers
        return closest_point(self._forest, (a, b), self.motion, found, at)

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

    def _decide_briefly(self, low: Array, high: Array, clearance: float, budget: int) -> Found:
        """The same with a budget that follows from what the middle takes."""
        middle = 0.5 * (low + high)
        demand = Demand(clearance, inf, False, 0.0, 0.0, SMALLEST, STATIC_TESTS)
        found, _ = self._run(middle, middle, demand)
        if found.code == MEET:
            return found
        enough = max(budget, TIMES_MIDDLE * int(found.tests))
        return self._run(low, high, demand._replace(budget=enough))[0]

    def meetings(
        self, low: Array, high: Array, clearance: float, budget: int, nested: Nested
    ) -> list[Interval]:
        """The parts of a cell in which the bodies meet; `nested` says so of surfaces that do not.

        Of one coordinate, bracketed to BRACKET of its range; free ranges below NARROW between two
        meetings may be counted to them. Of several, a box around all of them
        whose sides are bracketed likewise.
        What is left when the budget of tests ends counts as meeting.
        """
        until = self.tests + budget
        whole = high - low
        single = len(low) == 1
        resolution, enough = (BRACKET, MEETING_TESTS) if single else (BOX_RESOLUTION, BOX_TESTS)
        pieces: list[Interval] = []
        stack = [(low, high)]
        cells = 0
        while stack:
            begin, end = stack.pop()
            cells += 1
            sizes = np.divide(end - begin, whole, out=np.zeros_like(whole), where=whole > 0.0)
            found = None
            if cells <= MAX_CELLS and self.tests < until:
                found = self._decide_briefly(begin, end, clearance, enough)
                if found.code == CLEAR:
                    if nested(begin):
                        pieces.append(Interval(tuple(begin.tolist()), tuple(end.tolist()), True))
                    continue
            certain = found is not None and (
                self.throughout(begin, end, clearance, 0.0)
                or (found.code == MEET and self._meet_all_along(begin, end, sizes, clearance))
            )
            if certain or sizes.max() <= resolution or found is None:
                certain = certain or (found is not None and found.code == MEET)
                pieces.append(Interval(tuple(begin.tolist()), tuple(end.tolist()), certain))
                continue
            side = int(np.argmax(sizes))
            middle = 0.5 * (begin[side] + end[side])
            left, right = end.copy(), begin.copy()
            left[side] = right[side] = middle
            stack += [(right, end), (begin, left)]
        if single:
            return _joined(pieces)
        return [self._bracketed(box, whole, clearance, until, nested) for box in _around(pieces)]

    def _meet_all_along(self, low: Array, high: Array, sizes: Array, clearance: float) -> bool:
        """Whether bodies that meet inside a narrow cell of one coordinate do so at its ends too."""
        if len(low) > 1 or sizes.max() > NARROW:
            return False
        demand = Demand(clearance, inf, False, 0.0, 0.0, SMALLEST, STATIC_TESTS)
        return all(self._run(at, at, demand)[0].code == MEET for at in (low, high))

    def _bracketed(
        self, box: Interval, whole: Array, clearance: float, until: int, nested: Nested
    ) -> Interval:
        """A box cut down to BRACKET: slabs along its sides that are shown to be free go."""
        low, high = np.array(box.low), np.array(box.high)
        for side in range(len(low)):
            for at_low in (True, False):
                free, open_end = (low, high) if at_low else (high, low)
                outer, inner = float(free[side]), float(open_end[side])
                while abs(inner - outer) > BRACKET * whole[side] and self.tests < until:
                    middle = 0.5 * (outer + inner)
                    begin, end = low.copy(), high.copy()
                    (end if at_low else begin)[side] = middle
                    found = self._decide_briefly(begin, end, clearance, MEETING_TESTS)
                    if found.code == CLEAR and not nested(begin):
                        outer = middle
                        free[side] = middle
                    else:
                        inner = middle
        return Interval(tuple(low.tolist()), tuple(high.tolist()), box.certain)

    def throughout(self, low: Array, high: Array, clearance: float, off: float) -> bool:
        """Whether the bodies meet in all of the cell, even if their points are `off` [m] off."""
        a, b = self._numbers
        shown, tests = meet_throughout(
            self._forest, a, b, self.motion.chain, self.motion.course, Cell(low, high),
            clearance, off, self._work, THROUGHOUT_TESTS,
        )  # fmt: skip
        self.tests += int(tests)
        return bool(shown)


def _joined(pieces: list[Interval]) -> list[Interval]:
    """Neighbouring pieces as one; certain where one of them is."""
    joined: list[Interval] = []
    for piece in sorted(pieces, key=lambda piece: piece.low):
        if joined and piece.low[0] <= joined[-1].high[0]:
            last = joined.pop()
            piece = Interval(last.low, piece.high, last.certain or piece.certain)
        joined.append(piece)
    return joined


def _around(pieces: list[Interval]) -> list[Interval]:
    """The box around all pieces."""
    if not pieces:
        return []
    low = np.min([piece.low for piece in pieces], axis=0)
    high = np.max([piece.high for piece in pieces], axis=0)
    certain = any(piece.certain for piece in pieces)
    return [Interval(tuple(low.tolist()), tuple(high.tolist()), certain)]
