"""A simulation that is stepped by hand moves as a run does."""

import numpy as np
import pytest

import dovetail as dt
from live_scenes import arm_and_box, resting_box


def made(scene, method, step=1e-3):
    contact, integrator = method
    return dt.Simulation(scene, step=step, contact=contact, integrator=integrator, check=False)


def test_steps_by_hand_equal_a_run_bit_for_bit(method):
    contact, integrator = method
    run = dt.simulate(
        arm_and_box(), 0.02, 1e-3, contact=contact, integrator=integrator, progress=False,
        check=False,
    )  # fmt: skip
    sim = made(arm_and_box(), method)
    sim.step()
    sim.step(19)
    assert sim.time == run.time[-1]
    for name in ("lower", "box"):
        assert np.array_equal(sim.body(name).position, run.position(name)[-1])
        assert np.array_equal(sim.body(name).rotation, run.rotation(name)[-1])
        assert np.array_equal(sim.body(name).velocity, run.velocity(name)[-1])


def test_revolutions_are_counted_though_nobody_looks():
    scene = dt.Scene()
    scene.add_body("wheel", dt.Cylinder(0.1, 0.02), density=1000, angular_velocity=(0, 0, 50))
    scene.add_joint("axle", dt.Revolute((0, 0, 0), (0, 0, 1)), "ground", "wheel")
    sim = dt.Simulation(scene, step=1e-3)
    sim.step(1000)
    assert sim.joint("axle").position == pytest.approx(50.0, rel=1e-9)
    assert sim.joint("axle").velocity == pytest.approx(50.0, rel=1e-9)
    assert sim.q[sim.q_index("axle")] == sim.joint("axle").position


def test_unknown_names_are_answered_with_the_one_meant():
    sim = made(arm_and_box(), (None, None))
    with pytest.raises(dt.InputError, match=r"no joint 'elbov'.*did you mean 'elbow'"):
        sim.joint("elbov")
    with pytest.raises(dt.InputError, match=r"no body 'bx'.*did you mean 'box'"):
        sim.body("bx")
    with pytest.raises(dt.InputError, match="`count` must be a whole number"):
        sim.step(1.5)
    with pytest.raises(dt.InputError, match="`step` must be > 0"):
        dt.Simulation(arm_and_box(), step=0)


@pytest.mark.parametrize("contact", ["ipc", "sdf", "lcp"])
def test_contact_force_on_a_resting_box_is_its_weight(contact):
    sim = made(resting_box(), (contact, None), step=2e-3)
    sim.step(200)
    weight = np.array([0, 0, 2.0 * 9.81])
    wrench = sim.contact_wrench("box", "floor")
    assert wrench.force == pytest.approx(weight, abs=0.02 * weight[2])
    assert wrench.point == pytest.approx((0, 0, 0), abs=2e-3)
    assert wrench.torque == pytest.approx((0, 0, 0), abs=1e-2)
    back = sim.contact_wrench("floor", "box")
    assert np.array_equal(back.force, -wrench.force)
    assert sim.body("box").contact_force == pytest.approx(wrench.force, rel=1e-12)
    assert sim.body("box").contact_torque == pytest.approx((0, 0, 0), abs=2e-2)
    assert len(sim.contacts.gaps) == len(sim.contacts.points) > 0


def test_the_joints_wrench_carries_what_hangs_on_it(method):
    """At rest the shoulder holds both links: 160 N up, whatever the method."""
    sim = made(arm_and_box(), method)
    sim.step(3)
    force, torque, point = sim.joint("shoulder").wrench
    assert force == pytest.approx((0, 0, 16 * 9.81), abs=1e-3)
    assert torque == pytest.approx((0, 0, 0), abs=1e-6)
    assert point == pytest.approx((0, 0, 0), abs=1e-9)


def test_a_simulation_is_written_with_what_it_holds_its_method_and_its_time():
    sim = made(arm_and_box(), ("lcp", None))
    sim.step(2)
    assert repr(sim) == "<Simulation: 4 bodies, 2 joints, LCP, StewartTrinkle, t = 0.002 s>"
    assert "no contact, RATTLie" in repr(made(arm_and_box(), (None, "RATTLie")))


def test_a_speed_that_nothing_explains_ends_the_step_with_the_bodys_name():
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.1), mass=1)
    scene.add_load("rocket", lambda t, state: {"ball": ((1e16, 0, 0), (0, 0, 0))})
    sim = dt.Simulation(scene, step=1e-3, check=False)
    with pytest.raises(dt.RunError, match="speed of body 'ball' grows without bound"):
        sim.step()


def test_a_joint_has_as_many_coordinates_as_freedoms():
    scene = dt.Scene()
    for k, name in enumerate(("rod", "slider", "block")):
        scene.add_body(name, mass=1, inertia=(1, 1, 1), position=(k, 0, 0), velocity=(0, 0, 2))
    scene.add_joint("guide", dt.Cylindrical((0, 0, 0), (0, 0, 1)), "ground", "rod")
    scene.add_joint("rail", dt.Prismatic((1, 0, 0), (0, 0, 1)), "ground", "slider")
    scene.add_joint("weld", dt.Fixed(), "slider", "block")
    sim = dt.Simulation(scene, step=0.01, check=False)
    sim.step(10)
    assert np.sort(sim.joint("guide").position) == pytest.approx([0.0, 0.2], abs=1e-12)
    assert sim.joint("rail").position == pytest.approx(0.2)
    assert np.shape(sim.joint("rail").velocity) == () and np.shape(sim.joint("weld").position) == (
        0,
    )
