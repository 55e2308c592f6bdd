"""What acts along joint coordinates: springs, dampers, friction, stops, motors."""

import numpy as np
import pytest

from dovetail.errors import InputError, RunError
from dovetail.integrators import JointCoordinates
from dovetail.model.joints import Actuation, Prismatic, Revolute, Spherical
from dovetail.model.scene import Scene
from dovetail.multibody.energy import kinetic_energy, potential_energy
from mechanism_scenes import Z, four_bar

MASS = 2.0


def cart(actuation, gravity=(0, 0, 0), velocity=(0, 0, 0), reverse=False):
    """A mass on a slide along x, with something acting along it."""
    scene = Scene(gravity=gravity)
    scene.add_body("cart", mass=MASS, inertia=(1, 1, 1), velocity=velocity)
    bodies = ("cart", "ground") if reverse else ("ground", "cart")
    scene.add_joint("slide", Prismatic((0, 0, 0), (1, 0, 0), actuation=[actuation]), *bodies)
    return JointCoordinates().start(scene.build(), None)


def run(stepper, h, n):
    x = []
    for k in range(1, n + 1):
        stepper.step(k * h)
        x.append(stepper.bodies.x[0, 0])
    return np.array(x)


def test_spring_and_damper_give_the_damped_oscillation():
    """m x'' + c x' + k (x - rest) = 0 from rest at 0."""
    k, c, rest, h = 50.0, 1.5, 0.3, 1e-3
    x = run(cart(Actuation(stiffness=k, damping=c, rest=rest)), h, 4000)
    t = h * np.arange(1, 4001)
    decay, omega = c / (2 * MASS), np.sqrt(k / MASS - (c / (2 * MASS)) ** 2)
    shape = np.cos(omega * t) + decay / omega * np.sin(omega * t)
    assert np.abs(x - rest * (1 - np.exp(-decay * t) * shape)).max() < 1e-5


def test_direction_of_a_joint_only_turns_its_coordinate_round():
    """Between cart and ground the coordinate is the ground's against the cart's."""
    x = run(cart(Actuation(motor=4.0), reverse=True), 0.01, 100)
    assert x[-1] == pytest.approx(-0.5 * 4.0 / MASS * 1.0, rel=1e-12)


@pytest.mark.parametrize("stiffness", [1e3, 1e9])
def test_spring_far_stiffer_than_the_step_allows_stays_stable(stiffness):
    stepper = cart(Actuation(stiffness=stiffness, rest=0.01))
    x = run(stepper, 0.01, 400)
    assert np.abs(x).max() < 0.0201
    stored = stepper.observe().stored_energy
    total = stored + 0.5 * MASS * stepper.bodies.v[0, 0] ** 2
    assert total <= 0.5 * stiffness * 0.01**2 * (1 + 1e-6)


@pytest.mark.parametrize("slope", [0.19, 0.21])
def test_cart_slides_only_where_gravity_exceeds_dry_friction(slope):
    """Friction of 0.2 of the weight holds a cart on a slope below 0.2, up to a creep of order h."""
    weight = MASS * 9.81
    stepper = cart(Actuation(friction=0.2 * weight), gravity=(9.81 * slope, 0, -9.81))
    x = run(stepper, 1e-3, 1000)
    expected = max(0.0, 0.5 * 9.81 * (slope - 0.2))
    creep = 0.05 * 0.2 * 9.81 * 1e-3 * np.tan(np.arcsin(0.95))  # [m/s]: eps = 0.05 f h / m
    assert x[-1] == pytest.approx(expected, abs=2 * creep)
    assert (x[-1] > 0.03) == (slope > 0.2)


def test_friction_stops_a_cart_after_the_right_distance():
    """v^2 / (2 mu g), then rest."""
    x = run(cart(Actuation(friction=0.3 * MASS * 9.81), velocity=(2, 0, 0)), 1e-3, 1500)
    assert x[-1] == pytest.approx(4 / (2 * 0.3 * 9.81), rel=2e-3)
    assert abs(x[-1] - x[-200]) < 1e-6


def test_stop_holds_and_takes_energy_but_never_gives_any():
    stepper = cart(Actuation(lower=-0.1, upper=0.2), velocity=(3, 0, 0))
    h, first, speeds = 1e-3, 0.5 * MASS * 9.0, []
    for k in range(1, 1001):
        stepper.step(k * h)
        now = 0.5 * MASS * stepper.bodies.v[0, 0] ** 2 + stepper.observe().stored_energy
        # a step that ends beyond the stop but has its middle before it counts (0.25 d / h)^2 early
        assert now <= first * (1 + 0.25**2)
        speeds.append(stepper.bodies.v[0, 0])
        assert -0.1 - 0.03 < stepper.bodies.x[0, 0] < 0.2 + 0.03
    assert min(speeds) < 0.0  # it came back
    assert abs(min(speeds)) < 0.3 * 3.0  # much slower
    assert max(speeds) < 3.0 + 1e-12


def test_constant_push_rests_against_a_stop():
    x = run(cart(Actuation(upper=0.05, motor=10.0)), 1e-3, 3000)
    # k = (0.25 / h)^2 m: it yields by f / k = 16 h^2 f / m
    assert x[-1] == pytest.approx(0.05 + 16 * 1e-6 * 10.0 / MASS, abs=1e-9)


def test_effort_motor_may_be_a_function_of_time_and_is_limited():
    x = run(cart(Actuation(motor=lambda t: 6.0 * t)), 1e-3, 1000)
    assert x[-1] == pytest.approx(6.0 / (6 * MASS), rel=1e-6)
    x = run(cart(Actuation(motor=lambda t: 600.0, effort_limit=4.0)), 1e-3, 1000)
    assert x[-1] == pytest.approx(0.5 * 4.0 / MASS, rel=1e-9)


def test_position_motor_is_followed_to_round_off():
    x = run(cart(Actuation(motor=("position", lambda t: np.sin(3 * t))), (0, 0, -9.81)), 0.01, 300)
    assert np.abs(x - np.sin(3 * 0.01 * np.arange(1, 301))).max() < 1e-14


def test_velocity_motor_too_weak_for_its_load_accelerates_at_its_limit():
    stepper = cart(Actuation(motor=("velocity", 1.0), effort_limit=3.0))
    h, v = 1e-3, []
    stepper.v[...] = 0.0  # at rest when it is switched on
    for k in range(1, 2001):
        stepper.step(k * h)
        v.append(stepper.bodies.v[0, 0])
    assert v[199] == pytest.approx(3.0 / MASS * 0.2, rel=0.02)
    assert v[-1] == pytest.approx(1.0, rel=1e-9)


def test_spring_of_a_ball_joint_keeps_energy():
    scene = Scene()
    scene.add_body(
        "bob", mass=1, inertia=(0.1, 0.2, 0.25), position=(0.5, 0, 0), angular_velocity=(1, 2, 3),
        velocity=np.cross((1, 2, 3), (0.5, 0, 0)),
    )  # fmt: skip
    springs = [Actuation(stiffness=k) for k in (5.0, 8.0, 11.0)]
    scene.add_joint("ball", Spherical((0, 0, 0), actuation=springs), "ground", "bob")
    model = scene.build()
    bands = []
    for h in (4e-3, 2e-3):
        stepper = JointCoordinates().start(model, None)
        energies = []
        for k in range(1, int(4.0 / h)):
            stepper.step(k * h)
            energies.append(kinetic_energy(model, stepper.bodies) + stepper.observe().stored_energy)
        bands.append(np.ptp(energies) / energies[0])
    assert bands[1] < 1e-4
    assert bands[0] / bands[1] == pytest.approx(4, rel=0.3)


def test_actuated_joints_all_round_a_loop_divide_a_body_and_change_nothing():
    """A loop whose every joint has a (vanishing) spring moves as one without."""
    plain = four_bar()
    sprung = Scene(gravity=plain.gravity)
    for name, body in plain.bodies.items():
        sprung.add_body(
            name, mass=body.mass, inertia=body.inertia, position=body.position,
            rotation=body.rotation,
        )  # fmt: skip
    for name, (joint, a, b) in plain.joints.items():
        spring = Actuation(stiffness=1e-13)
        sprung.add_joint(name, Revolute(joint.point, joint.axis, actuation=[spring]), a, b)
    differences = []
    for n in (200, 400):
        ends = []
        for scene in (plain, sprung):
            stepper = JointCoordinates().start(scene.build(), None)
            for k in range(1, n + 1):
                stepper.step(k / n)
            ends.append(stepper.bodies)
        differences.append(np.abs(ends[0].x - ends[1].x).max())
    assert len(stepper.mechanism.parts.owners) == 4
    # other coordinates, other errors of second order, the same limit
    assert differences[1] < 1e-6
    assert differences[0] / differences[1] == pytest.approx(4, rel=0.1)
    assert stepper.observe().constraint_position < 1e-12


def test_spring_on_the_last_joint_of_a_loop_acts():
    """The rocker's joint would be cut; its spring must still store energy."""
    plain = four_bar(gravity=(0, 0, 0))
    scene = Scene()
    for name, body in plain.bodies.items():
        scene.add_body(
            name, mass=body.mass, inertia=body.inertia, position=body.position,
            rotation=body.rotation,
        )  # fmt: skip
    for name, (joint, a, b) in plain.joints.items():
        spring = [Actuation(stiffness=20.0, rest=0.3)] if name in "AD" else []
        scene.add_joint(name, Revolute(joint.point, joint.axis, actuation=spring), a, b)
    model = scene.build()
    stepper = JointCoordinates().start(model, None)
    before = stepper.observe().stored_energy
    assert before == pytest.approx(2 * 0.5 * 20 * 0.09)
    least = before
    for k in range(1, 301):
        stepper.step(k * 0.002)
        least = min(least, stepper.observe().stored_energy)
    total = kinetic_energy(model, stepper.bodies) + potential_energy(model, stepper.bodies)
    total += stepper.observe().stored_energy
    assert total == pytest.approx(before, rel=1e-3)
    assert least < 0.9 * before


def test_what_a_ball_joint_cannot_have_is_refused_all_at_once():
    scene = Scene()
    scene.add_body("bob", mass=1, inertia=(1, 1, 1))
    wrong = [Actuation(lower=-1.0), Actuation(motor=("velocity", 1.0))]
    scene.add_joint("ball", Spherical((0, 0, 0), actuation=wrong), "ground", "bob")
    with pytest.raises(InputError) as raised:
        JointCoordinates().start(scene.build(), None)
    first, second = raised.value.mistakes
    assert "coordinate 1 of joint 'ball'" in first and "no single angle to limit" in first
    assert "coordinate 2 of joint 'ball'" in second and "kinematic body" in second


def test_motors_that_fight_a_loop_name_the_joint_that_opens():
    """Crank and rocker driven against each other cannot both move."""
    plain = four_bar()
    scene = Scene()
    for name, body in plain.bodies.items():
        scene.add_body(
            name, mass=body.mass, inertia=body.inertia, position=body.position,
            rotation=body.rotation,
        )  # fmt: skip
    for name, (joint, a, b) in plain.joints.items():
        motor = [Actuation(motor=("velocity", 1.0))] if name in "ABC" else []
        scene.add_joint(name, Revolute(joint.point, joint.axis, actuation=motor), a, b)
    stepper = JointCoordinates().start(scene.build(), None)

    def move():
        for k in range(1, 100):
            stepper.step(k * 0.01)

    with pytest.raises(RunError, match=r"at t = .* joint 'D' opens .* check driven joints"):
        move()


def test_kinematic_body_carries_a_pendulum():
    """A pendulum whose pivot accelerates hangs at atan(a/g)."""
    scene = Scene(gravity=(0, -9.81, 0))
    a = 3.0
    scene.add_body(
        "hand", motion="kinematic", trajectory=lambda t: ((0.5 * a * t * t, 0, 0), np.eye(3))
    )
    tilt = np.arctan2(a, 9.81)
    scene.add_body("bob", mass=1, inertia=(0.01,) * 3, position=(-np.sin(tilt), -np.cos(tilt), 0))
    scene.add_joint("pin", Revolute((0, 0, 0), Z), "hand", "bob")
    stepper = JointCoordinates().start(scene.build(), None)
    for k in range(1, 501):
        stepper.step(k * 0.002)
        hand, bob = stepper.bodies.x
        assert np.abs(hand - [0.5 * a * (k * 0.002) ** 2, 0, 0]).max() < 1e-13
        assert np.abs(bob - hand - [-np.sin(tilt), -np.cos(tilt), 0]).max() < 2e-5
