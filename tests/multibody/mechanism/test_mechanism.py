"""From a scene to a mechanism: what is ground, what floats, what is refused."""

import numpy as np
import pytest

from dovetail.errors import InputError
from dovetail.integrators import JointCoordinates
from dovetail.model.joints import Fixed, Revolute, Spherical
from dovetail.model.scene import Scene
from dovetail.multibody.mechanism import Mechanism
from mechanism_scenes import Z
from rounding import rounding


def test_static_bodies_are_ground_and_islands_float():
    scene = Scene(gravity=(0, 0, -9.81))
    scene.add_body("wall", mass=1, inertia=(1, 1, 1), motion="static")
    scene.add_body("door", mass=1, inertia=(1, 1, 1), position=(1, 0, 0))
    scene.add_body("bird", mass=1, inertia=(1, 1, 1), position=(5, 0, 0))
    scene.add_body("nest", mass=1, inertia=(1, 1, 1), position=(6, 0, 0))
    scene.add_joint("frame", Fixed((0, 0, 0)), "ground", "wall")
    scene.add_joint("hinge", Revolute((0, 0, 0), Z), "wall", "door")
    scene.add_joint("perch", Spherical((5.5, 0, 0)), "bird", "nest")
    mechanism = Mechanism(scene.build())
    assert mechanism.n_v == 1 + 6 + 3
    assert mechanism.n_equations == 0
    assert mechanism.parts.joint_name(mechanism.topology.free_joints[0]) == "free motion of bird"
    a = mechanism.forward_dynamics(mechanism.neutral(), np.zeros(10)).a
    assert a[mechanism.v_of("hinge")] == pytest.approx([0.0], abs=1e-12)


def test_mistakes_of_a_scene_come_all_in_one_message():
    scene = Scene()
    scene.add_body("arm", mass=1, inertia=(1, 1, 1))
    scene.add_body("arm", mass=1, inertia=(1, 1, 1))
    scene.add_joint("pin", Revolute((0, 0, 0), Z), "ground", "arn")
    scene.add_joint("self", Revolute((0, 0, 0), Z), "arm", "arm")
    scene.add_joint("pin", Revolute((0, 0, 0), (0, 0, 0)), "ground", "arm")
    with pytest.raises(InputError) as raised:
        Mechanism(scene.build())
    text = "\n".join(raised.value.mistakes)
    for part in (
        "two bodies are named 'arm'",
        "two joints are named 'pin'",
        "joint 'pin' names body 'arn', which is not in the scene",
        "joint 'self' must join two different bodies",
        "`axis` of joint 'pin' must have a direction",
    ):
        assert part in text


def test_held_directions_of_a_body_are_equations():
    """A body that may only move in the plane z = 0 and turn about z has three freedoms."""
    scene = Scene(gravity=(0.1, -1.0, -9.81))
    flags = [False, False, True, True, True, False]
    scene.add_body("puck", mass=2, inertia=(1, 2, 2.5), velocity=(1, 2, 3), fixed=flags)
    model = scene.build()
    mechanism = Mechanism(model)
    assert mechanism.degrees_of_freedom() == 3
    stepper = JointCoordinates().start(model, None)
    for k in range(1, 101):
        stepper.step(k * 0.01)
    expected = np.array([1 + 0.05, 2 - 0.5, 0.0])
    assert abs(stepper.bodies.x[0, 2]) < rounding(100)  # one per step
    # a step along SE(3) couples turn and slide in its error, of second order in h
    assert np.abs(stepper.bodies.x[0] - expected).max() < 1e-9
