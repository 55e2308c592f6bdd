"""Contacts away from their pose: gaps, rows of J and curvature are those of the features."""

import math

import numpy as np
import pytest

from dovetail.collision.distance.derivatives import PAIR_ROW, expand
from dovetail.contact.ipc.first_iterate.bent_gaps import add_bend, placed_contact
from dovetail.contact.ipc.first_iterate.records import (
    ARM_A,
    ARM_B,
    AXIS,
    EDGE_A,
    EDGE_B,
    FROM_EDGE_A,
    FROM_EDGE_B,
    POINTS,
    WITH_A,
    WITH_B,
    WITH_EDGES,
    linear_contacts,
)
from dovetail.contact.ipc.records import Poses
from dovetail.linalg.lie import so3

DISTANCE = 1e-2
TURNS = (WITH_A, WITH_B, WITH_EDGES, FROM_EDGE_A, FROM_EDGE_B, POINTS)


class Contact:
    """Contact of bodies 0 and 1, DISTANCE apart, whose normal turns as `turns` says."""

    def __init__(self, turns, seed=0, radius=(0.0, 0.0)):
        rng = np.random.default_rng(seed)
        self.bent = linear_contacts(2, 1).bent
        self.x, self.R = rng.normal(size=(2, 3)), so3.exp(rng.normal(size=(2, 3)))
        e, f = rng.normal(size=(2, 3))
        n = np.cross(e, f)
        self.normal = n / np.linalg.norm(n)
        r_a = rng.normal(size=3)
        r_b = self.x[0] + r_a - (DISTANCE + sum(radius)) * self.normal - self.x[1]
        by_a, by_b = self.R[0].T, self.R[1].T
        axis = by_a if turns == WITH_A else by_b
        for at, v in ((ARM_A, by_a @ r_a), (ARM_B, by_b @ r_b), (AXIS, axis @ self.normal),
                      (EDGE_A, by_a @ e), (EDGE_B, by_b @ f)):  # fmt: skip
            self.bent.arms[0, at : at + 3] = v
        self.bent.turns[0], self.bent.radius[0] = turns, radius
        self.bent.steady[0] = turns in (WITH_A, WITH_B, WITH_EDGES)

    def placed(self, twist):
        x = self.x + twist[:, :3]
        R = so3.exp(twist[:, 3:]) @ self.R
        return placed_contact(self.bent, 0, 0, 1, Poses(x, R), tuple(self.normal))

    def gap(self, u):
        return self.placed(np.reshape(u, (2, 6))).gap

    def row(self, twist):
        """J at the twist."""
        at = self.placed(twist)
        n = np.array(at.normal)
        r_a, r_b = np.array(at.r_a), np.array(at.r_b)
        return np.concatenate((n, np.cross(r_a, n), -n, -np.cross(r_b, n)))


@pytest.mark.parametrize("radius", [(0.0, 0.0), (0.3, 0.2)])
@pytest.mark.parametrize("turns", TURNS)
def test_forces_act_along_the_derivative_of_the_gap(turns, radius):
    contact, h = Contact(turns, radius=radius), 1e-6
    assert contact.gap(np.zeros(12)) == pytest.approx(DISTANCE, rel=1e-12)
    row = contact.row(np.zeros((2, 6)))
    for k in range(12):
        u = h * np.eye(12)[k]
        slope = (contact.gap(u) - contact.gap(-u)) / (2 * h)
        assert slope == pytest.approx(row[k], abs=1e-7)


@pytest.mark.parametrize("turns", [WITH_A, WITH_B, WITH_EDGES])
def test_forces_act_so_after_large_motions_too(turns):
    """Their points slide along faces and edges; the derivative is by displacements from there."""
    contact, h = Contact(turns), 1e-6
    twist = 0.2 * np.random.default_rng(1).normal(size=(2, 6))
    row = contact.row(twist)
    contact.x = contact.x + twist[:, :3]
    contact.R = so3.exp(twist[:, 3:]) @ contact.R
    for k in range(12):
        u = h * np.eye(12)[k]
        slope = (contact.gap(u) - contact.gap(-u)) / (2 * h)
        assert slope == pytest.approx(row[k], abs=1e-7)


@pytest.mark.parametrize("turns", TURNS)
def test_the_curvature_of_a_contact_is_the_second_derivative_of_its_gap(turns):
    contact, force, h, unit = Contact(turns), 3.0, 1e-4, np.eye(12)
    wanted = np.zeros((12, 12))
    for i in range(12):
        for j in range(12):
            for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                u = h * (s * unit[i] + t * unit[j])
                wanted[i, j] -= s * t * force * contact.gap(u) / (4 * h * h)
    rows, gradient, found = np.zeros((1, PAIR_ROW)), np.zeros(12), np.zeros((12, 12))
    add_bend(contact.bent, 0, contact.placed(np.zeros((2, 6))), force, 1e-9, rows, 0)
    expand(rows, 0, gradient, found)
    # differences are off by (h / DISTANCE)^2 of curvatures over DISTANCE
    np.testing.assert_allclose(found, wanted, atol=1e-2 * np.abs(wanted).max())
    if turns in (WITH_A, WITH_B, WITH_EDGES):
        np.testing.assert_allclose(found, wanted, atol=1e-6 * np.abs(wanted).max())


def test_the_normal_of_an_end_stays_where_it_would_turn_far():
    contact, twist = Contact(POINTS), np.zeros((2, 6))
    across = np.cross(contact.normal, (1.0, 0.0, 0.0))
    twist[0, :3] = 2.0 * DISTANCE * across / np.linalg.norm(across)
    at = contact.placed(twist)
    np.testing.assert_allclose(at.normal, contact.normal, atol=1e-15)
    assert at.gap == pytest.approx(DISTANCE, rel=1e-12)
    twist[0, :3] *= 0.01
    assert contact.gap(twist) == pytest.approx(math.hypot(DISTANCE, 0.02 * DISTANCE), rel=1e-12)


def test_a_corner_that_turns_rises_from_its_plane_by_its_arc():
    contact, w, r = Contact(WITH_B), 0.3, 0.05
    contact.x, contact.R = np.zeros((2, 3)), np.stack([np.eye(3)] * 2)
    contact.bent.arms[0, ARM_A : ARM_A + 3] = (0.0, 0.0, -r)
    contact.bent.arms[0, ARM_B : ARM_B + 3] = (0.3, 0.2, -r - DISTANCE)
    contact.bent.arms[0, AXIS : AXIS + 3] = (0.0, 0.0, 1.0)
    twist = np.zeros((2, 6))
    twist[0, 3] = w
    assert contact.gap(twist) == pytest.approx(DISTANCE + r * (1 - math.cos(w)), rel=1e-12)


def test_a_face_that_turns_comes_closer_to_a_corner_beside_its_axis():
    """The plane z = H of a turns by w about x: a point at (0, s, H + d) is s sin + (H + d) cos."""
    contact, H, s, w = Contact(WITH_A), 0.05, 0.02, 0.2
    contact.x, contact.R = np.zeros((2, 3)), np.stack([np.eye(3)] * 2)
    contact.bent.arms[0, ARM_A : ARM_A + 3] = (0.0, s, H)
    contact.bent.arms[0, ARM_B : ARM_B + 3] = (0.0, s, H + DISTANCE)
    contact.bent.arms[0, AXIS : AXIS + 3] = (0.0, 0.0, -1.0)  # from b, above, to a
    twist = np.zeros((2, 6))
    twist[0, 3] = w
    above = -s * math.sin(w) + (H + DISTANCE) * math.cos(w) - H
    assert contact.gap(twist) == pytest.approx(above, rel=1e-12)
