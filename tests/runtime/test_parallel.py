"""Threads change how long it takes, not what comes out."""

import os
import signal
import threading

import numpy as np
import pytest

from dovetail.errors import InputError
from dovetail.runtime.jit import jit
from dovetail.runtime.parallel import VARIABLE, in_threads, index_ranges, n_threads, over_ranges


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


@pytest.mark.parametrize("threads", ["1", "2", "4"])
def test_results_come_in_the_order_of_the_items(monkeypatch, threads):
    monkeypatch.setenv(VARIABLE, threads)
    assert n_threads() == int(threads)
    assert in_threads(lambda item: item * item, range(50)) == [k * k for k in range(50)]


def test_items_really_run_at_the_same_time(monkeypatch):
    monkeypatch.setenv(VARIABLE, "2")
    both = threading.Barrier(2, timeout=20)
    in_threads(lambda item: both.wait(), [0, 1])


@pytest.mark.parametrize("given", ["0", "-1", "two", "1.5"])
def test_a_number_of_threads_that_is_none_is_refused(monkeypatch, given):
    monkeypatch.setenv(VARIABLE, given)
    with pytest.raises(InputError, match="DOVETAIL_THREADS must be a whole number >= 1"):
        n_threads()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forks beside threads
def test_a_forked_process_has_threads_of_its_own(monkeypatch):
    monkeypatch.setenv(VARIABLE, "2")
    in_threads(abs, [1, 2])
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # where it waits for threads that are not there
        os._exit(0 if in_threads(abs, [-1, -2]) == [1, 2] else 1)
    assert os.waitpid(child, 0)[1] == 0
