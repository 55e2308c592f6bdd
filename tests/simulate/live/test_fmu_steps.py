"""Communication steps of a unit are whole numbers of steps of its simulation."""

from types import SimpleNamespace

import pytest

import dovetail as dt
from dovetail.simulate.live.fmu import advance


class Counting:
    step_size = 1e-3

    def __init__(self):
        self.counts = []

    def step(self, count):
        self.counts.append(count)


@pytest.mark.parametrize(
    ("size", "count"), [(1e-3, 1), (3e-3, 3), (0.5, 500), (7e-3 * (1 + 5e-10), 7)]
)
def test_a_communication_step_holds_so_many_steps(size, count):
    simulation = Counting()
    assert advance(SimpleNamespace(simulation=simulation), size) is True
    assert simulation.counts == [count]


@pytest.mark.parametrize("size", [4e-4, 1.5e-3, 7e-3 * (1 + 2e-9), 7e-3 * (1 - 2e-9)])
def test_another_one_is_refused_and_nothing_is_stepped(size):
    simulation = Counting()
    with pytest.raises(dt.InputError, match=r"must be a multiple of 0.001 s, got"):
        advance(SimpleNamespace(simulation=simulation), size)
    assert simulation.counts == []
