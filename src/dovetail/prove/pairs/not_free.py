"""The configurations at which two bodies are not shown to keep a clearance.

Of one coordinate, ranges whose ends are found to BRACKET of the whole; free ranges below NARROW
between two of them may be counted to them. Of several, a box around all of them whose sides are
found likewise. What is left when the budget of tests ends is not shown to be free.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dovetail.model.values import Array
from dovetail.prove.motion.records import CLEAR, MEET
from dovetail.prove.pairs.pair_search import PairSearch

BRACKET = 4e-7  # of the range: ends are found to that
NARROW = 2.0**-10  # of the range: parts that slide on each other are not followed more finely
BOX_RESOLUTION = 1 / 32  # of each range: the same for several coordinates
BOX_TESTS = 2000  # of one of these cells: a cell that is not decided counts as not free
MAX_CELLS = 20_000  # of one search
CELL_TESTS = 20_000  # of one cell while ends are bracketed, at least

Nested = Callable[[Array], bool]  # whether one body lies in the other at these coordinates


@dataclass(frozen=True, eq=False)
class Interval:
    """A box of coordinates that is not shown to be free."""

    low: Array
    high: Array
    close: list[Array] = field(default_factory=list)  # at which the bodies were found too close


class NotFree:
    """Of one pair of bodies; `whole` are the lengths of the ranges that `bracket` is a share of."""

    def __init__(
        self, search: PairSearch, whole: Array, clearance: float, budget: int, nested: Nested,
        bracket: float = BRACKET,
    ) -> None:  # fmt: skip
        self._search, self._whole, self._clearance = search, whole, clearance
        self._nested, self._until = nested, search.tests + budget
        self._bracket = bracket

    def within(self, low: Array, high: Array) -> list[Interval]:
        """The parts of a cell."""
        single = len(low) == 1
        resolution, enough = (self._bracket, CELL_TESTS) if single else (BOX_RESOLUTION, BOX_TESTS)
        pieces: list[Interval] = []
        stack = [(low, high)]
        cells = 0
        while stack:
            begin, end = stack.pop()
            cells += 1
            sizes = self._sizes(begin, end)
            found, at = None, begin
            if cells <= MAX_CELLS and self._search.tests < self._until:
                found, at = self._search.decide_briefly(begin, end, self._clearance, enough)
                if found.code == CLEAR:
                    if self._nested(begin):
                        pieces.append(Interval(begin, end, [begin]))
                    continue
            close = [at] if found is not None and found.code == MEET else []
            whole = found is not None and (
                self._close_at_ends(begin, end)
                if single and close and sizes.max() <= NARROW
                else self._search.throughout(begin, end, self._clearance, 0.0)
            )
            if whole or sizes.max() <= resolution or found is None:
                pieces.append(Interval(begin, end, close))
                continue
            side = int(np.argmax(sizes))
            middle = 0.5 * (begin[side] + end[side])
            left, right = end.copy(), begin.copy()
            left[side] = right[side] = middle
            stack += [(right, end), (begin, left)]
        return _joined(pieces) if single else [self._bracketed(box) for box in _around(pieces)]

    def _sizes(self, low: Array, high: Array) -> Array:
        out = np.zeros_like(self._whole)
        return np.divide(high - low, self._whole, out=out, where=self._whole > 0.0)

    def _close_at_ends(self, low: Array, high: Array) -> bool:
        """Whether bodies too close inside a narrow cell of one coordinate are so at its ends."""
        return all(self._search.at(at, self._clearance).code == MEET for at in (low, high))

    def _bracketed(self, box: Interval) -> Interval:
        """A box cut down to BRACKET: slabs along its sides that are shown to be free go."""
        low, high, close = box.low.copy(), box.high.copy(), list(box.close)
        for side in range(len(low)):
            for at_low in (True, False):
                free, open_end = (low, high) if at_low else (high, low)
                outer, inner = float(free[side]), float(open_end[side])
                while (
                    abs(inner - outer) > self._bracket * self._whole[side]
                    and self._search.tests < self._until
                ):
                    middle = 0.5 * (outer + inner)
                    begin, end = low.copy(), high.copy()
                    (end if at_low else begin)[side] = middle
                    found, at = self._search.decide_briefly(begin, end, self._clearance, CELL_TESTS)
                    if found.code == CLEAR and not self._nested(begin):
                        outer = middle
                        free[side] = middle
                        continue
                    inner = middle
                    if found.code == MEET:
                        close.append(at)
        return Interval(low, high, close)


def _joined(pieces: list[Interval]) -> list[Interval]:
    """Neighbouring pieces of one coordinate as one."""
    joined: list[Interval] = []
    for piece in sorted(pieces, key=lambda piece: float(piece.low[0])):
        if joined and piece.low[0] <= joined[-1].high[0]:
            last = joined.pop()
            piece = Interval(last.low, piece.high, last.close + piece.close)
        joined.append(piece)
    return joined


def _around(pieces: list[Interval]) -> list[Interval]:
    """The box around all pieces."""
    if not pieces:
        return []
    low = np.min([piece.low for piece in pieces], axis=0)
    high = np.max([piece.high for piece in pieces], axis=0)
    return [Interval(low, high, [at for piece in pieces for at in piece.close])]
