"""The presliding state: constant at rest to the bit, whatever features touch, cut at the cone."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dovetail.contact.ipc.friction.potential import within_cone
from dovetail.contact.ipc.friction.presliding_field import (
    add_to_fit,
    clear_fit,
    common_rotation,
    field_at,
    finish_fit,
    rotate_field,
)
from dovetail.contact.ipc.friction.records import FIT_SIZE
from simplex_pairs import tuples

UP = (0.0, 0.0, 1.0)
CORNERS = np.array([[1, 1, -1], [1, -1, -1], [-1, 1, -1], [-1, -1, -1.0]])
EPS = 1e-5


def fit(fields, offsets, normals, weights, changes, radius=2.0, decay=0.0):
    work = np.empty(FIT_SIZE)
    clear_fit(work)
    for offset, n, weight, change in zip(offsets, normals, weights, changes, strict=True):
        outward = np.dot(n, field_at(fields, 0, tuple(offset)))
        add_to_fit(
            work, tuple(offset), tuple(n), weight, tuple(change), radius, outward, decay
        )  # fmt: skip
    finish_fit(work, fields, 0, radius)
    return fields


def in_plane(fields, offset, n=UP):
    e = np.array(field_at(fields, 0, tuple(offset)))
    return e - np.dot(n, e) * np.array(n)


def test_a_field_does_not_change_where_nothing_moves():
    fields = np.random.default_rng(0).normal(size=(1, 6))
    before = fields.copy()
    fit(fields, CORNERS, [UP] * 4, [1.0, 2, 3, 4], np.zeros((4, 3)))
    np.testing.assert_array_equal(fields, before)


def test_all_contacts_of_a_pair_have_a_rigid_displacement_that_was_added():
    rng = np.random.default_rng(1)
    s, w = np.append(rng.normal(size=2), 0), np.array([0, 0, rng.normal()])
    changes = s + np.cross(w, CORNERS)
    fields = fit(np.zeros((1, 6)), CORNERS, [UP] * 4, rng.uniform(1, 2, 4), changes)
    for offset in rng.uniform(-1, 1, (5, 3)) * [1, 1, 0] + [0, 0, -1]:  # other features of the face
        np.testing.assert_allclose(in_plane(fields, offset), s + np.cross(w, offset), atol=1e-8)


def test_the_field_of_a_patch_survives_a_moment_on_one_corner():
    """A block that for one step rests on one corner stays sheared as it was."""
    twisted = np.array([[0, 0, 0, 0, 0, 1e-5]])
    fields = fit(twisted.copy(), CORNERS[:1], [UP], [1.0], [(0.0, 0.0, 0.0)])
    np.testing.assert_array_equal(fields, twisted)


def test_what_slips_is_cut_to_the_cone_and_what_sticks_is_not():
    """A bar pinned by friction at one end and pushed at the other turns about the pinned end."""
    offsets = np.array([[-1, 0, 0], [1, 0, 0.0]])
    displacements = [(0.0, 0.0, 0.0), (0.0, 5 * EPS, 0.0)]
    kept = [within_cone(u, EPS) for u in displacements]
    fields = fit(np.zeros((1, 6)), offsets, [UP] * 2, [1.0, 1.0], kept)
    np.testing.assert_allclose(in_plane(fields, offsets[0]), 0, atol=1e-9 * EPS)
    np.testing.assert_allclose(
        in_plane(fields, offsets[1]), (0, EPS, 0), rtol=1e-8, atol=1e-9 * EPS
    )


def test_bodies_that_move_lose_what_lies_along_their_normals_and_nothing_else():
    """Else a landing, seen by a contact with a slanted normal, would be taken for friction."""
    sheared = np.array([[1e-6, -2e-6, 6e-4, 3e-4, -3e-4, 4e-6]])
    fields = fit(sheared.copy(), CORNERS, [UP] * 4, [1.0, 2, 3, 4], np.zeros((4, 3)), decay=1.0)
    for offset in CORNERS:
        assert abs(field_at(fields, 0, tuple(offset))[2]) < 1e-9 * 6e-4
        np.testing.assert_allclose(
            in_plane(fields, offset), in_plane(sheared, offset), atol=1e-9 * 6e-4
        )


@pytest.mark.parametrize("seed", range(3))
def test_a_field_rotates_with_two_bodies_that_rotate_together(seed):
    rng = np.random.default_rng(seed)
    w, offset = rng.normal(size=3), rng.normal(size=3)
    Q = Rotation.from_rotvec(w).as_matrix()
    fields = rng.normal(size=(1, 6))
    e = np.array(field_at(fields, 0, tuple(offset)))
    assert common_rotation(tuple(w), tuple(w)) == tuple(w)
    rotate_field(fields, 0, tuples(Q))
    np.testing.assert_allclose(field_at(fields, 0, tuple(Q @ offset)), Q @ e, rtol=1e-13)


def test_the_field_of_a_rolling_body_stays_with_the_floor():
    assert common_rotation((0.0, 0.0, 0.0), (0.0, 3.0, 0.0)) == (0.0, 0.0, 0.0)
    assert common_rotation((0.0, -2.0, 0.0), (0.0, 3.0, 0.0)) == (0.0, 0.0, 0.0)
