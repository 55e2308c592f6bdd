"""A configuration at which two bodies are nearest to each other, by descent.

Where a required clearance is a little above the true one, only configurations next to the nearest
one tell. A search through all of the range comes to them late; a descent from the nearest of some
configurations takes few distances. It is a compass search (Kolda, Lewis, Torczon 2003): steps along
the parameters, halved where none of them leads to a smaller distance. It shows what occurs, never
what does not.
"""

from math import inf

import numpy as np

from dovetail.model.values import Array
from dovetail.prove.motion.records import MEET, Found
from dovetail.prove.pairs.breadth import halton
from dovetail.prove.pairs.pair_search import Goal, PairSearch

STARTS = 32  # configurations; the descents begin at the nearest ones
DESCENTS = 3
FIRST_STEP = 1.0 / 16.0  # of the range
LAST_STEP = 1e-9
DISTANCE_TESTS = 100_000  # of one configuration


class Descent:
    """Within a box of parameters and a budget of tests."""

    def __init__(self, search: PairSearch, low: Array, high: Array, budget: int) -> None:
        self._search, self._low, self._high = search, low, high
        self._until = search.tests + budget

    def lowest(self, below: float) -> tuple[Found, Array] | None:
        """The least distance found and where, as of a meeting; None if it is not below `below` [m].

        Of the descents the first that gets there is the last.
        """
        shares = np.concatenate([[np.zeros_like(self._low)], halton(STARTS, len(self._low))])
        starts = self._low + np.concatenate([shares, [1.0 - shares[0]]]) * (self._high - self._low)
        near = sorted((self._distance(at, inf).distance, k) for k, at in enumerate(starts))
        for _, k in near[:DESCENTS]:
            found, at = self._from(starts[k])
            if found.distance < below:
                return found._replace(code=MEET), at
        return None

    def _from(self, at: Array) -> tuple[Found, Array]:
        best, step = self._distance(at, inf), FIRST_STEP * (self._high - self._low)
        while np.any(step > LAST_STEP * (self._high - self._low)) and self._may_go_on(best):
            for move in (*np.diag(step), *np.diag(-step)):
                tried = np.clip(at + move, self._low, self._high)
                found = self._distance(tried, best.distance)
                if found.distance < best.distance:
                    best, at = found, tried
                    break
            else:
                step = 0.5 * step
        return best, at

    def _may_go_on(self, best: Found) -> bool:
        return best.distance > 0.0 and self._search.tests < self._until

    def _distance(self, at: Array, best: float) -> Found:
        """[m] at one configuration; `best` or more where it is not smaller."""
        if self._search.tests >= self._until:
            return Found(MEET, inf, 0.0, -1, -1, 0)
        return self._search.minimise(at, at, 0.0, Goal(best, 0.0), DISTANCE_TESTS)[0]
