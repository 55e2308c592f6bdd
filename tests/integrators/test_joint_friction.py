"""Dry friction, torques on ball joints and speed limits of motors in maximal coordinates."""

import numpy as np
import pytest

from dovetail import integrators
from dovetail.errors import InputError
from dovetail.linalg.lie import so3
from dovetail.model import Actuation, Free, Prismatic, Revolute, Scene, Spherical
from dovetail.simulate import simulate
from jointed_scenes import GRAVITY, hanging_rod

ROUGH = ["RATTLie", "DH", "DL", "LieGeneralizedAlpha", "EulerParameterDAE"]


def stepper_of(scene, name):
    return integrators.named(name, {}).start(scene.build(), None)


def slider(friction, speed=0.0, push=0.0):
    """A block of 2 kg on a level rail."""
    scene = Scene()
    scene.add_body("block", mass=2, inertia=(1, 1, 1), velocity=(speed, 0, 0))
    drive = (Actuation(friction=friction, motor=push),)
    scene.add_joint("rail", Prismatic((0, 0, 0), (1, 0, 0), actuation=drive), "ground", "block")
    return scene


@pytest.mark.parametrize("name", ROUGH)
def test_block_slides_until_friction_has_dissipated_its_energy(name):
    """1 m/s against 4 N on 2 kg: at rest after 0.5 s and 0.25 m, and it stays there."""
    stepper = stepper_of(slider(friction=4.0, speed=1.0), name)
    h = 1e-3
    for k in range(1, 501):
        stepper.step(k * h)
    assert stepper.bodies.x[0, 0] == pytest.approx(0.25, abs=2 * h * h)
    for k in range(501, 1001):
        stepper.step(k * h)
    x, v = stepper.bodies.x[0, 0], stepper.bodies.v[0, 0]
    assert x == pytest.approx(0.25, abs=5e-6)
    assert abs(v) < 1e-6


@pytest.mark.parametrize("name", ROUGH)
def test_push_below_friction_moves_nothing_and_above_it_what_is_left_over(name):
    """A sticking block creeps by part of the speed that friction takes away in one step."""
    h, f = 1e-3, 4.0
    for push in (3.0, 5.0):
        stepper = stepper_of(slider(friction=f, push=push), name)
        for k in range(1, 1001):
            stepper.step(k * h)
        v = stepper.bodies.v[0, 0]
        if push < f:
            eps = 0.05 * f * h / 2
            assert v == pytest.approx(eps * push / np.sqrt(f * f - push * push), rel=0.02)
        else:
            assert v == pytest.approx((push - f) / 2, abs=2 * h)  # the first step starts without


def test_sliding_friction_is_of_second_order():
    """A swinging rod against 0.5 N m: the error at 0.4 s, before it turns, falls fourfold."""
    ends = []
    for count in (40, 80, 160, 1280):
        scene = Scene(gravity=(0, 0, -GRAVITY))
        scene.add_body("rod", mass=2, inertia=(0.01, 0.2, 0.2), position=(0.5, 0, 0),
                       velocity=(0, 0, -0.5), angular_velocity=(0, 1, 0))  # fmt: skip
        hinge = Revolute((0, 0, 0), (0, 1, 0), actuation=(Actuation(friction=0.5),))
        scene.add_joint("hinge", hinge, "ground", "rod")
        stepper = stepper_of(scene, "RATTLie")
        for k in range(1, count + 1):
            stepper.step(0.4 * k / count)
        ends.append(stepper.bodies.x[0].copy())
    errors = [np.abs(end - ends[-1]).max() for end in ends[:-1]]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize("name", ROUGH)
def test_rough_hinge_holds_a_rod_up_and_its_torque_is_in_the_result(name):
    """12 N m of friction against the 9.81 N m of a level rod."""
    scene = Scene(gravity=(0, 0, -GRAVITY))
    scene.add_body("rod", mass=2, inertia=(0.01, 0.2, 0.2), position=(0.5, 0, 0))
    hinge = Revolute((0, 0, 0), (0, 1, 0), actuation=(Actuation(friction=12.0),))
    scene.add_joint("hinge", hinge, "ground", "rod")
    scheme = integrators.named(name, {})
    result = simulate(scene, 0.5, 1e-3, integrator=scheme, progress=False)
    assert abs(result.position("rod")[-1, 2]) < 1e-3  # it creeps at eps
    assert result.joint_torque("hinge")[-1] == pytest.approx([0, -GRAVITY, 0], abs=0.02)
    assert result.joint_force("hinge")[-1] == pytest.approx([0, 0, 2 * GRAVITY], abs=0.02)


def test_rough_chain_sticks_and_slides_as_in_joint_coordinates():
    """Three rods on rough hinges, 8 s: energy only falls, and they come to rest askew alike."""
    scene = Scene(gravity=(0, 0, -GRAVITY))
    for k in range(3):
        middle = (0.4 * k + 0.2, 0, 0)
        scene.add_body(f"rod{k}", mass=1, inertia=(0.002, 0.02, 0.02), position=middle)
        rough = Revolute((0.4 * k, 0, 0), (0, 1, 0), actuation=(Actuation(friction=1.6 - 0.4 * k),))
        scene.add_joint(f"hinge{k}", rough, f"rod{k - 1}" if k else "ground", f"rod{k}")
    ends = []
    for name in (*ROUGH, "JointCoordinates"):
        scheme = integrators.named(name, {})
        result = simulate(scene, 8.0, 2e-3, integrator=scheme, progress=False)
        assert np.diff(result.energy["total"]).max() < 0.0
        assert np.abs(result.velocity("rod2")[-1]).max() < 3e-3  # what creep is left
        ends.append(result.position("rod2")[-1])
    assert np.abs(np.array(ends) - ends[-1]).max() < 1e-4
    assert abs(ends[-1][0]) > 0.02  # askew


def ball(actuation):
    """A tilted body on a ball joint at its corner."""
    scene = Scene(gravity=(0, 0, -GRAVITY))
    scene.add_body("body", mass=2, inertia=(0.3, 0.4, 0.5), position=(0.3, 0.2, -0.4),
                   rotation=so3.exp([0.4, -0.3, 0.8]))  # fmt: skip
    scene.add_joint("ball", Spherical((0, 0, 0), actuation=actuation), "ground", "body")
    return scene


@pytest.mark.parametrize("name", ROUGH)
def test_torque_and_damping_on_a_ball_joint_are_those_of_joint_coordinates(name):
    """Three torques, one of them a function of time, and three dampers, axes of the body."""
    entries = (
        Actuation(motor=2.0, damping=0.3),
        Actuation(motor=lambda t: 3.0 * np.sin(8 * t), damping=0.5),
        Actuation(motor=-1.5, damping=0.2, effort_limit=1.0),
    )
    ends = []
    for scheme in (name, "JointCoordinates"):
        stepper = stepper_of(ball(entries), scheme)
        for k in range(1, 1001):
            stepper.step(k * 1e-3)
        ends.append(stepper.bodies.R[0].copy())
    assert np.abs(ends[0] - ends[1]).max() < 2e-5


def test_friction_on_a_ball_joint_stops_it():
    entries = tuple(Actuation(friction=3.0) for _ in range(3))
    result = simulate(ball(entries), 8.0, 2e-3, integrator=integrators.DH(), progress=False)
    assert np.abs(result.angular_velocity("body")[-1]).max() < 1e-2
    assert np.diff(result.energy["total"][::20]).max() < 1e-3


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (Actuation(stiffness=1.0), r"`stiffness` of coordinate 1 of joint 'ball' \(spherical\)"),
        (Actuation(lower=-1.0), r"coordinate 1 of joint 'ball' \(spherical\) must have no limit"),
        (Actuation(motor=("velocity", 1.0)), "no motor that prescribes a motion"),
    ],
)
def test_what_a_ball_joint_cannot_have_is_reported_with_advice(entry, message):
    with pytest.raises(InputError, match=message):
        stepper_of(ball((entry,)), "RATTLie")


def test_actuation_of_a_free_joint_is_reported_with_advice():
    scene = Scene()
    scene.add_body("body", mass=1, inertia=(1, 1, 1), velocity=(2.0, 0, 0))
    scene.add_joint("free", Free(actuation=(Actuation(damping=1.0),)), "ground", "body")
    with pytest.raises(InputError, match=r"coordinate 1 of joint 'free' \(free\).*`add_load`"):
        stepper_of(scene, "DH")
    stepper = stepper_of(scene, "RATTLie")  # steps trees in joint coordinates, where it has a place
    for k in range(1, 101):
        stepper.step(k * 0.01)
    assert stepper.bodies.v[0, 0] == pytest.approx(2.0 * np.exp(-1.0), rel=1e-5)


def test_velocity_motor_asks_for_no_more_than_its_limit():
    """As in joint coordinates: 7 rad/s wanted, 2 rad/s allowed."""
    for follows in (7.0, lambda t: 7.0):
        drive = Actuation(motor=("velocity", follows), velocity_limit=2.0)
        scene = hanging_rod((drive,), angular_velocity=(0, 2, 0), velocity=(-1, 0, 0))
        stepper = stepper_of(scene, "RATTLie")
        for k in range(1, 51):
            stepper.step(k * 0.01)
        R = stepper.bodies.R[0]
        assert np.arctan2(R[0, 2], R[2, 2]) == pytest.approx(1.0, abs=1e-12)
