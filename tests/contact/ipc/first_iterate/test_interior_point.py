"""The interior-point method: the law of one contact, complementarity, Coulomb's cone."""

import numpy as np
import pytest
from test_begin import STEP, heap

from dovetail.contact.ipc.barrier.function import log_barrier
from dovetail.contact.ipc.first_iterate.interior_point import gap_with_force
from dovetail.contact.ipc.first_iterate.known_forces import keep_forces, take_forces
from dovetail.contact.ipc.first_iterate.records import linear_contacts

DHAT, K = 1e-3, 1e-6


def force_at(gap, dmin):
    return -2.0 * K * log_barrier(gap * gap, dmin, DHAT)[1] * gap


@pytest.mark.parametrize("dmin", [0.0, 1e-4])
@pytest.mark.parametrize("guess", [0.0, 1e-5, 5e-4, 1e-3])
def test_the_gap_of_a_force_is_where_the_barrier_has_it(guess, dmin):
    for part in (1e-6, 0.01, 0.5, 0.99, 0.9999):
        force = force_at(dmin + part * DHAT, dmin)
        gap, compliance = gap_with_force(force, K, dmin, DHAT, dmin + guess)
        assert gap - dmin == pytest.approx(part * DHAT, rel=1e-6)
        step = 1e-6 * (DHAT - (gap - dmin)) + 1e-6 * (gap - dmin) * part
        slope = (force_at(gap + step, dmin) - force_at(gap - step, dmin)) / (2 * step)
        assert compliance == pytest.approx(min(-1.0 / slope, DHAT / force), rel=1e-3)


@pytest.mark.parametrize(("mu", "most"), [(0.0, 0), (0.5, 1)])
def test_contacts_of_a_heap_touch_or_bear_nothing(mu, most):
    """Of the last linearised problem of each step; forces by the displacement that they make.

    With friction one of fifteen may end unsolved after all its iterations.
    """
    stepper, found, unsolved = heap(mu), 0, 0
    for k in range(55):
        stepper.step((k + 1) * STEP)
        solver = stepper._solver.solver
        contacts = solver._workspace.linear_contacts
        n, dhat = int(contacts.count[0]), solver._barrier.dhat
        if k < 40 or n == 0:
            continue
        found += n
        force, slack = contacts.force[:n], contacts.interior.slack[:n]
        moves = force[:, 0] * contacts.response[:n]
        assert np.all(force[:, 0] > 0.0) and np.all(slack > 0.0)
        np.testing.assert_array_equal(contacts.mu[:n], mu)
        acts = moves > 0.01 * dhat
        tangential = np.hypot(force[acts, 1], force[acts, 2])
        solved = np.minimum(moves, slack).max() <= 0.1 * dhat
        unsolved += not (solved and np.all(tangential <= 1.05 * mu * force[acts, 0]))
    assert found > 100 and unsolved <= most


def test_forces_are_known_by_the_features_of_contacts():
    contacts = linear_contacts(4, 5)
    contacts.count[0] = 3
    contacts.bodies[:3] = [(0, 1), (0, 1), (2, 3)]
    contacts.features[:3] = [(0, 7, 8), (1, 7, 8), (0, 5, 6)]
    contacts.force[:3, 0] = (1.0, 2.0, 3.0)
    keep_forces(contacts)
    contacts.count[0] = 5
    contacts.bodies[:] = [(0, 1), (0, 1), (0, 2), (2, 3), (2, 3)]
    contacts.features[:] = [(1, 7, 8), (0, 8, 8), (0, 7, 8), (0, 4, 6), (0, 5, 6)]
    take_forces(contacts)
    np.testing.assert_array_equal(contacts.force[:, 0], (2.0, 0.0, 0.0, 0.0, 3.0))
