"""Duals of friction: a contact that sticks comes to rest in one step, whatever eps is."""

import numpy as np
import pytest

from dovetail.contact.ipc.friction.duals import keep_duals, put_dual, take_dual, update_duals
from dovetail.contact.ipc.friction.potential import set_contact, smoothed_derivatives
from dovetail.contact.ipc.friction.records import (
    CONTACT_COLUMNS,
    DUAL,
    FEATURES,
    NEWEST,
    KeptDuals,
    LaggedContacts,
)
from dovetail.contact.ipc.records import Poses

EYE = tuple(map(tuple, np.eye(3)))
UP = (0.0, 0.0, 1.0)
LIMIT, EPS = 2.0, 1e-9


def contact(x=(0.0, 0.0, 0.0)):
    """A particle at x on a floor, which it left the origin on; its friction limit is LIMIT."""
    rows = np.zeros((1, CONTACT_COLUMNS))
    set_contact(rows, 0, EYE, EYE, EYE, EYE, (0, 0, 0), (0, 0, 0), UP, (0, 0, 0), LIMIT, EPS)
    rows[0, NEWEST] = 1.0
    contacts = LaggedContacts(
        np.ones(1, np.int64), np.ones(1, np.int64), rows, np.array([[0, 1]], np.int32)
    )
    poses = Poses(np.array([x, (0, 0, 0)], float), np.array([np.eye(3), np.eye(3)]))
    return contacts, poses


def steps_until(pull, first=(1e-3, 2e-4)):
    """Newton steps of m u'' = pull - friction in the plane, m = 1, until nothing moves."""
    x = np.array([*first, 0.0])
    contacts, poses = contact()
    for k in range(60):
        poses.x[0] = x
        u, w = x[:2], contacts.rows[0, DUAL : DUAL + 2]
        y = np.linalg.norm(u)
        across, along = smoothed_derivatives(y, EPS)
        K = across * np.eye(2)
        if y >= EPS:
            K -= across * 0.5 * (np.outer(w, u) + np.outer(u, w)) / y
        elif y > 0:
            K += (along - across) * np.outer(u, u) / y**2
        step = np.linalg.solve(np.eye(2) + LIMIT * K, pull - u - LIMIT * across * u)
        twist = np.zeros((2, 6))
        twist[0, :2] = step
        update_duals(contacts, poses, np.zeros((2, 3)), twist)
        x[:2] += step
        if np.linalg.norm(step) < 1e-3 * EPS:
            return k + 1, x[:2]
    return 60, x[:2]


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_what_sticks_is_found_within_a_few_steps_of_any_length(part):
    """Weiszfeld's method (no dual) would take log(1e6) / log(1 / part) steps: 131 of part 0.9."""
    for angle in np.linspace(0.0, 3.0, 7):
        pull = part * LIMIT * np.array([np.cos(angle), np.sin(angle)])
        steps, u = steps_until(pull)
        assert steps <= 20
        assert np.linalg.norm(u) < EPS


def test_what_slips_ends_where_coulomb_says():
    pull = np.array([3.0, 1.0])
    steps, u = steps_until(pull)
    size = np.linalg.norm(pull)
    assert steps <= 20
    np.testing.assert_allclose(u, pull * (size - LIMIT) / size, rtol=1e-9)


def test_a_dual_stays_in_the_unit_disc_of_the_tangent_plane():
    contacts, _ = contact()
    put_dual(contacts.rows, 0, (3.0, 4.0, 5.0))
    np.testing.assert_allclose(contacts.rows[0, DUAL : DUAL + 3], (0.6, 0.8, 0.0), rtol=1e-15)


def test_the_same_features_keep_their_dual_when_they_are_lagged_again():
    contacts, _ = contact()
    contacts.rows[0, FEATURES : FEATURES + 3] = (1, 7, 9)
    put_dual(contacts.rows, 0, (0.5, 0.0, 0.0))
    kept = KeptDuals(np.zeros(1, np.int64), np.zeros((4, 2), np.int32), np.zeros((4, 6)))
    keep_duals(contacts, kept)
    put_dual(contacts.rows, 0, (0.0, 0.0, 0.0))
    take_dual(kept, 0, 0, 1, contacts.rows, 0)
    assert contacts.rows[0, DUAL] == 0.5
    contacts.rows[0, FEATURES + 2] = 10
    take_dual(kept, 0, 0, 1, contacts.rows, 0)
    assert contacts.rows[0, DUAL] == 0.0
