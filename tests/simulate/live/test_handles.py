"""What a simulation and its handles tell, and what they refuse: names, texts, states, records."""

import numpy as np
import pytest
from test_stepping import made

import dovetail as dt
from known_runs import Chaotic, falling_scene, two_bodies
from live_scenes import arm_and_box

PLAIN = (None, None)


def weightless_wheels(**actuation):
    """Two wheels on axles of their own; what drives the first is given."""
    scene = dt.Scene(gravity=(0, 0, 0))
    for k, name in enumerate(("driven", "idle")):
        scene.add_body(f"{name} wheel", mass=1.0, inertia=(2, 2, 4), position=(k, 0, 0))
        entries = [dt.Actuation(**actuation)] if actuation and name == "driven" else ()
        axle = dt.Revolute((k, 0, 0), (0, 0, 1), actuation=entries)
        scene.add_joint(name, axle, "ground", f"{name} wheel")
    return scene


def test_handles_and_snapshots_are_written_with_their_place_and_time():
    sim = made(arm_and_box(), PLAIN)
    sim.set_state(v={"elbow": -1.5})
    assert repr(sim.joint("elbow")) == "<joint 'elbow': position 0.0, velocity -1.5>"
    assert repr(sim.body("box")) == "<body 'box' at [ 2.   0.  -1.8]>"
    assert sim.body_names == ("upper", "lower", "box", "floor")
    sim.step(2)
    assert repr(sim.snapshot()) == "<state of a simulation at t = 0.002 s>"


@pytest.mark.parametrize("name", ["q", "v"])
def test_coordinates_are_set_with_a_state_not_as_an_attribute(name):
    sim = made(arm_and_box(), PLAIN)
    before = getattr(sim, name)
    with pytest.raises(dt.InputError, match=rf"`{name}` of a simulation is set by set_state"):
        setattr(sim, name, before + 1.0)
    assert np.array_equal(getattr(sim, name), before)


def test_efforts_are_read_as_they_were_set_and_none_acts_on_a_free_body():
    sim = made(arm_and_box(), PLAIN)
    assert not sim.efforts.any() and sim.efforts.shape == sim.v.shape
    sim.efforts = np.arange(1.0, len(sim.v) + 1)
    assert sim.efforts[:2].tolist() == [1.0, 2.0]
    assert not sim.efforts[2:].any()  # of the box


@pytest.mark.parametrize("way", ["all at once", "alone", "alone, known from before a reset"])
def test_an_effort_stands_in_for_a_motor_that_grows_with_time(way):
    """I w' = tau, with the motor or without it: 4 kg m^2 at 8 N m gain 2 rad/s^2."""
    sim = dt.Simulation(weightless_wheels(motor=lambda t: 40.0 + t), step=1e-3)
    driven = sim.joint("driven")
    if way == "alone, known from before a reset":
        driven.effort = 1.0
        sim.reset()
    sim.joint("idle").effort = 0.5
    sim.step(10)
    assert driven.effort == pytest.approx(40.01, abs=1e-12)  # the motor still acts
    assert sim.efforts.tolist() == pytest.approx([40.01, 0.5], abs=1e-12)
    speed = driven.velocity
    assert speed == pytest.approx((40.0 * 0.01 + 0.01**2 / 2) / 4.0, rel=1e-9)
    saved = sim.snapshot()
    if way == "all at once":
        sim.efforts = (8.0, 0.5)
    else:
        driven.effort = 8.0
    assert driven.effort == 8.0
    sim.step(10)
    assert driven.velocity - speed == pytest.approx(8.0 * 0.01 / 4.0, rel=1e-9)
    sim.restore(saved)
    assert driven.effort == pytest.approx(40.01, abs=1e-12)  # on again, as it was kept


@pytest.mark.parametrize("way", ["all at once", "alone"])
def test_an_effort_beyond_the_limit_acts_as_the_limit(way):
    sim = dt.Simulation(weightless_wheels(effort_limit=3.0), step=1e-3)
    for effort, acts in ((2.0, 2.0), (-50.0, -3.0), (50.0, 3.0)):
        if way == "all at once":
            sim.efforts = (effort, 0.0)
        else:
            sim.joint("driven").effort = effort
        before = sim.joint("driven").velocity
        sim.step()
        assert sim.joint("driven").velocity - before == pytest.approx(acts * 1e-3 / 4, rel=1e-9)
        assert sim.joint("driven").effort == acts


def test_only_joints_that_move_by_forces_can_be_steered():
    scene = weightless_wheels(lower=0.0, upper=0.0)
    scene.add_body("plate", mass=1.0, inertia=(1, 1, 1), position=(0, 3, 0))
    scene.add_joint("weld", dt.Fixed((0, 3, 0)), "ground", "plate")
    sim = dt.Simulation(scene, step=1e-3)
    steered = {name: sim.joint(name).can_be_steered for name in sim.joint_names}
    assert steered == {"driven": False, "idle": True, "weld": False}
    with pytest.raises(dt.InputError, match=r"'driven' takes no effort .*: its limits hold"):
        sim.joint("driven").effort = 1.0
    with pytest.raises(dt.InputError, match=r"'weld' takes no effort .*: a fixed joint moves"):
        sim.joint("weld").effort = 1.0


def test_only_dynamic_bodies_are_pushed_and_a_spin_is_given_in_world_axes():
    sim = made(arm_and_box(), PLAIN)
    with pytest.raises(dt.InputError, match="body 'floor' is not dynamic: forces do not move it"):
        sim.body("floor").push(force=(0, 0, 1))
    turn = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    sim.body("box").place(rotation=turn, angular_velocity=(3, 0, 0))
    assert sim.body("box").angular_velocity == pytest.approx([3, 0, 0], abs=1e-15)
    assert sim.state.omega[2] == pytest.approx([0, -3, 0], abs=1e-15)


def test_an_integrator_that_takes_no_forces_and_no_states_says_so():
    sim = dt.Simulation(two_bodies(), 0.1, integrator=Chaotic(), check=False)
    with pytest.raises(dt.InputError, match=r"Chaotic cannot be given a state: .*set_state"):
        sim.body("hammer").place(position=(0, 0, 9))
    sim.step(3)
    end = sim.body("hammer").position
    sim.reset()
    assert sim.time == 0.0 and sim.body("hammer").position.tolist() == [0.3, 0.2, 0.4]
    sim.step(3)
    assert np.array_equal(sim.body("hammer").position, end)
    sim.body("hammer").push(force=(0, 0, 1))
    with pytest.raises(dt.RunError, match=r"Chaotic takes no forces between steps: .*set_inputs"):
        sim.step()


def test_a_reset_to_a_snapshot_is_its_restoration():
    sim = made(arm_and_box(box=False), PLAIN)
    sim.step(3)
    saved, q = sim.snapshot(), sim.q
    sim.step(2)
    sim.reset(saved)
    assert sim.time == 0.003 and np.array_equal(sim.q, q)
    with pytest.raises(dt.InputError, match="`restore` takes what `snapshot` gave, got 'x'"):
        sim.restore("x")


def test_quaternions_of_a_state_are_unit_ones():
    sim = made(arm_and_box(), PLAIN)
    q = sim.q
    q[-4:] *= 1.25
    with pytest.raises(dt.InputError, match=r"`q` of 'box' must have a unit quat.* is 1\.25"):
        sim.set_state(q=q)


@pytest.mark.parametrize("size", [1, 3])
def test_coordinates_for_a_matrix_are_as_many_as_there_are(size):
    sim = made(arm_and_box(box=False), PLAIN)
    with pytest.raises(dt.InputError, match="`q` must be 2 finite numbers"):
        sim.mass_matrix([0.1] * size)


def test_a_recording_in_memory_has_every_second_step():
    sim = dt.Simulation(falling_scene(), 0.1)
    with sim.recording(None, every=2) as recording:
        sim.step(4)
    result = recording.result
    assert result.time == pytest.approx([0.0, 0.2, 0.4])
    fallen = 5.0 - 9.81 * result.time**2 / 2
    assert result.position("stone")[:, 2] == pytest.approx(fallen, abs=1e-12)
    assert result.scene.bodies["stone"].mass == 2.0
    for every in (0, True, 1.5):
        with pytest.raises(dt.InputError, match="`every` must be a whole number of steps >= 1"):
            sim.recording(None, every=every)


def test_a_cleared_record_of_sensors_begins_again():
    sim = dt.Simulation(falling_scene(), 0.1)
    record = sim.sense(height=lambda s: s.body("stone").position[2])
    sim.step(3)
    record.clear()
    assert len(record) == 0 and record.latest == {} and len(record["height"]) == 0
    sim.step()
    assert record.time.tolist() == pytest.approx([0.4]) and len(record["height"]) == 1


def test_steered_runs_of_limited_motors_are_those_of_one_simulation():
    """Limits are cut off between steps, so that runs are stepped one by one."""
    scene, efforts = weightless_wheels(effort_limit=3.0), np.zeros((1, 3, 2))
    efforts[0] = [(2.0, 1.0), (9.0, -1.0), (-9.0, 0.0)]
    runs = dt.rollout(scene, [None], 3, 1e-3, efforts=efforts)
    kicks = np.array([(2.0, 1.0), (3.0, -1.0), (-3.0, 0.0)]) * 1e-3 / 4.0
    assert runs.v[0, 1:] == pytest.approx(np.cumsum(kicks, axis=0), rel=1e-9, abs=1e-15)


def test_a_simulation_that_made_many_steps_at_once_is_steered_on_from_where_it_is():
    sim, one_by_one = (dt.Simulation(weightless_wheels(), step=1e-3) for _ in range(2))
    for one in (sim, one_by_one):
        one.set_state(v={"driven": 2.0})
        one.reset(one.snapshot())
    motion, failure = sim.steps_ahead(5, 1, None)
    one_by_one.step(5)
    assert failure is None and motion[0].shape == (5, 2, 3)
    q, v = sim.meter.history(1e-3 * np.arange(1, 6), *motion)
    assert np.array_equal(q[-1], one_by_one.q) and np.array_equal(v[-1], one_by_one.v)
    assert sim.time == one_by_one.time
    for one in (sim, one_by_one):
        one.joint("driven").effort = 8.0
        one.step()
    assert sim.joint("driven").velocity == one_by_one.joint("driven").velocity
    assert sim.joint("driven").velocity == pytest.approx(2.002, rel=1e-9)


def test_a_motor_that_prescribes_a_motion_has_no_effort_to_read_but_a_wrench():
    """The motor holds the weight of an arm."""
    scene = dt.Scene(gravity=(0, 0, -10.0))
    scene.add_body("arm", dt.Box((1, 0.1, 0.1)), mass=2, position=(0.5, 0, 0))
    held = dt.Actuation(motor=("velocity", 0.0))
    scene.add_joint("hinge", dt.Revolute((0, 0, 0), (0, 1, 0), actuation=held), "ground", "arm")
    sim = dt.Simulation(scene, step=1e-3)
    sim.step(5)
    assert np.isnan(sim.joint("hinge").effort)
    assert sim.joint("hinge").wrench.torque[1] == pytest.approx(-10.0, rel=1e-9)  # m g l / 2
