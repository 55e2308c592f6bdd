"""Sweeps over linearised contacts: the law of one, the weights of a column, Coulomb's cone."""

import numpy as np
import pytest

from dovetail.contact.ipc.barrier.function import log_barrier
from dovetail.contact.ipc.first_iterate.linearise import apply_force
from dovetail.contact.ipc.first_iterate.records import WIDTH, linear_contacts
from dovetail.contact.ipc.first_iterate.sweeps import gap_of, sweep_contacts

DHAT, H = 1e-3, 0.01
WEIGHT = 9.81 * H * H  # [kg m] h^2 times that of 1 kg


def force_at(gap, stiffness, dmin=0.0):
    return -2.0 * stiffness * log_barrier(gap * gap, dmin, DHAT)[1] * gap


@pytest.mark.parametrize("dmin", [0.0, 1e-4])
@pytest.mark.parametrize("g_0", [-1e-2, -1e-5, 3e-4, 0.999e-3])
def test_one_contact_has_the_gap_at_which_its_barrier_bears_the_force(g_0, dmin):
    for response in (1e-3, 1.0, 50.0):
        g, force = gap_of(g_0 + dmin, response, 0.0, 1e-6, dmin, DHAT)
        assert dmin < g < dmin + DHAT
        assert g == pytest.approx(g_0 + dmin + response * force, rel=1e-12)
        assert force_at(g, 1e-6, dmin) == pytest.approx(
            force, rel=5e-3, abs=1e-5
        )  # of 1e-3, K over dhat


def test_a_contact_beyond_dhat_bears_nothing():
    assert gap_of(1.1 * DHAT, 1.0, 0.0, 1e-6, 0.0, DHAT) == (1.1 * DHAT, 0.0)


def column(masses, mu=0.0, slip=0.0):
    """A column of particles over the ground, body 0, contact k between bodies k and k + 1."""
    n = len(masses)
    contacts = linear_contacts(n + 1, n, n)
    contacts.count[0] = n
    twist = np.zeros((n + 1, 6))
    directions = np.eye(3)[[2, 0, 1]]  # the normal is z
    for k, mass in enumerate(masses):
        twist[k + 1, 2] = -9.81 * H * H
        contacts.bodies[k] = (k + 1, k)
        below = masses[k - 1] if k > 0 else np.inf
        for which, along in enumerate(directions):
            at = which * WIDTH
            contacts.J[k, at : at + 3], contacts.J[k, at + 6 : at + 9] = along, -along
            contacts.WJ[k, at : at + 3] = along / mass
            contacts.WJ[k, at + 6 : at + 9] = -along / below
        contacts.response[k] = (1 / mass + 1 / below, 2 * (1 / mass + 1 / below))
        contacts.distance[k], contacts.mu[k] = 0.5 * DHAT, mu
        contacts.barrier[k] = (DHAT, 2e-6)
        contacts.slip[k, 0] = slip
    return contacts, twist


def test_contacts_of_a_column_bear_what_lies_above_them():
    masses = np.array([1.0, 2.0, 0.5, 1.5])
    contacts, twist = column(masses)
    for _ in range(10):
        sweep_contacts(contacts, twist, 0.0, 1e-6 * DHAT)
    gaps = contacts.distance + np.diff(twist[:, 2])
    forces = contacts.force[:, 0]
    np.testing.assert_allclose(forces, [force_at(g, 2e-6) for g in gaps], rtol=0.02)
    moved = twist[1:, 2] + WEIGHT  # by contact
    np.testing.assert_allclose(masses * moved, forces - np.append(forces[1:], 0.0), atol=1e-12)


@pytest.mark.parametrize(("slip", "sticks"), [(1e-4, True), (0.1, False)])
def test_friction_holds_what_it_can(slip, sticks):
    contacts, twist = column([1.0], mu=0.5, slip=slip)
    for _ in range(10):
        sweep_contacts(contacts, twist, 0.0, 1e-9 * DHAT)
    normal, friction = contacts.force[0, 0], contacts.force[0, 1]
    assert normal > 0.0
    if sticks:
        assert slip + twist[1, 0] == pytest.approx(0.0, abs=1e-9)
        assert -friction <= 0.5 * normal
    else:
        assert -friction == pytest.approx(0.5 * normal, rel=1e-12)
    assert twist[1, 0] == pytest.approx(friction, rel=1e-12)


def test_a_force_changes_the_twists_of_both_bodies():
    contacts, twist = column([1.0, 2.0])
    before = twist.copy()
    apply_force(contacts, 1, 0, 3.0, twist)
    np.testing.assert_allclose((twist - before)[:, 2], (0.0, -3.0, 1.5))
