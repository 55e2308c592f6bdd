"""The energy may rise for a while, but never above the start, and not for ever."""

import numpy as np
import pytest

from dovetail.kernels.ipc_rises import LAST, PATIENCE, allowed_rise, begin_rises, note_rise


def begun(allowed=True):
    past = np.full(LAST + 2, np.nan)
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
    note_rise(past, 1, 2.0)
    for k in range(2, PATIENCE):
        note_rise(past, k, 0.0)
        assert allowed_rise(past) >= 0.0
    note_rise(past, PATIENCE, 0.0)
    assert allowed_rise(past) == 0.0
    for k in range(PATIENCE + 1, PATIENCE + 4):
        note_rise(past, k, -100.0)
        assert allowed_rise(past) == 0.0


def test_with_friction_it_never_rises():
    past = begun(allowed=False)
    for k in range(5):
        assert allowed_rise(past) == 0.0
        note_rise(past, k, -1.0)
