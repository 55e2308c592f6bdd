"""Static, kinematic and partly held bodies."""

import numpy as np
import pytest
from closed_forms import about
from stepping import advance, at_time, start

from dovetail.errors import InputError
from dovetail.model.scene import Scene
from dovetail.model.trajectories import PoseTable

EPS = np.finfo(float).eps


def test_static_body_stays_whatever_pulls_it():
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("wall", motion="static", position=(1, 2, 3))
    scene.add_body("ball", mass=1, inertia=(1, 1, 1))
    scene.add_spring("s", "wall", "ball", (1, 2, 3), (0, 0, 0), stiffness=100, rest_length=0)
    scene.add_force("push", "wall", force=(5, 0, 0), torque=(1, 1, 1))
    _, stepper = start(scene)
    before = stepper.bodies.copy()
    state = advance(stepper, 0.01, 50)
    assert np.array_equal(state.x[0], before.x[0])
    assert np.array_equal(state.R[0], before.R[0])
    assert not state.v[0].any() and not state.omega[0].any()
    assert np.abs(state.x[1]).max() > 0.1


def test_kinematic_body_is_exactly_on_its_trajectory_and_drags_others():
    table = PoseTable(
        [0, 1, 2], [(0, 0, 0), (1, 0, 0), (1, 1, 0)], [about(2, 0), about(2, 1), about(2, 1.5)]
    )
    scene = Scene()
    scene.add_body("hand", motion="kinematic", trajectory=table)
    scene.add_body("ball", mass=1, inertia=(1, 1, 1))
    scene.add_spring("s", "hand", "ball", (0, 0, 0), (0, 0, 0), stiffness=400, damping=10)
    model, stepper = start(scene)
    for k in range(1, 201):
        stepper.step(k * 0.01)
        x, R = model.trajectories[0].pose(k * 0.01)
        v, spin = model.trajectories[0].twist(k * 0.01)
        assert np.array_equal(stepper.bodies.x[0], x)
        assert np.array_equal(stepper.bodies.R[0], R)
        assert np.array_equal(stepper.bodies.v[0], v)
        assert np.allclose(stepper.bodies.spin[0], spin, rtol=0, atol=1e-14)
    assert np.abs(stepper.bodies.x[1] - [1, 1, 0]).max() < 0.2


def test_damper_to_a_spinning_kinematic_arm_feels_the_speed_of_its_tip():
    """The tip of a unit arm at 2 rad/s moves at 2 m/s along the damper at the start."""
    scene = Scene()
    scene.add_body("arm", motion="kinematic", angular_velocity=(0, 0, 2))
    scene.add_body("ball", mass=1, inertia=(1, 1, 1), position=(1, 5, 0))
    scene.add_spring("d", "arm", "ball", (1, 0, 0), (1, 5, 0), damping=3)
    _, stepper = start(scene)
    h = 1e-4
    stepper.step(h)
    assert abs(stepper.bodies.v[1, 1] / (3 * 2 * h) - 1) < 5 * h


def test_damper_feels_a_kinematic_arm_that_starts_to_turn():
    """At rest until 0.1 s, then 1 rad/s: the ball follows v = 1 - exp(-c t / m) of the tip."""
    table = PoseTable([0, 0.1, 1.1], np.zeros((3, 3)), [np.eye(3), np.eye(3), about(2, 1.0)])
    scene = Scene()
    scene.add_body("arm", motion="kinematic", trajectory=table)
    scene.add_body("ball", mass=1, inertia=(1, 1, 1), position=(1, 50, 0))
    scene.add_spring("d", "arm", "ball", (1, 0, 0), (1, 50, 0), damping=3)
    _, stepper = start(scene)
    state = advance(stepper, 1e-3, 200)
    # the tip leaves the line by 0.1 rad at most, which takes 0.1^2 / 2 of its speed, and the
    # jump of speed at 0.1 s is met by half a step
    assert state.v[1, 1] == pytest.approx(1 - np.exp(-0.3), rel=0.1**2 / 2 + 1e-3 / 0.2)


def test_held_translations_do_not_move_and_free_ones_do():
    scene = Scene(gravity=(1, 2, 3))
    scene.add_body(
        "slider",
        mass=2,
        inertia=(1, 1, 1),
        velocity=(1, 1, 1),
        fixed=[True, False, True] + [False] * 3,
    )
    state = at_time(scene, 1.0, 100)
    assert state.x[0, 0] == 0 and state.x[0, 2] == 0
    assert state.v[0, 0] == 0 and state.v[0, 2] == 0
    assert abs(state.x[0, 1] - 2) < 1e-13


def test_body_hinged_about_one_world_axis_turns_with_its_inertia_about_that_axis():
    """A skew body under a constant torque: angle = (tau / e.I e) t^2 / 2 about y, nothing else."""
    J = np.array([[2.0, 0.3, -0.1], [0.3, 1.5, 0.2], [-0.1, 0.2, 1.8]])
    R0 = about(0, 0.7) @ about(2, 0.4)
    scene = Scene()
    scene.add_body("door", mass=1, inertia=J, rotation=R0, fixed=[True] * 3 + [True, False, True])
    scene.add_force("push", "door", torque=(5, 0.6, -7), force=(3, 3, 3))
    state = at_time(scene, 2.0, 200)
    about_axis = (R0 @ J @ R0.T)[1, 1]
    angle = 0.5 * 0.6 / about_axis * 2.0**2
    assert np.abs(state.R[0] - about(1, angle) @ R0).max() < 200 * 4 * EPS
    assert np.allclose(state.spin[0], [0, 0.6 / about_axis * 2.0, 0], rtol=0, atol=1e-13)
    assert not state.x[0].any()


def test_body_with_all_turns_held_only_translates():
    scene = Scene(gravity=(0, 0, -2))
    scene.add_body(
        "block", mass=1, inertia=(1, 1, 1), angular_velocity=(1, 2, 3),
        fixed=[False] * 3 + [True] * 3,
    )  # fmt: skip
    scene.add_force("twist", "block", torque=(9, 9, 9))
    state = at_time(scene, 1.0, 10)
    assert np.array_equal(state.R[0], np.eye(3))
    assert not state.omega[0].any()
    assert abs(state.x[0, 2] + 1) < 1e-14


def test_body_with_two_free_turns_is_refused_with_its_name():
    scene = Scene()
    scene.add_body("odd", mass=1, inertia=(1, 1, 1), fixed=[False] * 3 + [True, False, False])
    with pytest.raises(InputError, match=r"`fixed` of body 'odd' must leave three, one or none"):
        start(scene)
