"""Kinematic bodies move as prescribed: at constant velocity, through a table, by a function."""

import numpy as np
import pytest

from dovetail.errors import InputError
from dovetail.linalg.lie import so3
from dovetail.model import Box, Cone, PoseTable, Scene
from random_solids import random_rotation
from rounding import ORTHOGONALITY, rounding


def trajectory_of(shape=None, **options):
    scene = Scene()
    scene.add_body("arm", shape or Box((1, 1, 1)), motion="kinematic", **options)
    model = scene.build()
    return model.trajectories[0], model


def mistakes_of(**options):
    with pytest.raises(InputError) as caught:
        trajectory_of(**options)
    return caught.value.mistakes


def assert_twist_is_the_rate_of_the_pose(trajectory, t, tolerance=1e-6):
    h = 1e-6
    (x0, r0), (x1, r1) = trajectory.pose(t - h), trajectory.pose(t + h)
    velocity, spin = trajectory.twist(t)
    assert np.allclose((x1 - x0) / (2 * h), velocity, rtol=0, atol=tolerance)
    assert np.allclose(so3.log(r1 @ r0.T) / (2 * h), spin, rtol=0, atol=tolerance)


def test_constant_velocity_moves_the_centre_of_mass_along_a_line():
    """The spin turns the body about its centre of mass, wherever the shape's origin is."""
    rotation = random_rotation(np.random.default_rng(1))
    velocity, spin = np.array([1.0, -2, 3]), np.array([0.3, 0.4, -0.5])
    trajectory, model = trajectory_of(
        Cone(1, 4), position=(1, 1, 1), rotation=rotation, velocity=velocity, angular_velocity=spin
    )
    start = np.array([1, 1, 1]) + rotation @ [0, 0, 1]
    assert np.allclose(model.position[0], start, rtol=0, atol=rounding(12))
    position, turned = trajectory.pose(2.0)
    assert np.allclose(position, start + 2 * velocity, rtol=0, atol=rounding(12, 6.0))
    assert np.allclose(turned, so3.exp(2 * spin) @ rotation, rtol=0, atol=rounding(24))
    assert_twist_is_the_rate_of_the_pose(trajectory, 1.3)


def test_moving_body_stops_at_its_time():
    trajectory, _ = trajectory_of(velocity=(1, 0, 0), angular_velocity=(0, 0, 1), moves_until=0.5)
    position, rotation = trajectory.pose(7.0)
    assert position == pytest.approx([0.5, 0, 0])
    assert rotation == pytest.approx(so3.exp(np.array([0, 0, 0.5])))
    assert not np.any(np.concatenate(trajectory.twist(0.5)))
    assert np.any(np.concatenate(trajectory.twist(0.49)))


def test_table_is_met_at_its_rows_and_holds_before_and_after():
    rng = np.random.default_rng(2)
    times = [0.5, 1.0, 3.0]
    positions = rng.normal(size=(3, 3))
    rotations = [random_rotation(rng) for _ in times]
    trajectory, model = trajectory_of(trajectory=PoseTable(times, positions, rotations))
    for t, row in ((-1.0, 0), (0.5, 0), (1.0, 1), (3.0, 2), (9.0, 2)):
        x, r = trajectory.pose(t)
        assert np.allclose(x, positions[row], rtol=0, atol=rounding(12, 2.0))
        assert np.allclose(r, rotations[row], rtol=0, atol=rounding(40))
    assert np.allclose(model.position[0], positions[0], rtol=0, atol=rounding(8))
    assert np.allclose(model.rotation[0], rotations[0], rtol=0, atol=rounding(40))
    middle, turned = trajectory.pose(2.0)
    assert np.allclose(middle, (positions[1] + positions[2]) / 2, rtol=0, atol=rounding(12, 2.0))
    half = turned.T @ rotations[2]
    assert np.allclose(rotations[1] @ half @ half, rotations[2], rtol=0, atol=1e-13)
    for t in (0.7, 1.9, 2.9):
        assert_twist_is_the_rate_of_the_pose(trajectory, t)


def test_table_without_rotations_keeps_the_given_one():
    rotation = random_rotation(np.random.default_rng(3))
    table = PoseTable([0, 1], [[0, 0, 0], [1, 0, 0]])
    trajectory, model = trajectory_of(trajectory=table, rotation=rotation)
    assert np.allclose(trajectory.pose(0.5)[1], rotation, rtol=0, atol=ORTHOGONALITY)
    assert model.velocity[0] == pytest.approx([1, 0, 0])


def test_function_of_time_is_followed_with_its_velocity():
    """A turntable: x = (cos t, sin t, t^2), spin 1 rad/s about z; also at t = 0, never before."""

    def motion(t):
        assert t >= 0
        return [np.cos(t), np.sin(t), t * t], so3.exp(np.array([0, 0, t]))

    trajectory, model = trajectory_of(trajectory=motion)
    assert model.position[0] == pytest.approx([1, 0, 0])
    assert model.velocity[0] == pytest.approx([0, 1, 0], abs=1e-9)
    assert model.angular_velocity[0] == pytest.approx([0, 0, 1], abs=1e-9)
    velocity, spin = trajectory.twist(1.5)
    assert velocity == pytest.approx([-np.sin(1.5), np.cos(1.5), 3.0], abs=1e-9)
    assert spin == pytest.approx([0, 0, 1], abs=1e-9)


@pytest.mark.parametrize(
    ("trajectory", "part"),
    [
        (PoseTable([0, 0], np.zeros((2, 3))), "`times` of the trajectory of body 'arm' must incr"),
        (PoseTable([], []), "must be a list of times in s, got []"),
        (PoseTable(None, None, 3), "must be a list of times in s, got None"),
        (PoseTable([0, 1], np.zeros((3, 3))), "must be 2x3 finite numbers in m"),
        (PoseTable([0], [[0, 0, 0]], np.eye(3)), "one entry for each of the 1 times"),
        (PoseTable([0], [[0, 0, 0]], [np.ones((3, 3))]), "`rotations[0]` of the trajectory of"),
        (PoseTable([0], [[0, 0, 0]], 5), "one entry for each of the 1 times"),
        (3, "must be a dt.PoseTable or a function of time, got 3"),
        (lambda t: 1 / 0, "it failed with ZeroDivisionError: division by zero"),
        (lambda t: None, "must return (position, rotation) at t = 0 s"),
        (lambda t: ([0, 0, np.nan], np.eye(3)), "position of body 'arm' at t = 0 s"),
    ],
)
def test_trajectory_that_cannot_be_followed_is_explained(trajectory, part):
    found = mistakes_of(trajectory=trajectory)
    assert len(found) == 1 and part in found[0], found


def test_trajectory_is_for_kinematic_bodies_only():
    scene = Scene()
    scene.add_body("a", Box((1, 1, 1)), trajectory=len, moves_until=1)
    with pytest.raises(InputError) as caught:
        scene.build()
    assert [s.split(" of ")[0] for s in caught.value.mistakes] == ["`trajectory`", "`moves_until`"]
