"""Barriers after an impact have the energy that they had before it, pair by pair."""

import numpy as np
import pytest

from dovetail.contact.ipc.barrier.function import log_barrier
from dovetail.contact.ipc.barrier.released_energy import release_energy
from dovetail.contact.ipc.report import BODY_A, BODY_B, ENERGY, GAP

DHAT, DMIN, STIFFNESS = 1e-3, 1e-4, 5.0


def contacts(*rows):
    """(a, b, gap) with the energy of a barrier of DHAT."""
    found = np.zeros((len(rows), 16))
    for row, (a, b, gap) in zip(found, rows):
        row[[BODY_A, BODY_B, GAP]] = a, b, gap
        row[ENERGY] = STIFFNESS * log_barrier(gap * gap, DMIN, DHAT)[0]
    return found


def known(*pairs):
    return {"pairs": np.array(pairs), "values": np.full((len(pairs), 1), DHAT)}


def energy(gap, dhat):
    return STIFFNESS * log_barrier(gap * gap, DMIN, dhat)[0]


def test_a_pair_gets_the_dhat_with_which_it_has_the_energy_of_before():
    """Contacts of other pairs do not count, whichever of their bodies it has, in either order."""
    pairs, bodies = known((0, 1), (0, 2), (1, 2)), np.array([True, True, False])
    before = contacts((1, 0, 8e-4), (0, 2, 3e-4), (2, 1, 9e-4))
    now = contacts((0, 1, 4e-4), (2, 0, 5e-4), (1, 2, 9e-4))
    assert release_energy(pairs, before, now, bodies, DMIN)
    dhat = pairs["values"][:, 0]
    assert dhat[0] < DHAT
    assert energy(4e-4, dhat[0]) == pytest.approx(energy(8e-4, DHAT), rel=1e-6)
    assert dhat[1] == DHAT  # it has less than before
    assert dhat[2] == DHAT  # it has as much


def test_a_pair_that_did_not_act_before_does_not_act_after():
    pairs = known((0, 1))
    assert release_energy(
        pairs, contacts((0, 1, 2e-3)), contacts((0, 1, 4e-4)), np.ones(2, bool), DMIN
    )
    assert pairs["values"][0, 0] == pytest.approx(3e-4)
    rounding = 8 * np.finfo(float).eps  # of u, and B = (u - 1)^3 near u = 1
    assert energy(4e-4, pairs["values"][0, 0]) <= STIFFNESS * rounding**3


def test_pairs_of_other_bodies_stay_as_they_are():
    pairs = known((0, 1))
    bodies = np.array([False, False, True])
    assert not release_energy(pairs, contacts((0, 1, 9e-4)), contacts((0, 1, 4e-4)), bodies, DMIN)
    assert pairs["values"][0, 0] == DHAT
