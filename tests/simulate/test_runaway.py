"""Speeds that nothing in the scene explains end a run; those that something explains do not."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.errors import RunError
from dovetail.multibody.state import BodyState
from dovetail.simulate import runaway
from dovetail.simulate.runaway import GROWTH, STRIDES, SUSPICIOUS, Runaway

SIZE, DURATION = 0.5, 2.0  # [m], [s]


def watched(**motion):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("ball", dt.Sphere(SIZE), mass=1, **motion)
    return Runaway(scene.build(), DURATION)


def state(v=0.0, w=0.0, t=0.0):
    return BodyState(t, np.zeros((1, 3)), np.eye(3)[None], np.array([[v, 0.0, 0]]),
                     np.array([[0.0, w, 0]]))  # fmt: skip


@pytest.mark.parametrize("t", [0.0, 1.5])
def test_the_largest_speed_allowed_grows_with_what_gravity_explains(t):
    watch, h = watched(velocity=(3, 0, 0)), 1e3  # so long that strides say nothing
    largest = GROWTH * (3 + 9.81 * t)
    watch.refuse_state(state(0.999 * largest, t=t), h)
    with pytest.raises(RunError, match="'ball' grows without bound"):
        watch.refuse_state(state(1.001 * largest, t=t), h)


def test_the_largest_spin_allowed_is_that_of_the_start_and_of_the_speed_over_the_size():
    watch, h = watched(angular_velocity=(0, 7, 0)), 1e3
    radius = float(np.linalg.norm(dt.Sphere(SIZE).surface().vertices, axis=1).max())
    explained = 7 + (radius / DURATION) / radius
    largest = GROWTH * explained
    watch.refuse_state(state(w=0.999 * largest), h)
    with pytest.raises(RunError, match="rad/s"):
        watch.refuse_state(state(w=1.001 * largest), h)


def test_a_step_of_less_than_a_thousand_sizes_is_never_refused():
    watch = watched()
    watch.refuse_state(state(0.999 * STRIDES * SIZE / 1e-9), 1e-9)
    with pytest.raises(RunError):
        watch.refuse_state(state(1.01 * STRIDES * SIZE / 1e-9), 1e-9)


def test_a_failed_step_is_explained_by_speed_or_spin_only_where_something_drives(monkeypatch):
    watch = watched(velocity=(3, 0, 0))
    assert watch.cause(state(1e9)) == ""
    monkeypatch.setattr(runaway, "sources_of_energy", lambda model: ["the force on 'ball'"])
    assert watch.cause(state(SUSPICIOUS * 3)) == ""
    assert "the force on 'ball'" in watch.cause(state(1.01 * SUSPICIOUS * 3))
    radius = float(np.linalg.norm(dt.Sphere(SIZE).surface().vertices, axis=1).max())
    turning = SUSPICIOUS * (1 / DURATION + 3 / radius)
    assert watch.cause(state(w=0.99 * turning)) == ""
    assert "grows without bound" in watch.cause(state(w=1.01 * turning))
    assert watch.cause(state(np.nan)) == ""


def test_the_body_that_is_named_is_the_one_that_is_furthest_beyond_its_bound():
    """One of two: fast but not beyond, or slow and spinning far beyond what is explained."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("fast", dt.Sphere(SIZE), mass=1, position=(-1, 0, 0), velocity=(100, 0, 0))
    scene.add_body("spinning", dt.Sphere(SIZE), mass=1, position=(1, 0, 0))
    watch = Runaway(scene.build(), DURATION)
    both = BodyState(0.0, np.zeros((2, 3)), np.array([np.eye(3)] * 2),
                     np.array([[0.1 * GROWTH * 100, 0, 0], [0, 0, 0]]),
                     np.array([[0, 0, 0], [0, 100 * GROWTH * 100, 0]]))  # fmt: skip
    with pytest.raises(RunError, match="'spinning' grows"):
        watch.refuse_state(both, 1e3)
    both.v[0, 0], both.omega[1, 1] = 100 * GROWTH * 100, 0.1 * GROWTH
    with pytest.raises(RunError, match="'fast' grows"):
        watch.refuse_state(both, 1e3)
