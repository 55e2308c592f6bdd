"""Kinematic bodies that are held back: how fast they come back, and when that is said."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.shared.driven_bodies import CATCH_UP, DrivenBodies, HeldBackWarning
from dovetail.linalg.lie import so3
from dovetail.multibody.state import initial_state

NEAR, RADIUS = 0.01, 0.5
SPEED, SPIN = 2.0, 0.6


def sled(turning=False):
    """A body driven at 2 m/s along x, or turned at 0.6 rad/s, another one and its state."""
    scene = dt.Scene()
    motion = {"velocity": (SPEED, 0, 0)}
    if turning:
        motion = {"angular_velocity": (0, 0, SPIN)}
    scene.add_body("block", dt.Box((1, 1, 1)), mass=1, position=(5, 0, 0))
    scene.add_body("sled", dt.Box((1, 1, 1)), motion="kinematic", **motion)
    scene.add_body("other", dt.Box((1, 1, 1)), mass=1, position=(9, 0, 0))
    model = scene.build()
    radius = np.array([9.0, RADIUS, 9.0])
    return DrivenBodies(model, radius, NEAR), initial_state(model)


def targets(driven, state, t):
    found = np.full((3, 3), np.nan), np.full((3, 3, 3), np.nan)
    driven.set_targets(state, t, found)
    assert np.isnan(found[0][::2]).all() and np.isnan(found[1][::2]).all()  # not of others
    return found[0][1], found[1][1]


def test_a_body_on_its_trajectory_goes_where_that_leads():
    driven, state = sled()
    assert driven.numbers == [1]
    x, R = targets(driven, state, 0.1)
    assert x == pytest.approx([0.1 * SPEED, 0, 0]) and pytest.approx(np.eye(3)) == R
    turned, state = sled(turning=True)
    assert targets(turned, state, 0.1)[1] == pytest.approx(so3.exp([0, 0, 0.1 * SPIN]))


def test_a_body_that_is_behind_comes_back_by_twice_its_path():
    driven, state = sled()
    state.t, state.x[1, 0] = 1.0, -3.0  # it should be at 2 m
    x, _ = targets(driven, state, 1.1)
    assert x == pytest.approx([-3.0 + CATCH_UP * 0.1 * SPEED + NEAR, 0, 0])
    state.x[1, 0] = 1.0 * SPEED - 0.15  # 0.35 m from the end: less than twice 0.2 m
    assert targets(driven, state, 1.1)[0] == pytest.approx([1.1 * SPEED, 0, 0])


def test_a_body_that_has_not_turned_comes_back_by_twice_its_angle():
    """Angles count at the radius of the body, 0.5 m."""
    driven, state = sled(turning=True)
    state.t = 1.0
    _, R = targets(driven, state, 1.1)
    assert so3.log(R) == pytest.approx([0, 0, CATCH_UP * 0.1 * SPIN + NEAR / RADIUS])


def test_how_far_behind_is_the_distance_and_the_angle_at_the_radius():
    driven, state = sled()
    state.t = 0.5
    state.R[1] = so3.exp([0.2, 0, 0])
    assert driven.behind(state) == pytest.approx([0.5 * SPEED + 0.2 * RADIUS])


def test_the_warning_names_what_touches_it_once():
    driven, state = sled()
    asked = []

    def pairs():
        asked.append(1)
        return np.array([[1, 0], [0, 2]], np.int32)

    state.t, state.x[1, 0] = 1.0, SPEED * 0.95 - NEAR + 1e-6  # 0.1 m of 0.2 m in 0.1 s
    driven.warn_held_back(state, 0.9, pairs)
    assert not asked and driven.held_back == {}
    state.x[1, 0] -= 2e-6
    with pytest.warns(HeldBackWarning, match="'sled' is held back at t = 1 s by 'block': "):
        driven.warn_held_back(state, 0.9, pairs)
    assert driven.held_back == {"sled": 1.0}
    state.t = 2.0
    driven.warn_held_back(state, 1.9, pairs)  # a second warning would be an error here
    assert len(asked) == 1 and driven.held_back == {"sled": 1.0}


def test_where_nothing_touches_it_the_warning_says_so():
    driven, state = sled()
    state.t = 1.0
    with pytest.warns(HeldBackWarning, match=r"by bodies near it: .*It is 2 m off"):
        driven.warn_held_back(state, 0.9, lambda: np.zeros((0, 2), np.int32))


def test_who_is_just_as_far_off_as_allowed_is_not_held_back():
    driven, state = sled()
    still = DrivenBodies(driven._model, np.zeros(3), 0.25)
    state.x[1, 0] = 0.25
    still.warn_held_back(state, 0.0, lambda: np.zeros((0, 2), np.int32))  # no way, none behind
    assert still.held_back == {}
