"""Gaps beyond first order: J is their derivative, and they are those of the features."""

import math

import numpy as np
import pytest

from dovetail.contact.ipc.first_iterate.bent_gaps import bent_gap, set_rotations
from dovetail.contact.ipc.first_iterate.records import (
    ARM_A,
    ARM_B,
    AXIS,
    EDGE_A,
    EDGE_B,
    STAYS,
    WITH_A,
    WITH_B,
    WITH_EDGES,
    linear_contacts,
)

DISTANCE = 1e-3


def contact(turns, rng):
    """(bent gaps of a contact of bodies 0 and 1, its row of J)."""
    bent = linear_contacts(2, 1).bent
    e, f = rng.normal(size=(2, 3))
    n = np.cross(e, f)
    n /= np.linalg.norm(n)
    r_a, r_b = rng.normal(size=(2, 3))
    for at, v in ((ARM_A, r_a), (ARM_B, r_b), (AXIS, n), (EDGE_A, e), (EDGE_B, f)):
        bent.arms[0, at : at + 3] = v
    bent.turns[0] = turns
    return bent, np.concatenate((n, np.cross(r_a, n), -n, -np.cross(r_b, n)))


def gap(bent, twist):
    set_rotations(bent, twist)
    return bent_gap(bent, 0, 0, 1, DISTANCE, twist)


@pytest.mark.parametrize("turns", [STAYS, WITH_A, WITH_B, WITH_EDGES])
def test_the_first_order_of_a_gap_is_the_row_of_its_contact(turns):
    rng = np.random.default_rng(turns)
    bent, row = contact(turns, rng)
    assert gap(bent, np.zeros((2, 6))) == pytest.approx(DISTANCE, abs=1e-15)
    for _ in range(5):
        u, h = rng.normal(size=(2, 6)), 1e-5
        slope = (gap(bent, h * u) - gap(bent, -h * u)) / (2 * h)
        # normals turn about points DISTANCE apart, from the closest points of either body
        assert slope == pytest.approx(row @ u.ravel(), abs=20 * DISTANCE)


def test_a_corner_that_turns_rises_from_its_plane_by_its_arc():
    bent, _ = contact(WITH_B, np.random.default_rng(0))
    bent.arms[0, ARM_A : ARM_A + 3] = (0.0, 0.0, -0.05)
    bent.arms[0, ARM_B : ARM_B + 3] = (0.3, 0.2, 0.0)
    bent.arms[0, AXIS : AXIS + 3] = (0.0, 0.0, 1.0)
    twist = np.zeros((2, 6))
    twist[0, 3] = 0.3
    assert gap(bent, twist) == pytest.approx(DISTANCE + 0.05 * (1 - math.cos(0.3)), rel=1e-12)


def test_a_face_that_turns_comes_closer_to_a_corner_beside_its_axis():
    """The plane z = H of a turns by w about x: a point at (0, s, H + d) is s sin + (H + d) cos."""
    bent, _ = contact(WITH_A, np.random.default_rng(0))
    H, s, w = 0.05, 0.02, 0.2
    bent.arms[0, ARM_A : ARM_A + 3] = (0.0, s, H)
    bent.arms[0, ARM_B : ARM_B + 3] = (0.0, 0.0, -0.1)
    bent.arms[0, AXIS : AXIS + 3] = (0.0, 0.0, -1.0)  # from b, above, to a
    twist = np.zeros((2, 6))
    twist[0, 3] = w
    above = -s * math.sin(w) + (H + DISTANCE) * math.cos(w) - H
    assert gap(bent, twist) == pytest.approx(above, rel=1e-12)
