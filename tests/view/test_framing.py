"""What a picture must show is inside of what the camera is fitted to."""

import tracemalloc

import numpy as np
import pytest

import dovetail as dt
from dovetail.view.framing import farthest, view_points
from dovetail.view.page.parents import parents


def reach(points: np.ndarray, directions: np.ndarray) -> np.ndarray:
    return (points @ directions.T).max(axis=0)


def test_farthest_points_reach_as_far_as_all_points():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(20_000, 3)) * (1, 3, 0.2)
    directions = rng.normal(size=(500, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    few = farthest(points)
    assert len(few) <= 400
    short = reach(points, directions) - reach(few, directions)
    assert short.max() < 0.02 * np.ptp(points)


def test_every_part_is_seen_static_ones_too_but_no_endless_floor():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.HalfSpace((0, 0, 1), extent=1000), motion="static")
    scene.add_body("bracket", dt.Box((5, 0.1, 0.1)), motion="static", position=(0, 3, 1))
    scene.add_body("ball", dt.Sphere(0.1), position=(0, 0, 2), velocity=(1, 0, 0))
    result = dt.simulate(scene, 0.5, 0.01, contact="none", progress=False)
    everything, moving = view_points(result)
    np.testing.assert_allclose(everything[:, 0].min(), -2.5)
    np.testing.assert_allclose(everything[:, 1].max(), 3.05)
    assert np.abs(everything).max() < 5
    assert moving[:, 0].max() == pytest.approx(0.6, abs=1e-9)  # where the ball ends
    assert moving[:, 0].min() == pytest.approx(-0.1, abs=1e-9)


def test_bodies_hang_on_what_joints_connect_them_with():
    scene = dt.examples.get("double-pendulum").build()
    result = dt.simulate(scene, 0.002, 0.001, progress=False)
    assert parents(result) == [-1, 0]


def test_points_of_many_bodies_take_little_memory():
    """Products with directions are made a few at a time."""
    points = np.random.default_rng(0).normal(size=(400_000, 3))
    tracemalloc.start()
    found = farthest(points)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6  # 128 MB with all of 20 directions at a time
    assert len(found) <= 400
