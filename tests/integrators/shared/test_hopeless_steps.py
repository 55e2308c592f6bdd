"""A controller that diverges ends the run within seconds, in words, under any method."""

import re
import time

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.registry import HOMES, SCHEMES

SECONDS = 20.0  # of CPU, on a slow machine: each took more than a minute before
STEPS = 1000


def arm_over_a_floor():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((4, 4, 0.2)), motion="static", position=(0, 0, -0.1))
    scene.add_body("upper", dt.Box((0.4, 0.05, 0.05)), density=1000, position=(0.2, 0, 0.5))
    scene.add_body("lower", dt.Box((0.4, 0.05, 0.05)), density=1000, position=(0.6, 0, 0.5))
    scene.add_joint("shoulder", dt.Revolute((0, 0, 0.5), (0, 1, 0)), "ground", "upper")
    scene.add_joint("elbow", dt.Revolute((0.4, 0, 0.5), (0, 1, 0)), "upper", "lower")
    scene.add_body("ball", dt.Sphere(0.05), density=1000, position=(0.3, 0, 0.2))
    return scene


def cart_between_walls():
    scene = dt.Scene()
    for name, x in (("wall", 0.5), ("back", -0.5)):
        scene.add_body(name, dt.Box((0.1, 1, 1)), motion="static", position=(x, 0, 0))
    scene.add_body("cart", dt.Box((0.1, 0.1, 0.1)), density=1000)
    scene.add_joint("rail", dt.Prismatic((0, 0, 0), (1, 0, 0)), "ground", "cart")
    scene.add_body("pole", dt.Box((0.02, 0.02, 0.3)), density=1000, position=(0, 0.2, 0))
    scene.add_joint("lift", dt.Prismatic((0, 0.2, 0), (0, 0, 1)), "cart", "pole")
    return scene


CONTROLLERS = {
    "wrong sign": lambda k, q, v: 2e4 * (q + 1e-3) + 2e3 * v,
    "stiff": lambda k, q, v: -1e9 * (q - 0.01) - 1e9 * v,
    "growing": lambda k, q, v: np.full(len(q), 10.0 * 1.1**k),
}


@pytest.mark.parametrize("contact", [None, "ipc", "sdf", "lcp"])
@pytest.mark.parametrize("controller", CONTROLLERS)
@pytest.mark.parametrize("scene", [arm_over_a_floor, cart_between_walls])
def test_a_controller_that_diverges_ends_the_run_within_seconds(scene, controller, contact):
    sim = dt.Simulation(scene(), step=1e-3, contact=contact, check=False)
    efforts, names = np.zeros(len(sim.v)), "|".join(sim.joint_names)
    sim.efforts = efforts
    sim.step()  # kernels are there
    began = time.process_time()

    def control():
        for k in range(STEPS):
            efforts[:2] = CONTROLLERS[controller](k, sim.q[:2], sim.v[:2])
            sim.efforts = efforts
            sim.step()

    with pytest.raises(dt.RunError, match=rf"at t = [\d.e-]+ s: .*joints '({names})'.*diverges"):
        control()
    assert time.process_time() - began < SECONDS


def schemes(joints=True):
    """Every scheme with each contact method that it takes; those for `joints` alone, or all."""
    pairs = []
    for name in HOMES:
        if joints and not SCHEMES.get(name).takes_joints:
            continue
        takes = SCHEMES.get(name)().takes
        pairs += [(None, name)] if takes & {"force", "potential"} else []
        pairs += [(method, name) for kind, method in KINDS.items() if kind in takes]
    return pairs


KINDS = {"force": "sdf", "potential": "ipc", "impulse": "lcp"}


def targets_far_away(sim, names):
    for name in names:
        joint = sim.joint(name)
        joint.stiffness, joint.damping, joint.target_position = 1e4, 0.0, 1e6


@pytest.mark.slow
@pytest.mark.parametrize(("contact", "integrator"), schemes())
@pytest.mark.parametrize("controller", [*CONTROLLERS, "far targets"])
@pytest.mark.parametrize("scene", [arm_over_a_floor, cart_between_walls])
def test_under_every_scheme_an_answer_takes_seconds(scene, controller, integrator, contact):
    sim = dt.Simulation(scene(), step=1e-3, contact=contact, integrator=integrator, check=False)
    efforts, names = np.zeros(len(sim.v)), "|".join(sim.joint_names)
    sim.efforts = efforts
    sim.step()  # kernels are there
    began = time.process_time()

    def control():
        if controller == "far targets":
            targets_far_away(sim, sim.joint_names)
        for k in range(STEPS):
            if controller != "far targets":
                efforts[:2] = CONTROLLERS[controller](k, sim.q[:2], sim.v[:2])
                sim.efforts = efforts
            sim.step()

    said = rf"at t = [\d.e-]+ s: .*(body|joint|efforts).*joints '({names})'.*diverges"
    if controller in ("wrong sign", "growing"):
        with pytest.raises(dt.RunError, match=said):
            control()
    else:  # what is only stiff may be stepped
        ended = []
        try:
            control()
        except dt.RunError as error:
            ended = [str(error)]
        assert all(re.match(said, text) for text in ended), ended
    assert time.process_time() - began < SECONDS


def boxes_on_a_floor():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((4, 4, 0.2)), motion="static", position=(0, 0, -0.1))
    for name, x in (("box", 0.0), ("other", 0.5)):
        scene.add_body(name, dt.Box((0.2, 0.2, 0.2)), density=1000, position=(x, 0, 0.11))
    return scene


PUSHES = {
    "aside": lambda f: {"force": (f, 0, 0)},
    "down": lambda f: {"force": (0, 0, -f)},
    "spun": lambda f: {"force": (0, 0, 0), "torque": (0, 0, f)},
    "rolled": lambda f: {"force": (0, 0, 0), "torque": (f, 0, 0)},
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::dovetail.integrators.shared.divided_steps.DividedStepWarning")
@pytest.mark.filterwarnings("ignore:at t = .* inside each other")
@pytest.mark.parametrize(("contact", "integrator"), schemes(joints=False))
@pytest.mark.parametrize("push", PUSHES)
def test_a_free_body_pushed_by_growing_forces_has_an_answer_in_seconds(push, integrator, contact):
    sim = dt.Simulation(
        boxes_on_a_floor(), step=1e-3, contact=contact, integrator=integrator, check=False
    )
    sim.body("box").push(force=(0, 0, 1))
    sim.step()
    began = time.process_time()

    def pushed():
        for k in range(STEPS):
            sim.body("box").push(**PUSHES[push](0.1 * 1.1**k))
            sim.step()

    with pytest.raises(dt.RunError, match=r"at t = [\d.e-]+ s: .*'(box|other)'"):
        pushed()
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize("integrator", ["ImplicitEuler", "BarrierVerlet"])
@pytest.mark.parametrize("contact", [None, "ipc"])
@pytest.mark.parametrize("spin", [3000.0, 3500.0, 6000.0])
def test_a_body_that_turns_by_more_than_pi_in_a_step_keeps_its_spin(spin, contact, integrator):
    """3500 rad/s were taken for -2783 rad/s, as poses of steps of 1 ms alone would tell."""
    scene = dt.Scene()
    scene.add_body("box", dt.Box((0.2, 0.3, 0.4)), density=1000, angular_velocity=(0, 0, spin))
    sim = dt.Simulation(scene, step=1e-3, contact=contact, integrator=integrator)
    sim.step(100)
    assert sim.body("box").angular_velocity == pytest.approx([0, 0, spin], rel=1e-9)


@pytest.mark.parametrize("contact", [None, "ipc"])
@pytest.mark.parametrize("rate", [3.4e4, 2e5, 6.2e5])
def test_a_needle_that_turns_a_hundred_times_pi_in_a_step_keeps_its_spin(rate, contact):
    """Its side moves at 10 m/s only, and what strikes it may: it was refused."""
    scene, h = dt.Scene(), 0.01
    assert rate * h > 100 * np.pi
    scene.add_body("post", dt.Box((0.1, 0.1, 0.1)), motion="static", position=(0, 0, -0.0505))
    scene.add_body(
        "needle", dt.Box((0.14, 0.0006, 0.0006)), density=1000, position=(0, 0, 0.001),
        velocity=(0, 0, 1.0), angular_velocity=(rate, 0, 0),
    )  # fmt: skip
    sim = dt.Simulation(scene, step=h, contact=contact, integrator="ImplicitEuler")
    sim.step(2)
    assert sim.body("needle").angular_velocity == pytest.approx([rate, 0, 0], rel=1e-6, abs=1e-3)
    assert sim.body("needle").position == pytest.approx([0, 0, 0.021], abs=1e-9)


@pytest.mark.parametrize(("spin", "torque", "most"), [(6.5e6, 0.0, 2000), (5e5, 1e7, 100)])
def test_a_free_body_that_spins_too_fast_or_is_driven_to_is_refused(spin, torque, most):
    scene = dt.Scene()
    scene.add_body("box", mass=8.0, inertia=np.eye(3) / 20, angular_velocity=(0, 0, spin))
    sim = dt.Simulation(scene, step=1e-3, contact="ipc", integrator="ImplicitEuler")
    sim.body("box").push(force=(0, 0, 0), torque=(0, 0, torque))
    with pytest.raises(dt.RunError, match=f"rad/s, too fast .* less than {most} pi rad"):
        sim.step()


@pytest.mark.parametrize("integrator", ["ImplicitEuler", "BarrierVerlet"])
@pytest.mark.parametrize("contact", [None, "ipc"])
@pytest.mark.parametrize("spin", [3500.0, 6000.0, 20000.0])
def test_a_wheel_that_turns_by_more_than_pi_in_a_step_is_refused(spin, contact, integrator):
    scene = dt.Scene()
    scene.add_body("wheel", dt.Cylinder(0.2, 0.1), density=1000, angular_velocity=(0, 0, spin))
    scene.add_joint("axle", dt.Revolute(), "ground", "wheel")
    sim = dt.Simulation(scene, step=1e-3, contact=contact, integrator=integrator)
    said = re.escape(f"{spin:.4g} rad/s, too fast for a step")
    with pytest.raises(dt.RunError, match=f"body 'wheel', .* {said}"):
        sim.step(10)


def test_a_torque_that_turns_a_free_body_three_times_in_a_step_spins_it():
    """It left 1.5 rad in a step."""
    scene = dt.Scene()
    scene.add_body("box", mass=8.0, inertia=np.eye(3) / 20)
    sim = dt.Simulation(scene, step=1e-3, contact="ipc")
    sim.body("box").push(force=(0, 0, 0), torque=(0, 0, 1e6))
    sim.step()
    assert sim.body("box").angular_velocity == pytest.approx([0, 0, 2e4], rel=1e-9)


@pytest.mark.parametrize("torque", [1e9, 1e40])
def test_a_torque_that_would_turn_a_free_body_many_times_in_a_step_is_refused(torque):
    """Either left a spin of 1.5 rad in a step, without a word."""
    scene = dt.Scene()
    scene.add_body("box", dt.Box((0.2, 0.2, 0.2)), density=1000)
    sim = dt.Simulation(scene, step=1e-3, contact="ipc")
    sim.body("box").push(force=(0, 0, 0), torque=(0, 0, torque))
    with pytest.raises(dt.RunError, match="rotate body 'box'"):
        sim.step()


def test_a_strong_effort_that_contact_stops_is_stepped():
    """A torque that would turn the link by 40 rad in a step presses it on the floor instead."""
    scene = dt.Scene()
    scene.add_body("floor", dt.Box((4, 4, 0.2)), motion="static", position=(0, 0, -0.1))
    scene.add_body("link", dt.Box((0.1, 0.02, 0.02)), density=1000, position=(0.05, 0, 0.0101))
    scene.add_joint("hinge", dt.Revolute((0, 0, 0.0101), (0, 1, 0)), "ground", "link")
    sim = dt.Simulation(scene, step=1e-3, contact="ipc", check=False)
    inertia = 1.0 / np.linalg.inv(sim.mass_matrix())[0, 0]
    sim.joint("hinge").effort = 40 * inertia / 1e-3**2
    sim.step(50)
    assert abs(sim.joint("hinge").position) < 0.02
    force = sim.contact_wrench("link", "floor").force
    assert force[2] > 0
