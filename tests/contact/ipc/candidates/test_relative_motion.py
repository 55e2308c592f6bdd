"""How much closer bodies can come: never less than they do, nothing where they move together."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dovetail.contact.ipc.candidates.records import ListReference
from dovetail.contact.ipc.candidates.relative_motion import (
    approach_since,
    are_bounded,
    relative_path,
)

BALL, RING = 0, 1


def turned(w):
    return Rotation.from_rotvec(w).as_matrix()


def rows(R):
    return tuple(map(tuple, R))


def centre_from_points(D, twist, points, t):
    """[m] distances of a ball's centre from points of a ring that D leads to, after the part t."""
    centre = t * twist[BALL, :3]
    moved = D + t * twist[RING, :3] + points @ turned(t * twist[RING, 3:]).T
    return np.linalg.norm(moved - centre, axis=1)


@pytest.mark.parametrize("seed", range(20))
def test_a_ball_comes_no_closer_to_points_of_a_turning_ring_than_the_bound(seed):
    rng = np.random.default_rng(seed)
    D, twist = 0.015 * rng.normal(size=3), rng.normal(size=(2, 6)) * np.repeat([2e-3, 0.1], 3)
    if seed % 2:  # it is carried by the ring but for a hundredth
        carried = (turned(twist[RING, 3:]) - np.eye(3)) @ -D + twist[RING, :3]
        twist[BALL, :3] = carried + 1e-5 * rng.normal(size=3)
    points = rng.normal(size=(200, 3))
    points *= 0.02 / np.linalg.norm(points, axis=1)[:, None]
    bound = relative_path(tuple(D), twist, BALL, RING, 0.0, 0.02, True)
    start = centre_from_points(D, twist, points, 0.0)
    closer = max(
        (start - centre_from_points(D, twist, points, t)).max() for t in np.linspace(0, 1, 50)
    )
    assert closer <= bound
    turn = turned(twist[RING, 3:])
    end = D + twist[RING, :3] - twist[BALL, :3]
    reference = ListReference(
        np.zeros(0), np.zeros(1), D[None], np.broadcast_to(np.eye(3), (1, 2, 3, 3)).copy(),
        np.zeros(1),
    )  # fmt: skip
    since = approach_since(
        reference, 0, tuple(end), rows(turned(twist[BALL, 3:])), rows(turn), 0.0, 0.02, True, 0.0
    )
    assert (start - centre_from_points(D, twist, points, 1.0)).max() <= since


def test_a_ball_that_a_cage_carries_along_comes_no_closer_to_it():
    """3000 rpm for 0.1 ms: seen from the world both move by 0.5 mm, seen from the cage by 7 um."""
    spin, at = 314.16 * 1e-4, np.array([0.015, 0.0, 0.0])
    twist = np.array([[0.0, spin * at[0], 0, 5.0, -3.0, 0.2], [0, 0, 0, 0, 0, spin]])
    path = relative_path(tuple(-at), twist, BALL, RING, 0.0, 0.0165, True)
    assert path == pytest.approx(0.5 * at[0] * spin**2, rel=1.01)
    assert relative_path(tuple(-at), twist, BALL, RING, 0.0, 0.0165, False) > 50 * path


def test_a_half_space_is_not_bounded():
    is_half_space = np.array([0, 1, 0], np.uint8)
    assert are_bounded(is_half_space, 0, 2)
    assert not are_bounded(is_half_space, 0, 1)
    assert not are_bounded(is_half_space, 1, 2)
