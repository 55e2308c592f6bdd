"""Threads change how long it takes, not what comes out."""

import threading

import numpy as np
import pytest

from dovetail.runtime.jit import jit
from dovetail.runtime.parallel import index_ranges, over_ranges


@jit
def _sum(values, begin, end):
    total = 0.0
    for i in range(begin, end):
        total += values[i]
    return total


def test_ranges_cover_every_index_once():
    for count, grain in [(0, 4), (1, 4), (4, 4), (5, 4), (100, 7)]:
        covered = [i for begin, end in index_ranges(count, grain) for i in range(begin, end)]
        assert covered == list(range(count))


@pytest.mark.parametrize("threads", [1, 2, 3, 8, None])
def test_a_sum_has_the_same_bits_with_any_number_of_threads(threads):
    values = np.random.default_rng(0).normal(size=10_001) * np.logspace(-8, 8, 10_001)
    parts = over_ranges(lambda b, e: _sum(values, b, e), len(values), 100, threads)
    assert sum(parts) == sum(_sum(values, b, e) for b, e in index_ranges(len(values), 100))


def test_pieces_really_run_at_the_same_time():
    both = threading.Barrier(2, timeout=20)
    over_ranges(lambda b, e: both.wait(), 2, 1, threads=2)  # one after the other would time out


def test_an_error_in_a_piece_is_not_lost():
    def work(begin, end):
        if begin == 3:
            raise ValueError("piece 3")
        return begin

    with pytest.raises(ValueError, match="piece 3"):
        over_ranges(work, 6, 1, threads=2)
