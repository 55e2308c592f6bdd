"""In which range do two bodies meet? Outside it they are shown to be free; its ends are bracketed.

A range begins between the configuration up to which freedom is proven and the first one found at
which the true bodies certainly meet; it ends likewise. Triangles that stand for round surfaces are
off by their deviation, and leave that much open; finer ones narrow what the coarser left open.
"""

from dataclasses import dataclass

import numpy as np

from dovetail.model.values import Array
from dovetail.prove.kinematic.pair import Pair
from dovetail.prove.pairs.breadth import spread_evenly
from dovetail.prove.pairs.not_free import BRACKET, Interval, NotFree

FINE = 1e-7  # of the range: a certain meeting is looked for that near to the end
WIDER = 4.0  # times farther from the end, until one is found
TRIED = 24  # configurations of a range that may be free


@dataclass(frozen=True, eq=False)
class Range:
    """A box of parameters outside of which two bodies are free."""

    low: Array
    high: Array
    surely: tuple[Array, Array] | None  # of one: they meet at both; of several: box of meetings

    def open_share(self, whole: Array) -> float:
        """Of the whole range: how far the farther end is open."""
        if self.surely is None:
            return 1.0
        first, last = self.surely
        wide = np.maximum(first - self.low, self.high - last)
        return float(np.max(np.divide(wide, whole, out=np.zeros_like(wide), where=whole > 0.0)))


class Ranges:
    """Of one pair of bodies; ends are looked for to BRACKET, or `coarser` times that."""

    def __init__(self, pair: Pair, budget: int, coarser: float = 1.0) -> None:
        self._pair, self._whole = pair, pair.high - pair.low
        self._until = pair.search.tests + budget
        self._fine = coarser * FINE
        self._not_free = NotFree(
            pair.search, self._whole, pair.free_at, budget, pair.nested, coarser * BRACKET
        )

    def found(self, known: Array) -> list[Range]:
        """All of them; at `known` the bodies certainly meet."""
        pair = self._pair
        return [self._of(one, known) for one in self._not_free.within(pair.low, pair.high)]

    def narrowed(self, ranges: list[Range]) -> list[Range]:
        """The same ranges, where they are wider than BRACKET allows; with finer triangles."""
        made: list[Range] = []
        for one in ranges:
            if one.open_share(self._whole) <= 2.0 * BRACKET:
                made.append(one)
            elif one.surely is None or len(one.low) > 1:
                known = None if one.surely is None else one.surely[0]
                made += [self._of(new, known) for new in self._not_free.within(one.low, one.high)]
            else:
                made += self._with_new_ends(one)
        return made

    def _with_new_ends(self, one: Range) -> list[Range]:
        assert one.surely is not None
        first, last = one.surely
        before = self._not_free.within(one.low, first)
        after = self._not_free.within(last, one.high)
        low, high = first, last
        if before and before[-1].high[0] >= first[0]:
            low = before.pop().low
        if after and after[0].low[0] <= last[0]:
            high = after.pop(0).high
        core = Range(low, high, (self._end(low, first), self._end(high, last)))
        return [
            *(self._of(new, None) for new in before), core,
            *(self._of(new, None) for new in after),
        ]  # fmt: skip

    def _of(self, interval: Interval, known: Array | None) -> Range:
        low, high = interval.low, interval.high
        if len(low) > 1:
            met = [at for at in interval.close if self._pair.certainly_meet(at)]
            met += [] if known is None else [known]
            surely = (np.min(met, axis=0), np.max(met, axis=0)) if met else None
            return Range(low, high, surely)
        if known is None or not low[0] <= known[0] <= high[0]:
            some = interval.close[:: max(1, len(interval.close) // TRIED)]
            even = spread_evenly(low, high)[:TRIED]
            known = self._pair.first_certain(np.array([*some, low, high, *even]))
        if known is None:
            return Range(low, high, None)
        return Range(low, high, (self._end(low, known), self._end(high, known)))

    @property
    def _has_tests(self) -> bool:
        return self._pair.search.tests < self._until

    def _end(self, end: Array, known: Array) -> Array:
        """The configuration nearest to an end of a range that is found to be a certain meeting."""
        if self._pair.certainly_meet(end):
            return end
        away = float(known[0] - end[0])
        fine = self._fine * float(self._whole[0])
        free, step = 0.0, fine
        while step < abs(away) and self._has_tests:
            if self._pair.certainly_meet(end + np.copysign(step, away)):
                break
            free, step = step, WIDER * step
        else:
            step = abs(away)
        meets = step
        while meets - free > fine and self._has_tests:
            middle = 0.5 * (free + meets)
            if self._pair.certainly_meet(end + np.copysign(middle, away)):
                meets = middle
            else:
                free = middle
        return known if meets == abs(away) else end + np.copysign(meets, away)
