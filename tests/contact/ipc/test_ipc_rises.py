"""The energy may rise for a while, but never above the start, and not for ever."""

import numpy as np
import pytest

from dovetail.contact.ipc.line_search.nonmonotone import (
    LAST,
    MOST,
    RISES,
    ROOM,
    SOON,
    allowed_rise,
    begin_rises,
    forget_rises,
    note_rise,
)


def begun(allowed=True):
    past = np.full(ROOM, np.nan)
    begin_rises(past, allowed)
    return past


@pytest.mark.parametrize("seed", range(20))
def test_never_above_one_of_the_last_iterates_nor_the_start(seed):
    rng = np.random.default_rng(seed)
    past, energies = begun(), [0.0]
    for k in range(200):
        most = allowed_rise(past)
        assert most <= max(energies[-LAST - 1 :]) - energies[-1] + 1e-12
        rise = most if rng.random() < 0.3 else -rng.random()
        note_rise(past, k, rise)
        energies.append(energies[-1] + rise)
    assert max(energies) <= 1e-12


def test_what_was_lost_may_be_regained_within_the_last_iterates():
    past = begun()
    note_rise(past, 0, -5.0)
    assert allowed_rise(past) == 5.0
    for k in range(1, LAST):
        note_rise(past, k, -1.0)
        assert allowed_rise(past) == 5.0 + k
    note_rise(past, LAST, -1.0)  # the start is forgotten
    assert allowed_rise(past) == LAST


def test_without_a_new_least_energy_it_ends_and_stays_so():
    past = begun()
    note_rise(past, 0, -5.0)
    for k in range(1, SOON):
        note_rise(past, k, 1.0 if k % 2 else -1.0)  # back to the least energy, never below
        assert allowed_rise(past) > 0.0 or k % 2
    note_rise(past, SOON, -1.0)
    for k in range(SOON + 1, SOON + 4):
        assert allowed_rise(past) == 0.0
        note_rise(past, k, -100.0)


def test_an_oscillation_that_gains_next_to_nothing_ends():
    past, k = begun(), 0
    note_rise(past, k, -5.0)
    while allowed_rise(past) > 0.0:
        note_rise(past, k + 1, 0.1)
        note_rise(past, k + 2, -0.1 * (1 + 1e-12))
        k += 2
        assert k <= 2 * MOST
    assert k == 2 * MOST


def test_another_energy_forgets_what_was_but_not_how_often():
    past = begun()
    note_rise(past, 0, -5.0)
    note_rise(past, 1, 2.0)
    forget_rises(past)
    assert allowed_rise(past) == 0.0
    note_rise(past, 2, -1.0)
    assert allowed_rise(past) == 1.0
    assert past[RISES] == 1.0


def test_with_friction_it_never_rises():
    past = begun(allowed=False)
    for k in range(5):
        assert allowed_rise(past) == 0.0
        note_rise(past, k, -1.0)
