"""A meeting is looked for all over the ranges of several parameters before any part is proven.

A depth-first search through a box of two or more parameters can spend its tests along one surface
of configurations at which two parts just keep the clearance, while they meet elsewhere. So single
configurations are tried first, those of a Halton sequence and the corners; then cells are halved
breadth first, each searched with few tests, so that their middles are spread over the whole box.
"""

from collections import deque
from itertools import product

import numpy as np

from dovetail.model.values import Array
from dovetail.prove.motion.records import CLEAR, MEET, UNDECIDED, Found
from dovetail.prove.pairs.pair_search import PairSearch

TRIALS = 64  # configurations
MOST_CORNERS = 64  # of the box
TRIAL_TESTS = 20_000  # of one configuration
FIRST_SHARE = 8  # of the tests: the part that trials may take, and the whole box at once
CELL_TESTS = 20_000  # of one cell, before it is halved
HALVINGS = 24  # of a range, towards a configuration
BASES = (2, 3, 5, 7, 11, 13)


def halton(count: int, m: int) -> Array:
    """(count, m) numbers in (0, 1), spread evenly (Halton 1960); bases repeat beyond the sixth."""
    rows = np.zeros((count, m))
    for k in range(m):
        base = BASES[k % len(BASES)]
        for i in range(count):
            share, n = 1.0, i + 1 + count * (k // len(BASES))
            while n > 0:
                share /= base
                rows[i, k] += share * (n % base)
                n //= base
    return rows


def decide_widely(
    search: PairSearch, low: Array, high: Array, clearance: float, budget: int
) -> tuple[Found, Array]:
    """Whether the bodies keep `clearance` [m] in all of the box; like `PairSearch.decide`."""
    began = search.tests
    for at in spread_evenly(low, high):
        if search.tests - began >= budget // FIRST_SHARE:
            break
        found, where = search.decide(at, at, clearance, TRIAL_TESTS)
        if found.code == MEET:
            return _with_cost(found, search, began), where
    found, where = search.decide(low, high, clearance, max(1, budget // FIRST_SHARE))
    if found.code != UNDECIDED:
        return _with_cost(found, search, began), where
    found, where = _by_cells(search, low, high, clearance, began + budget)
    return _with_cost(found, search, began), where


def spread_evenly(low: Array, high: Array) -> Array:
    """(n, m) configurations of a box, and its corners where these are not too many."""
    m = len(low)
    shares = halton(TRIALS, m)
    if 2**m <= MOST_CORNERS:
        shares = np.concatenate([shares, np.array(list(product((0.0, 1.0), repeat=m)))])
    return np.asarray(low + shares * (high - low))


def spread_about(at: Array, low: Array, high: Array) -> Array:
    """(n, m) configurations of a box, denser and denser towards `at` along each parameter."""
    steps = (high - low) * 0.5 ** np.arange(1, HALVINGS)[:, None]
    rows = [at + sign * np.diag(step) for step in steps for sign in (1.0, -1.0)]
    return np.clip(np.concatenate(rows), low, high)


def _by_cells(
    search: PairSearch, low: Array, high: Array, clearance: float, until: int
) -> tuple[Found, Array]:
    """Halved breadth first; UNDECIDED with tests left where rounding cannot tell."""
    whole = np.where(high > low, high - low, 1.0)
    cells = deque([(low, high)])
    doubt: tuple[Found, Array] | None = None
    nearest = np.inf
    while cells:
        begin, end = cells.popleft()
        left = until - search.tests
        if left <= 0:
            return Found(UNDECIDED, nearest, 0.0, -1, -1, 0), 0.5 * (begin + end)
        budget = min(CELL_TESTS, left)
        before = search.tests
        found, at = search.decide(begin, end, clearance, budget)
        nearest = min(nearest, found.distance)
        if found.code == MEET:
            return found, at
        if found.code == CLEAR:
            continue
        if search.tests - before < budget:
            doubt = found, at
            continue
        side = int(np.argmax((end - begin) / whole))
        middle = 0.5 * (begin[side] + end[side])
        first, second = end.copy(), begin.copy()
        first[side] = second[side] = middle
        cells += [(begin, first), (second, end)]
    if doubt is not None:
        return doubt
    return Found(CLEAR, nearest, clearance, -1, -1, 0), low


def _with_cost(found: Found, search: PairSearch, began: int) -> Found:
    return found._replace(tests=search.tests - began)
