"""Forces of single contacts added up: per pair of bodies, and per body."""

import numpy as np
import pytest

from dovetail.contact.law import ContactRecord
from dovetail.simulate.live.contact_wrenches import between, on_body

BODIES = np.array([[0, 1], [1, 0], [0, 2], [2, 1]])
FORCES = np.array([[1.0, 0, 5], [2, 0, -7], [4, 0, 11], [8, 0, 13]])  # on the first of each pair
POINTS = np.array([[1.0, 0, 0], [0, 2, 0], [0, 0, 3], [1, 1, 1]])
TORQUES = np.array([[0.0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 0, 8]])


@pytest.fixture
def contacts():
    normals = np.tile([0.0, 0, 1], (4, 1))
    return ContactRecord(BODIES, POINTS, normals, FORCES, np.zeros(4), TORQUES)


def test_the_force_between_two_bodies_is_that_of_their_own_contacts(contacts):
    found = between(contacts, 0, 1)
    assert found.force == pytest.approx(FORCES[0] - FORCES[1])
    weights = np.abs(FORCES[:2, 2])
    point = weights @ POINTS[:2] / weights.sum()
    assert found.point == pytest.approx(point)
    moments = np.cross(POINTS[:2] - point, [FORCES[0], -FORCES[1]]).sum(axis=0)
    assert found.torque == pytest.approx(TORQUES[0] - TORQUES[1] + moments)


@pytest.mark.parametrize(("a", "b"), [(0, 1), (0, 2), (1, 2)])
def test_action_equals_reaction(contacts, a, b):
    one, other = between(contacts, a, b), between(contacts, b, a)
    assert one.force == pytest.approx(-other.force)
    assert one.torque == pytest.approx(-other.torque)
    assert one.point == pytest.approx(other.point)


def test_bodies_that_do_not_touch_exert_nothing_nowhere(contacts):
    found = between(contacts, 1, 3)
    assert not found.force.any() and not found.torque.any() and np.isnan(found.point).all()


def test_the_wrench_on_a_body_is_the_sum_over_its_partners_moved_to_its_centre(contacts):
    centre = np.array([0.5, -1.0, 2.0])
    total = on_body(contacts, 1, centre)
    parts = [between(contacts, 1, other) for other in (0, 2)]
    assert total.force == pytest.approx(sum(part.force for part in parts))
    moved = sum(part.torque + np.cross(part.point - centre, part.force) for part in parts)
    assert total.torque == pytest.approx(moved)
    assert on_body(contacts, 3, centre).force == pytest.approx(np.zeros(3))
