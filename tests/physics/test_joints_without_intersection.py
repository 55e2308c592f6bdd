"""Joints, motors, limits and springs inside the intersection-free solve."""

import numpy as np
import pytest

import dovetail as dt
from dovetail import examples
from dovetail.integrators import ImplicitEuler, RATTLie
from dovetail.integrators.shared.driven_bodies import HeldBackWarning
from dovetail.verifier.certificate import certify
from jointed_scenes import EVERY_JOINT, four_bar, two_bodies_joined_by


def rod(**options):
    """A rod of 10 kg and 1 m on a hinge, level; its coordinate turns it up."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("rod", dt.Box((1, 0.1, 0.1)), density=1000, position=(0.5, 0, 0))
    scene.add_joint("hinge", dt.Revolute((0, 0, 0), (0, -1, 0), **options), "ground", "rod")
    return scene


def moved(scene, h, count, contact=None):
    stepper = ImplicitEuler().start(scene.build(), contact)
    for k in range(1, count + 1):
        stepper.step(k * h)
    return stepper


def angle(stepper, body=0):
    R = stepper.bodies.R[body]
    return np.arctan2(R[2, 0], R[0, 0])


@pytest.mark.parametrize("kind", EVERY_JOINT)
def test_every_joint_holds_to_rounding_and_the_motion_nears_that_of_rattlie(kind):
    """What nothing touches steps by second order: half the step, a quarter of the distance."""
    joint, T = EVERY_JOINT[kind], 0.2
    exact = RATTLie().start(two_bodies_joined_by(joint).build(), None)
    for k in range(1, 401):
        exact.step(k * T / 400)
    errors = []
    for count in (20, 40, 80):
        stepper = moved(two_bodies_joined_by(joint), T / count, count)
        assert stepper.observe().constraint_position < 1e-12
        errors.append(np.abs(stepper.bodies.x - exact.bodies.x).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(orders - 2) < 0.05), (errors, orders)


def test_redundant_loop_stays_closed_and_flat():
    """A parallel crank of four hinges: three rows too many, whose force the others share."""
    stepper = moved(four_bar(), 0.01, 50)
    assert stepper.observe().constraint_position < 1e-12
    assert np.allclose(
        stepper.bodies.R[2], np.eye(3), rtol=0, atol=1e-12
    )  # the coupler only translates


def test_motors_are_followed_whatever_they_carry():
    turning = rod(actuation=[dt.Actuation(motor=("velocity", 2.0))])
    assert angle(moved(turning, 0.01, 20)) == pytest.approx(0.4, abs=1e-9)
    swinging = rod(actuation=[dt.Actuation(motor=("position", lambda t: np.sin(3 * t)))])
    stepper = moved(swinging, 0.01, 20)
    assert angle(stepper) == pytest.approx(np.sin(0.6), abs=1e-9)
    assert stepper.observe().constraint_position < 1e-9


def test_limit_carries_the_weight_of_the_rod():
    """At rest on its lower limit: the hinge pushes up with m g and turns with m g l cos(q)/2."""
    stepper = moved(rod(actuation=[dt.Actuation(lower=-0.3, upper=1.0)]), 0.01, 60)
    assert angle(stepper) == pytest.approx(-0.3, abs=1e-9)
    force, torque = stepper.observe().joint_wrenches()
    assert np.allclose(force[0], [0, 0, 98.1], rtol=0, atol=1e-6)
    assert torque[0, 1] == pytest.approx(-98.1 * 0.5 * np.cos(0.3), rel=1e-8)


def test_spring_and_damper_come_to_rest_where_they_balance_the_weight():
    """K q = -m g l cos(q)/2, found by a stiff spring that an explicit step could not take."""
    stepper = moved(rod(actuation=[dt.Actuation(stiffness=1e5, damping=3e3)]), 0.05, 60)
    q = angle(stepper)
    assert 1e5 * q == pytest.approx(-98.1 * 0.5 * np.cos(q), rel=1e-6)


def test_motor_stops_at_a_wall_and_says_so():
    scene = rod(actuation=[dt.Actuation(motor=("velocity", -2.0))])
    scene.add_body("wall", dt.Box((0.3, 0.3, 0.3)), motion="static", position=(0.9, 0, -0.35))
    with pytest.warns(HeldBackWarning, match="motor of joint 'hinge' is held back at t = 0.08 s"):
        stepper = moved(scene, 0.01, 20, dt.contact.IPC())
    corner = stepper.bodies.x[0] + stepper.bodies.R[0] @ [0.5, 0, -0.05]
    assert -0.2 < corner[2] < -0.199  # on the wall, not in it
    assert stepper.observe().contact.min_distance > 0


def test_motor_goes_on_when_the_wall_recedes():
    """A gate that moves off: the motor turns at its own speed again, it has not wound up."""
    scene = rod(actuation=[dt.Actuation(motor=("velocity", -2.0))])
    scene.add_body(
        "gate", dt.Box((0.3, 0.3, 0.3)), motion="kinematic", position=(0.9, 0, -0.35),
        trajectory=lambda t: ((0.9, 3.0 * max(0.0, t - 0.15), -0.35), np.eye(3)),
    )  # fmt: skip
    with pytest.warns(HeldBackWarning) as warnings:
        stepper = moved(scene, 0.01, 45, dt.contact.IPC())
    assert any("motor of joint 'hinge'" in str(one.message) for one in warnings)
    assert stepper.bodies.omega[0, 1] == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize("name", ["crank-pusher", "gripper", "geneva"])
def test_mechanism_that_pushes_and_grips_is_verified_free_of_intersections(name):
    example = examples.get(name)
    result = dt.simulate(example.build(), progress=False, **example.RUN)
    assert certify(result).verdict == "free"
    assert result.constraint_violation["position"].max() < 1e-9


def test_resumed_mechanism_gives_the_same_bits():
    scene = rod(actuation=[dt.Actuation(motor=("velocity", 2.0))])
    whole = moved(scene, 0.01, 5)
    other = moved(scene, 0.02, 2)
    other.restore(whole.snapshot())
    for k in range(6, 10):
        whole.step(k * 0.01)
        other.step(k * 0.01)
    for part in ("x", "R", "v", "omega"):
        assert np.array_equal(getattr(whole.bodies, part), getattr(other.bodies, part))
