"""The ends of ranges in which two bodies meet, sharpened on triangles near the place of meeting.

Around an end, all triangles but a few are shown to stay apart with the deviation that they have.
These few are halved onto the true surface, again and again, each time with a smaller deviation
and a shorter range to search, until the end is known to 1e-6 of the range.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dovetail.collision.bvh.forest import forest_of
from dovetail.model.values import Array
from dovetail.prove.kinematic.pair import Pair
from dovetail.prove.kinematic.ranges import Range, Ranges
from dovetail.prove.pairs.nested import pose_at
from dovetail.prove.pairs.not_free import BRACKET
from dovetail.prove.pairs.pair_search import PairSearch
from dovetail.prove.surfaces.patches import UNEVEN, Patches, frame_along
from dovetail.prove.verdict import WANTED

ROUNDS = 16
STALLED = 2  # rounds one after another that leave more than LITTLE of what was open
LITTLE = 0.7
FINER = 16.0  # times: by that deviations fall in one round
NEARER = 0.3  # times: by that they fall at least
HALF = 0.5  # of the largest: patches that are halved together
AT_ONCE = 2000  # of a body, where one round has halved them already
MOST_PATCHES = 40_000  # of a body near one end
NEAR_TESTS = 2_000_000  # of one search for them
CUTS = 12  # of long triangles in one round
FEW, TIMES_AS_MANY = 200, 2  # near triangles that cutting may leave

Cell = tuple[Array, Array]


class LocalEnds:
    """Of one pair of bodies and one parameter, within a number of tests."""

    def __init__(self, pair: Pair, budget: int) -> None:
        self._pair, self._whole = pair, pair.high - pair.low
        self._until = pair.search.tests + budget
        behind = pair.behind
        known = len(pair.low) == 1 and all(one.patches is not None for one in behind)
        self._apply = known and max(pair.margin.outside, pair.margin.inside) > 0.0

    def sharpened(self, ranges: list[Range]) -> list[Range]:
        """The same ranges where they are open, as far as faces are known near their ends."""
        made: list[Range] = []
        for one in ranges:
            made += self._ends(one) if self._apply and self._is_open(one) else [one]
        return made

    def _is_open(self, one: Range) -> bool:
        return one.open_share(self._whole) > WANTED

    def _ends(self, one: Range) -> list[Range]:
        if one.surely is None:
            return self._refined([one])
        first, last = one.surely
        before = self._refined([Range(one.low, first, (first, first))])
        after = self._refined([Range(last, one.high, (last, last))])
        low, high = before.pop(), after.pop(0)
        assert low.surely is not None and high.surely is not None
        return [*before, Range(low.low, high.high, (low.surely[0], high.surely[1])), *after]

    def _refined(self, ranges: list[Range]) -> list[Range]:
        """Ranges of one neighbourhood, with finer and finer patches of the bodies there."""
        level, stalled = _Level(self._pair, None, self._first_least()), 0
        for _ in range(ROUNDS):
            open_ones = [one for one in ranges if self._is_open(one)]
            if not open_ones or self._left <= 0 or stalled == STALLED:
                break
            low = np.min([one.low for one in open_ones], axis=0)
            high = np.max([one.high for one in open_ones], axis=0)
            finer = self._finer(level, (low, high))
            if finer is None:
                break
            level = finer
            widest = max(one.open_share(self._whole) for one in open_ones)
            coarser = max(1.0, widest / (FINER * BRACKET))
            ranges = Ranges(level.pair, self._left, coarser).narrowed(ranges)
            self._pair.search.tests += level.pair.search.tests
            left = max(one.open_share(self._whole) for one in ranges)
            stalled = stalled + 1 if left > LITTLE * widest else 0
        return ranges

    @property
    def _left(self) -> int:
        return self._until - self._pair.search.tests

    def _first_least(self) -> float:
        """[m] that keeps the true bodies apart, by the maps from triangles onto their faces."""
        return self._pair.limit + sum(one.margin.outside for one in self._pair.behind)

    def _shorter(self, patches: list[Patches], cell: Cell, least: float) -> list[Patches]:
        """Long ones cut across where that leaves few of them near: not those along a line."""
        made, most = patches, FEW + TIMES_AS_MANY * _count(patches)
        for _ in range(CUTS):
            cut = [one.cut_across() for one in made]
            if all(one is None for one in cut):
                break
            tried = [old if new is None else new for old, new in zip(made, cut, strict=True)]
            search = self._search(tried, cell)
            near = search.near(*cell, least, NEAR_TESTS)
            self._pair.search.tests += search.tests
            if near is None:
                return patches
            made = [one.taken(rows) for one, rows in zip(tried, near, strict=True)]
            if _count(made) > most:
                return patches
        return made

    def _search(self, patches: list[Patches], cell: Cell) -> PairSearch:
        """Boxes along the common normal are thin: those of surfaces that face each other."""
        motion = self._pair.motion
        turned_b, _ = pose_at(motion, 0.5 * (cell[0] + cell[1]))
        normals = [one.mean_normal() for one in patches]
        seen = motion.chain.R_a @ normals[0], turned_b @ normals[1]
        sides = [patches[0].sides @ motion.chain.R_a.T, patches[1].sides @ turned_b.T]
        frame = frame_along(max(seen, key=lambda n: float(n @ n)), np.concatenate(sides))
        R_a, R_b = motion.chain.R_a.T @ frame, turned_b.T @ frame
        chain = motion.chain._replace(R_a=motion.chain.R_a @ R_a, R_b=motion.chain.R_b @ R_b)
        trees = [one.seen_in(R).tree() for one, R in zip(patches, (R_a, R_b), strict=True)]
        return PairSearch(forest_of(trees), (0, 1), replace(motion, chain=chain))

    def _finer(self, level: "_Level", cell: Cell) -> "_Level | None":
        """The patches that are near, halved; None where that is not possible or too many."""
        behind = self._pair.behind
        near = level.pair.search.near(*cell, level.least, NEAR_TESTS)
        if near is None:
            return None
        if level.patches is None:
            taken = [one.put_on_faces(rows) for one, rows in zip(behind, near, strict=True)]
        else:
            taken = [one.taken(rows) for one, rows in zip(level.patches, near, strict=True)]
        patches = [one for one in taken if one is not None and one.are_known]
        if len(patches) < 2:
            return None
        target = max(one.deviation() for one in patches) / FINER
        if not target > 0.0:
            return None
        share = UNEVEN if level.patches is None else 0.5
        shorter = self._shorter(patches, cell, level.least)
        halved = [_down_to(one, target, share) for one in shorter]
        if any(one is None for one in halved):
            return None
        a, b = (one for one in halved if one is not None)
        margins = behind[0].margin_of(a.deviation()), behind[1].margin_of(b.deviation())
        pair = self._pair.of_patches(self._search([a, b], cell), margins)
        return _Level(pair, (a, b), pair.free_at)


class _Level(NamedTuple):
    """Patches of one fineness near an end."""

    pair: Pair
    patches: tuple[Patches, Patches] | None  # None: all simplices of the bodies
    least: float  # [m] of what is examined: what keeps it is free


def _count(patches: list[Patches]) -> int:
    return sum(len(one.corners) for one in patches)


def _down_to(patches: Patches, deviation: float, share: float) -> Patches | None:
    """Halved until they are that near to the true surface [m], or AT_ONCE and much nearer.

    None where they get too many.
    """
    off = patches.deviations()
    began = off.max(initial=0.0)
    while off.max(initial=0.0) > deviation:
        if len(off) > MOST_PATCHES:
            return None
        if len(off) > AT_ONCE and off.max() < NEARER * began:
            break
        patches = patches.halved(off > max(deviation, HALF * off.max()), share)
        off, share = patches.deviations(), 0.5
    return patches
