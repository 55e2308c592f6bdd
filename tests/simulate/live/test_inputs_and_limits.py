"""What a simulation hands to its stepper, when, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest

import dovetail as dt
from dovetail.simulate.live.controls import Controls, Servo
from dovetail.simulate.live.measured import _finite
from dovetail.simulate.live.steered_model import _without_servo
from dovetail.simulate.scene_argument import RunChoices, found_scene
from live_scenes import arm_and_box


def counted(sim):
    """The inputs that the stepper is given, from now on."""
    given, really = [], sim.stepper.set_inputs

    def count(inputs, **options):
        given.append(inputs)
        return really(inputs, **options)

    sim.stepper.set_inputs = count
    return given


def test_inputs_are_handed_over_once_and_pushes_taken_back_after_their_step():
    sim = dt.Simulation(arm_and_box(), step=1e-3, check=False)
    given = counted(sim)
    sim.step(3)
    assert given == []
    sim.body("box").push(force=(3, 0, 0))
    sim.step(4)
    assert len(given) == 2  # the push, and that there is none any more
    assert sim.body("box").velocity[0] == pytest.approx(3 * 1e-3 / sim.model.mass[2], rel=1e-9)


def test_an_effort_set_as_a_float_or_as_another_number_acts_the_same():
    motions = []
    for values in ((1.0, 2.0), (1, 2), (np.float64(1.0), np.float32(2.0))):
        sim = dt.Simulation(arm_and_box(), step=1e-3, check=False)
        elbow = sim.joint("elbow")
        for value in values:
            elbow.effort = value
            assert elbow.effort == value
            sim.step(2)
        motions.append(sim.state.x.copy())
    assert np.array_equal(motions[0], motions[1]) and np.array_equal(motions[0], motions[2])


@pytest.mark.parametrize("value", [np.nan, np.inf, "1", None, (1.0, 2.0)])
def test_an_effort_that_is_no_finite_number_is_refused_before_and_after_one_was_set(value):
    sim = dt.Simulation(arm_and_box(), step=1e-3, check=False)
    for _ in range(2):
        with pytest.raises(dt.InputError, match="'elbow'"):
            sim.joint("elbow").effort = value
        sim.joint("elbow").effort = 1.5
    assert sim.joint("elbow").effort == 1.5


def test_a_simulation_is_steered_from_the_first_input_of_a_joint_on():
    sim = dt.Simulation(arm_and_box(), step=1e-3, check=False)
    sim.body("box").push(force=(1, 0, 0))
    assert sim.steered is False
    sim.joint("elbow").effort = 0.0
    assert sim.steered is True


def served():
    """Controls of a coordinate that a controller of the scene serves, and of one that has none."""
    controls = Controls(1)
    for k, servo in enumerate((Servo(0.5, np.nan, 10.0, 2.0), Servo())):
        controls.add((k, 0), None, 7.0 if k else None, True)
        controls.servos.append(servo)
    controls.finish()
    return controls


@pytest.mark.parametrize(
    ("values", "serves"),
    [({"stiffness": 3.0}, True), ({"damping": 1.0, "stiffness": 3.0}, True),
     ({"effort": 1.0}, False), ({"target": 0.1}, False), ({"speed": 0.1, "damping": 1.0}, False)],
)  # fmt: skip
def test_gains_leave_a_controller_of_the_scene_on_and_all_else_takes_its_place(values, serves):
    controls = served()
    assert controls.serving.tolist() == [True, False]
    controls.set(0, **values)
    assert controls.serving[0] == serves
    expected = 0.5 if serves else values.get("target", np.nan)
    np.testing.assert_equal(controls.target[0], expected)
    for name, value in values.items():
        assert getattr(controls, name)[0] == value


def test_only_coordinates_in_use_may_saturate():
    controls = served()
    assert controls.has_limits and not controls.may_saturate
    for name in ("effort", "target", "speed"):
        controls.clear()
        controls.set(0, **{name: 1.0})
        assert not controls.may_saturate
        controls.set(1, **{name: 1.0})
        assert controls.may_saturate
    controls.clear()
    controls.set_effort(1, 9.0)
    assert controls.may_saturate
    np.testing.assert_array_equal(controls.acting(np.zeros(2), np.zeros(2), 0.0), [5.0, 7.0])
    np.testing.assert_array_equal(controls.inputs(0.0).effort, [0.0, 7.0])


def test_restored_controls_act_as_those_that_were_kept():
    controls, other = served(), served()
    controls.set(0, speed=0.3, damping=4.0)
    controls.set_effort(1, -9.0)
    controls.force[...], controls.torque[...] = 1.0, 2.0
    other.restore(controls.snapshot())
    q, v = np.array([0.2, 0.4]), np.array([-0.1, 0.3])
    expected = [4.0 * (0.3 + 0.1), -7.0]
    for one in (controls, other):
        np.testing.assert_allclose(one.acting(q, v, 0.0), expected, rtol=1e-14)
        assert one.serving.tolist() == [False, False] and one.may_saturate
    for mine, theirs in zip(other.inputs(0.0), controls.inputs(0.0)):
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs))


def test_targets_and_gains_set_in_one_call_are_those_set_one_by_one():
    sim = dt.Simulation(arm_and_box(), step=1e-3, check=False)
    elbow = sim.joint("elbow")
    elbow.set_target(position=0.3, velocity=0.2, stiffness=50.0, damping=4.0)
    assert (elbow.target_position, elbow.target_velocity) == (0.3, 0.2)
    assert (elbow.stiffness, elbow.damping) == (50.0, 4.0)
    assert elbow.effort == pytest.approx(50.0 * 0.3 + 4.0 * 0.2, rel=1e-12)
    elbow.set_target(velocity=-0.1)
    assert (elbow.target_position, elbow.target_velocity) == (0.3, -0.1)


def test_a_simulation_needs_bodies_a_scene_and_a_step():
    with pytest.raises(dt.InputError, match="the scene must have at least one body"):
        dt.Simulation(dt.Scene(), step=1e-3)
    with pytest.raises(dt.InputError, match=r"`scene` must be a dt.Scene, got 7"):
        dt.Simulation(7, step=1e-3)
    with pytest.raises(dt.InputError) as caught:
        dt.Simulation(dt.Scene(), step=-1.0)
    assert len(caught.value.mistakes) == 2
    wrong = arm_and_box()
    wrong.add_material_pair("nothing", "box", friction=0.1)
    with pytest.raises(dt.InputError, match="no body is named 'nothing'"):
        dt.Simulation(wrong, step=1e-3)


@pytest.mark.parametrize(
    ("values", "finite"),
    [((1.0, 2.0), True), ((1e200, 1.0), True), ((np.inf, 1.0), False), ((np.nan, 1.0), False)],
)
def test_numbers_are_finite_though_their_squares_overflow(values, finite):
    with np.errstate(over="ignore"):
        assert _finite(np.array(values)) is finite


@pytest.mark.parametrize("servo", [(40.0, 3.0), (40.0, 0.0), (0.0, 3.0)])
def test_a_controller_and_the_springs_beside_it_pull_apart_as_they_do_together(servo):
    """K (rest - q) - D v is the passive part and the controller's, at any q and v."""
    k, d = servo
    target = 0.7
    whole = dt.Actuation(stiffness=k + 10.0, damping=d + 2.0)
    rest = (10.0 * 0.2 + k * target) / (k + 10.0)
    entry = replace(whole, rest=rest, servo_stiffness=k, servo_damping=d, servo_target=target)
    passive, found = _without_servo(entry)
    assert (passive.stiffness, passive.damping) == (10.0, 2.0)
    assert passive.rest == pytest.approx(0.2 if k else rest, rel=1e-14)
    assert (passive.servo_stiffness, passive.servo_damping, passive.servo_target) == (0, 0, 0)
    assert (found.stiffness, found.damping) == (k, d)
    place, speed = (target, np.nan) if k else (np.nan, target)
    np.testing.assert_equal((found.target, found.speed), (place, speed))


def test_what_has_no_ending_and_is_no_file_may_be_an_example(tmp_path):
    choices = RunChoices(step=0.1)
    with pytest.raises(dt.InputError, match=r"dt.examples.get\('bolt'\)"):
        found_scene("bolt", choices, "Simulation()", ("step",))
    with pytest.raises(dt.InputError) as caught:
        found_scene(tmp_path / "bolt.yaml", choices, "Simulation()", ("step",))
    assert "dt.examples.get" not in str(caught.value)
    (tmp_path / "bolt").write_text("version: 1\n")
    scene, _ = found_scene(tmp_path / "bolt", choices, "Simulation()", ("step",))
    assert not scene.bodies


def test_a_point_given_for_a_jacobian_is_carried_along_to_other_coordinates():
    """v of a point of the body at q is J(q) v, by differences of where that point is."""
    sim = dt.Simulation(arm_and_box(), step=1e-3, check=False)
    point = np.array([0.03, 0.0, -1.7])
    lower = sim.forward_kinematics()["lower"]
    arm = lower.rotation.T @ (point - lower.position)
    q = sim.q.copy()
    q[sim.q_index("shoulder")], q[sim.q_index("elbow")] = 0.4, -0.9
    for name in ("shoulder", "elbow"):
        column, e = sim.v_index(name), np.zeros(len(q))
        e[sim.q_index(name)] = 1e-6

        def place(shift, e=e):
            pose = sim.forward_kinematics(q + shift * e)["lower"]
            return pose.position + pose.rotation @ arm

        by_differences = (place(1) - place(-1)) / 2e-6
        found = sim.jacobian("lower", point, q)[:3, column]
        np.testing.assert_allclose(found, by_differences, rtol=1e-8, atol=1e-9)
    np.testing.assert_array_equal(sim.jacobian("lower", point), sim.jacobian("lower", point, sim.q))


@pytest.mark.parametrize("motor", [5.0, lambda t: 5.0], ids=["constant", "function"])
def test_a_target_takes_the_place_of_the_scenes_motor(motor):
    """A wheel at rest that shall be at rest stays so, as its motor would not let it."""
    scene = dt.Scene()
    scene.add_body("wheel", dt.Cylinder(0.1, 0.02), mass=2.0)
    hinge = dt.Revolute((0, 0, 0), (0, 0, 1), actuation=[dt.Actuation(motor=motor)])
    scene.add_joint("axle", hinge, "ground", "wheel")
    sim = dt.Simulation(scene, step=1e-3)
    sim.joint("axle").set_target(velocity=0.0, damping=3.0)
    sim.step(3)
    assert sim.joint("axle").velocity == pytest.approx(0.0, abs=1e-12)


def test_steps_taken_at_once_end_before_the_first_velocity_that_is_no_number():
    sim = dt.Simulation(arm_and_box(), step=0.01, check=False)
    really = sim.stepper.steered_steps

    def broken(*of):
        motion, done, failure = really(*of)
        motion[3][2] = np.nan
        return motion, done, failure

    sim.stepper.steered_steps = broken
    motion, failure = sim.steps_ahead(8, 2, None)
    assert [len(array) for array in motion] == [2, 2, 2, 2]
    assert str(failure) == "at t = 0.06 s: a velocity is no finite number" or failure.time == 0.06


def test_a_target_of_several_coordinates_pulls_at_each_by_its_own_distance():
    """k (target - q) - c v along and about the axis of a sleeve, whose hinge comes after others."""
    scene = arm_and_box()
    scene.add_body("sleeve", mass=1.0, inertia=(1, 1, 1), position=(0, 5, 0))
    scene.add_joint("guide", dt.Cylindrical((0, 5, 0), (0, 0, 1)), "ground", "sleeve")
    sim = dt.Simulation(scene, step=1e-3, check=False)
    sim.set_state(q={"guide": (0.2, 0.7), "elbow": 0.4}, v={"guide": (0.1, -0.4), "elbow": 0.3})
    sim.joint("guide").set_target(position=(0.3, 0.5), stiffness=(10.0, 20.0), damping=(2.0, 3.0))
    expected = (10.0 * 0.1 - 2.0 * 0.1, 20.0 * -0.2 + 3.0 * 0.4)
    assert sim.joint("guide").effort == pytest.approx(expected, rel=1e-12)
    assert sim.joint("elbow").effort == 0.0
