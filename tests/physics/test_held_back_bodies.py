"""Kinematic bodies under intersection-free contact: on their path, or held back and reported."""

import warnings

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.shared.driven_bodies import HeldBackWarning

IPC = dt.contact.IPC


def press(speed=0.5, **piston):
    """A piston pushes a cube along a floor, towards a wall it meets after 1.6 s."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("wall", dt.Box((0.2, 2, 2)), position=(1, 0, 1.01), motion="static")
    scene.add_body("floor", dt.Box((10, 10, 0.2)), position=(0, 0, -0.1), motion="static")
    scene.add_body("cube", dt.Box((0.5, 0.5, 0.5)), density=1000, position=(0.2, 0, 0.251))
    motion = piston or {"velocity": (speed, 0, 0)}
    scene.add_body(
        "piston", dt.Box((0.2, 0.4, 0.4)), motion="kinematic", position=(-0.5, 0, 0.3), **motion
    )
    return scene


def test_a_piston_stops_at_what_cannot_move_and_says_who_holds_it():
    with pytest.warns(HeldBackWarning, match=r"'piston' is held back at t = 1\.6.* by 'cube'"):
        result = dt.simulate(press(), 3.0, 0.01, every=10, contact=IPC(friction=0.3, dhat=1e-3))
    assert result.min_distance.min() > 0
    # wall at 0.9, cube 0.5, piston's half 0.1: 0.3 m is left
    assert 0.29 < result.position("piston")[-1, 0] < 0.3
    assert np.abs(result.velocity("cube")[-1]).max() < 1e-3


def test_a_free_piston_follows_its_trajectory_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error", HeldBackWarning)
        result = dt.simulate(press(), 1.5, 0.01, every=10, contact=IPC(friction=0.3, dhat=1e-3))
    due = -0.5 + 0.5 * result.time
    # pushed by mu m g = 370 N: held to the trajectory by ten thousand masses of the cube
    np.testing.assert_allclose(result.position("piston")[:, 0], due, atol=1e-6)


def test_a_body_held_back_catches_up_when_its_trajectory_returns():
    def there_and_back(t):
        return np.array([-0.5 + 0.9 * np.sin(np.pi * t / 4), 0, 0.3]), np.eye(3)

    with pytest.warns(HeldBackWarning, match="'piston'"):
        result = dt.simulate(
            press(trajectory=there_and_back), 4.0, 0.01, every=10, contact=IPC(dhat=1e-3)
        )
    due = -0.5 + 0.9 * np.sin(np.pi * result.time / 4)
    behind = due - result.position("piston")[:, 0]
    assert behind.max() > 0.09  # it was stopped by the cube at the wall
    assert abs(behind[-1]) < 1e-6


def test_how_far_a_body_is_held_back_is_recorded():
    with pytest.warns(HeldBackWarning):
        result = dt.simulate(press(), 2.0, 0.01, every=10, contact=IPC(friction=0.3, dhat=1e-3))
    behind, due = result.behind("piston"), -0.5 + 0.5 * result.time
    np.testing.assert_allclose(behind, due - result.position("piston")[:, 0], atol=1e-4)
    assert behind[:15].max() < 1e-5
    assert behind[-1] > 0.19  # due at 0.5, stopped at 0.3
    with pytest.raises(dt.errors.InputError, match=r"must be a kinematic body.*'piston'"):
        result.behind("cube")
