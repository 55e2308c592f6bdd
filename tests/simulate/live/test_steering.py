"""Efforts, targets and pushes: what they do is work of a source, the same under every method."""

import numpy as np
import pytest
from test_stepping import made

import dovetail as dt
from live_scenes import arm_and_box, resting_box


def test_effort_gives_the_acceleration_of_the_equations_of_motion(method):
    """M a + h = tau over 20 steps from a bent, moving pose: the error falls with the step."""
    effort, errors = np.array([3.0, -2.0]), []
    for step in (2e-3, 1e-3):
        sim = made(arm_and_box(), method, step)
        sim.set_state(q={"shoulder": 0.3, "elbow": 0.4}, v={"shoulder": 0.5, "elbow": -0.2})
        sim.joint("shoulder").effort, sim.joint("elbow").effort = effort
        assert sim.joint("elbow").effort == -2.0
        q, v = sim.q[:2], sim.v[:2]
        for _ in range(200):  # of RK4-like accuracy beside the scheme's
            q, v = _advanced(sim, q, v, effort, 2e-4)
        sim.step(round(0.04 / step))
        errors.append(np.abs(sim.q[:2] - q).max())
    assert errors[1] < 4e-4
    assert errors[1] < 0.7 * errors[0] or errors[1] < 1e-7


def _advanced(sim, q, v, effort, h):
    """Classical Runge-Kutta with the simulation's own mass matrix and bias forces."""

    def rate(q, v):
        full_q, full_v = sim.q, np.zeros(len(sim.v))
        full_q[:2], full_v[:2] = q, v
        M, bias = sim.mass_matrix(full_q)[:2, :2], sim.bias_forces(full_q, full_v)[:2]
        return v, np.linalg.solve(M, effort - bias)

    k1 = rate(q, v)
    k2 = rate(q + h / 2 * k1[0], v + h / 2 * k1[1])
    k3 = rate(q + h / 2 * k2[0], v + h / 2 * k2[1])
    k4 = rate(q + h * k3[0], v + h * k3[1])
    steps = [h / 6 * (a + 2 * b + 2 * c + d) for a, b, c, d in zip(k1, k2, k3, k4)]
    return q + steps[0], v + steps[1]


def test_targets_with_gains_settle_where_spring_and_weight_balance(method):
    """k (q* - q) = h(q): the offset of a proportional controller under gravity."""
    explicit = method[1] == "EulerParameterDAE"
    k, c = (600.0, 150.0) if explicit else (2e3, 2e2)
    sim = made(arm_and_box(box=False), method, 2e-3)
    for name, goal in (("shoulder", 0.5), ("elbow", -0.3)):
        joint = sim.joint(name)
        joint.stiffness, joint.damping, joint.target_position = k, c, goal
    sim.step(1500)
    pull = k * (np.array([0.5, -0.3]) - sim.q[:2])
    assert pull == pytest.approx(sim.bias_forces(v=np.zeros(len(sim.v)))[:2], abs=0.02 * k * 0.05)
    assert sim.joint("elbow").effort == pytest.approx(pull[1], abs=0.5)


def test_a_released_target_lets_the_arm_fall(method):
    """From rest at its target the arm falls as one that was never held, within a step."""
    sim = made(arm_and_box(box=False), method, 1e-3)
    sim.set_state(q={"shoulder": 0.5})
    for name, goal in (("shoulder", 0.5), ("elbow", 0.0)):
        joint = sim.joint(name)
        joint.stiffness, joint.damping, joint.target_position = 600.0, 150.0, goal
    sim.step(2000)
    free = made(arm_and_box(box=False), method, 1e-3)
    free.set_state(q=sim.q, v=sim.v)
    sim.joint("shoulder").target_position = sim.joint("elbow").target_position = None
    sim.step(100)
    free.step(100)
    assert abs(sim.joint("shoulder").velocity) > 0.5
    assert abs(free.q[0] - sim.q[0]) < 1e-3 * abs(sim.joint("shoulder").velocity)


def test_effort_and_target_velocity_turn_a_ball_joint_at_rest(method):
    """About each axis of the body: I w = tau t; a target velocity is reached."""
    for axis in np.eye(3):
        sim = made(_pendulum_on_a_ball(), method, 1e-3)
        sim.step(2)
        sim.joint("ball").effort = 0.01 * axis
        sim.step(100)
        inertia = 5 * (0.1**2 + 0.1**2) / 12 if axis[2] else 5 * (0.5**2 / 3 + 0.1**2 / 12)
        assert sim.joint("ball").velocity == pytest.approx(0.001 / inertia * axis, rel=0.02)
        sim.joint("ball").effort = 0.0
        sim.joint("ball").target_velocity = 0.5 * axis
        sim.step(200)
        assert sim.joint("ball").velocity == pytest.approx(0.5 * axis, abs=5e-3)


def _pendulum_on_a_ball():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("bob", dt.Box((0.1, 0.1, 0.5)), mass=5, position=(0, 0, -0.25))
    scene.add_joint("ball", dt.Spherical((0, 0, 0)), "ground", "bob")
    scene.add_body("floor", dt.Box((10, 10, 0.2)), motion="static", position=(0, 0, -2.2))
    return scene


@pytest.mark.parametrize("contact", [None, "sdf", "lcp", "ipc"])
def test_very_stiff_damped_targets_stay_stable(contact):
    sim = made(arm_and_box(), (contact, None), 2e-3)
    sim.joint("shoulder").set_target(position=0.2, stiffness=2e4, damping=2e5)
    sim.joint("elbow").set_target(position=0.1, stiffness=2e4, damping=2e5)
    sim.step(200)
    assert np.abs(sim.v[:2]).max() < 0.1


@pytest.mark.parametrize("contact", [None, "lcp", "ipc"])
def test_derived_gains_move_a_joint_that_its_own_damper_brakes(contact):
    """Poles at w = 0.05 / h and w + b / I: after 10 / w what is left is about exp(-10)."""
    scene = dt.Scene()
    scene.add_body("tool", dt.Box((0.04, 0.12, 0.02)), density=1500)
    braked = dt.Actuation(damping=0.5)  # [N m s/rad], 2 I w is 0.02
    scene.add_joint("wrist", dt.Revolute((0, 0, 0), (0, 0, 1), actuation=braked), "ground", "tool")
    sim = made(scene, (contact, None), 1e-3)
    sim.joint("wrist").target_position = 0.5
    sim.step(200)
    assert sim.joint("wrist").position == pytest.approx(0.5, abs=1e-3)


def test_targets_without_gains_get_some_from_the_step_and_inertia():
    sim = made(arm_and_box(), (None, None), 1e-3)
    sim.joint("shoulder").target_position = 0.3
    sim.joint("elbow").target_velocity = 0.0
    sim.step(600)
    assert sim.joint("shoulder").position == pytest.approx(0.3, abs=0.02)
    assert sim.joint("shoulder").stiffness > 0 < sim.joint("elbow").damping
    sim.joint("shoulder").target_position = None
    assert sim.joint("shoulder").target_position is None
    sim.step(100)
    assert sim.joint("shoulder").position < 0.29


def test_push_acts_in_the_next_step_only(method):
    h, force = 1e-3, 40.0
    sim = made(arm_and_box(), method, h)
    mass = sim.scene.bodies["box"].mass
    sim.step()
    before = sim.body("box").velocity[2]
    sim.body("box").push(force=(0, 0, force))
    sim.step()
    pushed = sim.body("box").velocity[2]
    assert pushed - before == pytest.approx(h * (force / mass - 9.81), rel=1e-9)
    sim.step()
    assert sim.body("box").velocity[2] - pushed == pytest.approx(-9.81 * h, rel=1e-9)


def test_push_at_a_point_turns_the_body():
    sim = made(arm_and_box(), (None, None))
    point = sim.body("box").position + np.array([0.1, 0, 0])
    sim.body("box").push(force=(0, 0, 10), point=point)
    sim.step()
    inertia = sim.scene.bodies["box"].inertia[1, 1]
    assert sim.body("box").angular_velocity == pytest.approx(
        (0, -1e-3 * 0.1 * 10 / inertia, 0), rel=1e-3
    )


def test_work_of_a_motor_is_the_energy_gained(method, tmp_path):
    """No part of what is set between steps counts as potential energy."""
    sim = made(arm_and_box(box=False), method, 1e-3)
    sim.joint("shoulder").effort = 40.0
    sim.joint("elbow").set_target(position=0.0, stiffness=300.0, damping=0.0)
    work = 0.0
    with sim.recording(tmp_path / "run.h5") as recording:
        for _ in range(100):
            efforts = [sim.joint(name).effort for name in sim.joint_names]
            before = sim.q[:2]
            sim.step()
            after = [sim.joint(name).effort for name in sim.joint_names]
            work += float((sim.q[:2] - before) @ (np.add(efforts, after) / 2))
    energy = recording.result.energy["total"]
    assert work > 0.4
    first_order = method[0] is not None and method[1] != "RATTLie"
    assert energy[-1] - energy[0] == pytest.approx(work, rel=0.06 if first_order else 0.01)


def test_effort_limit_of_the_scene_cuts_efforts_and_targets():
    scene = dt.Scene()
    scene.add_body("wheel", dt.Cylinder(0.1, 0.02), mass=1.0)
    limited = dt.Actuation(effort_limit=2.0)
    scene.add_joint("axle", dt.Revolute((0, 0, 0), actuation=[limited]), "ground", "wheel")
    inertia = scene.bodies["wheel"].inertia[2, 2]
    for steer in (
        lambda joint: setattr(joint, "effort", 5.0),
        lambda joint: joint.set_target(position=10.0, stiffness=50.0, damping=0.1),
    ):
        sim = dt.Simulation(scene, step=1e-3)
        steer(sim.joint("axle"))
        assert sim.joint("axle").effort == 2.0
        sim.step(10)
        assert sim.joint("axle").velocity == pytest.approx(0.01 * 2.0 / inertia, rel=1e-9)


def test_an_effort_takes_the_place_of_the_scenes_motor():
    scene = dt.Scene()
    scene.add_body("wheel", dt.Cylinder(0.1, 0.02), mass=1.0)
    scene.add_joint(
        "axle", dt.Revolute((0, 0, 0), actuation=[dt.Actuation(motor=lambda t: 1.0)]), "ground",
        "wheel",
    )  # fmt: skip
    inertia = scene.bodies["wheel"].inertia[2, 2]
    sim = dt.Simulation(scene, step=1e-3)
    sim.step(10)
    assert sim.joint("axle").effort == 1.0
    assert sim.joint("axle").velocity == pytest.approx(0.01 / inertia, rel=1e-6)
    sim.joint("axle").effort = -1.0
    sim.step(10)
    assert sim.joint("axle").velocity == pytest.approx(0.0, abs=1e-6)


def test_what_cannot_be_steered_says_why():
    scene = dt.Scene()
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0, position=(0, 0, -0.5))
    scene.add_body("wheel", dt.Sphere(0.1), mass=1.0, position=(1, 0, 0))
    scene.add_joint("socket", dt.Spherical((0, 0, 0)), "ground", "ball")
    turned = dt.Actuation(motor=("velocity", 1.0))
    scene.add_joint("driven", dt.Revolute((1, 0, 0), actuation=[turned]), "ground", "wheel")
    sim = dt.Simulation(scene, step=1e-3)
    with pytest.raises(dt.InputError, match=r"'driven' takes no effort.*prescribes its motion"):
        sim.joint("driven").effort = 1.0
    with pytest.raises(dt.InputError, match="'socket' takes no target position: turns of a ball"):
        sim.joint("socket").target_position = 0.1
    with pytest.raises(dt.InputError, match="`effort` of joint 'socket'"):
        sim.joint("socket").effort = (1.0, "two", 3.0)
    sim.joint("socket").effort = (0.0, 0.0, 0.01)
    sim.step()
    assert sim.joint("socket").velocity[2] > 0


def test_an_effort_too_strong_for_a_joint_at_rest_is_no_fast_spin():
    sim = dt.Simulation(arm_and_box(), step=1e-3, check=False)
    sim.joint("elbow").effort = 1e9
    with pytest.raises(dt.RunError) as caught:
        sim.step()
    assert "though it spins at 0 rad/s only" in str(caught.value)
    assert "efforts or targets are set on joints 'elbow'" in str(caught.value)


def test_a_controller_that_diverges_is_named():
    sim = made(arm_and_box(), (None, None))
    shoulder = sim.joint("shoulder")

    def driven_too_far():
        for _ in range(2000):
            shoulder.effort = 3e5 * shoulder.velocity + 10.0
            sim.step()

    with pytest.raises(dt.RunError, match=r"joints 'shoulder'.*smaller gains or a smaller step"):
        driven_too_far()


def test_a_pushed_torque_acts_in_the_next_step_only(method):
    sim = made(resting_box(gap=1.0), method, 1e-3)
    inertia = sim.model.inertia[1][2, 2]
    sim.body("box").push(torque=(0, 0, 0.1))
    sim.step()
    spin = sim.body("box").angular_velocity[2]
    assert spin == pytest.approx(0.1 * 1e-3 / inertia, rel=0.51)  # second order: half in the step
    sim.step(2)
    later = sim.body("box").angular_velocity[2]
    sim.step(5)
    assert sim.body("box").angular_velocity[2] == pytest.approx(later, rel=1e-6)
    assert later == pytest.approx(0.1 * 1e-3 / inertia, rel=1e-3)


def test_a_constant_motor_of_one_joint_leaves_efforts_of_others_as_they_are():
    scene = dt.Scene()
    for k, motor in enumerate((0.25, None)):
        scene.add_body(f"wheel {k}", dt.Cylinder(0.1, 0.02), mass=1.0, position=(k, 0, 0))
        acts = dt.Actuation(motor=motor)
        scene.add_joint(
            f"axle {k}", dt.Revolute((k, 0, 0), actuation=[acts]), "ground", f"wheel {k}"
        )
    inertia = scene.bodies["wheel 0"].inertia[2, 2]
    sim = dt.Simulation(scene, step=1e-3)
    sim.joint("axle 1").effort = 0.5
    sim.step(10)
    assert sim.joint("axle 0").velocity == pytest.approx(0.01 * 0.25 / inertia, rel=1e-6)
    assert sim.joint("axle 1").velocity == pytest.approx(0.01 * 0.5 / inertia, rel=1e-6)
    sim.joint("axle 0").effort = 0.0
    sim.step(10)
    assert sim.joint("axle 0").velocity == pytest.approx(0.01 * 0.25 / inertia, rel=1e-6)
    assert sim.joint("axle 1").velocity == pytest.approx(0.02 * 0.5 / inertia, rel=1e-6)
