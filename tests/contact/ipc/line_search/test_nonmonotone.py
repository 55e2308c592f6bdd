"""The energy may rise for a while, but never above the start, and not for ever."""

import numpy as np
import pytest

from dovetail.contact.ipc.line_search.nonmonotone import (
    HISTORY,
    INCREASES,
    MAX_INCREASES,
    MAX_WITHOUT_PROGRESS,
    MEMORY,
    allowed_increase,
    begin_history,
    forget_energies,
    record_increase,
)


def begun(allowed=True):
    history = np.full(HISTORY, np.nan)
    begin_history(history, allowed)
    return history


@pytest.mark.parametrize("seed", range(20))
def test_never_above_one_of_the_last_iterates_nor_the_start(seed):
    rng = np.random.default_rng(seed)
    history, energies = begun(), [0.0]
    for k in range(200):
        most = allowed_increase(history)
        assert most <= max(energies[-MEMORY - 1 :]) - energies[-1] + 1e-12
        rise = most if rng.random() < 0.3 else -rng.random()
        record_increase(history, k, rise)
        energies.append(energies[-1] + rise)
    assert max(energies) <= 1e-12


def test_what_was_lost_may_be_regained_within_the_last_iterates():
    history = begun()
    record_increase(history, 0, -5.0)
    assert allowed_increase(history) == 5.0
    for k in range(1, MEMORY):
        record_increase(history, k, -1.0)
        assert allowed_increase(history) == 5.0 + k
    record_increase(history, MEMORY, -1.0)  # the start is forgotten
    assert allowed_increase(history) == MEMORY


def test_without_a_new_least_energy_it_ends_and_stays_so():
    history = begun()
    record_increase(history, 0, -5.0)
    for k in range(1, MAX_WITHOUT_PROGRESS):
        record_increase(history, k, 1.0 if k % 2 else -1.0)  # back to the least energy, never below
        assert allowed_increase(history) > 0.0 or k % 2
    record_increase(history, MAX_WITHOUT_PROGRESS, -1.0)
    for k in range(MAX_WITHOUT_PROGRESS + 1, MAX_WITHOUT_PROGRESS + 4):
        assert allowed_increase(history) == 0.0
        record_increase(history, k, -100.0)


def test_an_oscillation_that_gains_next_to_nothing_ends():
    history, k = begun(), 0
    record_increase(history, k, -5.0)
    while allowed_increase(history) > 0.0:
        record_increase(history, k + 1, 0.1)
        record_increase(history, k + 2, -0.1 * (1 + 1e-12))
        k += 2
        assert k <= 2 * MAX_INCREASES
    assert k == 2 * MAX_INCREASES


def test_another_energy_forgets_what_was_but_not_how_often():
    history = begun()
    record_increase(history, 0, -5.0)
    record_increase(history, 1, 2.0)
    forget_energies(history)
    assert allowed_increase(history) == 0.0
    record_increase(history, 2, -1.0)
    assert allowed_increase(history) == 1.0
    assert history[INCREASES] == 1.0


def test_with_friction_it_never_rises():
    history = begun(allowed=False)
    for k in range(5):
        assert allowed_increase(history) == 0.0
        record_increase(history, k, -1.0)
