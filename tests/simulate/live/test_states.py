"""States that are set, refused, kept and returned to."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_stepping import made

import dovetail as dt
from live_scenes import arm_and_box, resting_box

TESTS = Path(__file__).parents[2]


def steered(method, steps):
    sim = made(arm_and_box(), method)
    sim.joint("shoulder").effort = 5.0
    sim.joint("elbow").set_target(position=0.3, stiffness=200.0, damping=20.0)
    sim.body("box").push(force=(1, 0, 0))
    sim.step(steps)
    return sim


def test_restored_snapshots_continue_bit_for_bit(method):
    sim = steered(method, 12)
    kept = pickle.dumps(sim.snapshot())
    sim.body("box").push(force=(0, 3, 0))
    sim.step(9)
    first = sim.state.copy()
    sim.restore(pickle.loads(kept))
    assert sim.time == pytest.approx(0.012)
    sim.body("box").push(force=(0, 3, 0))
    sim.step(9)
    for name in ("x", "R", "v", "omega"):
        assert np.array_equal(getattr(sim.state, name), getattr(first, name))


@pytest.mark.parametrize("method", [(None, None), ("ipc", None), ("sdf", None), ("lcp", None)])
def test_snapshots_are_restored_bit_for_bit_in_another_process(method, tmp_path):
    sim = steered(method, 5)
    (tmp_path / "snap").write_bytes(pickle.dumps(sim.snapshot()))
    sim.step(6)
    there = f"""
import pickle, sys
sys.path.insert(0, {str(TESTS)!r})
import numpy as np
import dovetail as dt
from live_scenes import arm_and_box
contact, integrator = {method!r}
sim = dt.Simulation(arm_and_box(), step=1e-3, contact=contact, integrator=integrator, check=False)
sim.restore(pickle.loads(open({str(tmp_path / "snap")!r}, "rb").read()))
sim.step(6)
np.save({str(tmp_path / "x.npy")!r}, sim.state.x)
"""
    subprocess.run([sys.executable, "-c", there], check=True, capture_output=True)
    assert np.array_equal(np.load(tmp_path / "x.npy"), sim.state.x)


def test_snapshots_of_another_scene_are_refused():
    with pytest.raises(dt.InputError, match="of another simulation"):
        made(resting_box(), (None, None)).restore(made(arm_and_box(), (None, None)).snapshot())


def test_reset_returns_to_the_start_and_repeats_it(method):
    sim = steered(method, 8)
    first = sim.state.copy()
    sim.reset()
    assert sim.time == 0.0
    assert sim.joint("shoulder").effort == 0.0
    assert sim.joint("shoulder").position == 0.0
    sim.joint("shoulder").effort = 5.0
    sim.joint("elbow").target_position = 0.3
    sim.body("box").push(force=(1, 0, 0))
    sim.step(8)
    assert np.array_equal(sim.state.x, first.x)


def test_after_a_reset_a_simulation_moves_as_a_new_one(method):
    """Though it was steered, which may be done by another order of the integrator."""
    sim, fresh = steered(method, 8), made(arm_and_box(), method)
    sim.reset()
    assert sim.joint("elbow").stiffness == 200.0
    assert repr(sim.integrator) == repr(fresh.integrator)
    sim.step(6)
    fresh.step(6)
    assert np.array_equal(sim.state.x, fresh.state.x)


def test_efforts_of_before_a_restore_do_not_act_again():
    sim, fresh = (made(arm_and_box(), (None, None)) for _ in range(2))
    start = sim.snapshot()
    sim.joint("shoulder").effort = 5.0
    sim.step(3)
    sim.restore(start)
    for one in (sim, fresh):
        one.joint("elbow").effort = 0.5
        one.step(3)
    assert np.allclose(sim.state.x, fresh.state.x, rtol=0, atol=1e-12)


def test_set_states_are_there_and_move_on_as_from_a_scene_that_starts_so(method):
    """The same motion as a scene whose links start bent by the same angles."""
    sim = made(arm_and_box(), method)
    sim.step(4)
    sim.set_state(q={"shoulder": 0.7, "elbow": 7.0}, v={"shoulder": -1.0, "elbow": 2.0})
    assert sim.joint("elbow").position == pytest.approx(7.0, abs=1e-9)
    assert sim.joint("elbow").velocity == pytest.approx(2.0, abs=1e-9)
    pose = sim.forward_kinematics()["lower"]
    assert sim.body("lower").position == pytest.approx(pose.position, abs=1e-12)
    energy = _energy(sim)
    sim.step(10)
    drift = 3e-2 if method[0] == "ipc" and method[1] is None else 5e-3
    assert _energy(sim) == pytest.approx(energy, abs=drift * abs(energy))
    assert sim.joint("elbow").position == pytest.approx(7.02, abs=5e-3)
    q, v = sim.q, sim.v
    sim.reset((q, v))
    assert sim.time == 0.0
    assert sim.q == pytest.approx(q, abs=1e-9)
    assert sim.v == pytest.approx(v, abs=1e-9)


def _energy(sim):
    """[J] of the two links."""
    state, model = sim.state, sim.model
    total = 0.0
    for i in (0, 1):
        spin = state.omega[i] @ model.inertia[i] @ state.omega[i]
        total += 0.5 * (model.mass[i] * state.v[i] @ state.v[i] + spin)
        total += model.mass[i] * 9.81 * state.x[i, 2]
    return total


def test_loops_are_closed_around_the_joints_given():
    scene = four_bar()
    sim = dt.Simulation(scene, step=1e-3)
    sim.set_state(q={"crank": 0.4})
    assert sim.joint("crank").position == pytest.approx(0.4, abs=1e-9)
    assert sim.observe().constraint_position < 1e-9
    q = sim.q
    with pytest.raises(dt.InputError, match=r"leaves joint '.*' open"):
        sim.set_state(q=q + 0.1)


def four_bar():
    scene = dt.Scene(gravity=(0, -9.81, 0))
    size = (0.05, 0.05, 0.05)
    scene.add_body("a", dt.Box(size), mass=1, position=(0, 0.5, 0))
    scene.add_body("b", dt.Box(size), mass=1, position=(1, 1, 0))
    scene.add_body("c", dt.Box(size), mass=1, position=(2, 0.5, 0))
    for name, point, first, second in (
        ("crank", (0, 0, 0), "ground", "a"), ("left", (0, 1, 0), "a", "b"),
        ("right", (2, 1, 0), "b", "c"), ("rocker", (2, 0, 0), "ground", "c"),
    ):  # fmt: skip
        scene.add_joint(name, dt.Revolute(point, (0, 0, 1)), first, second)
    return scene


@pytest.mark.parametrize("contact", ["ipc", "sdf", "lcp"])
def test_placing_into_another_body_is_refused_by_name(contact):
    sim = made(resting_box(), (contact, None))
    sim.step(3)
    with pytest.raises(dt.InputError, match=r"'box'.*'floor' would intersect|'floor'.*'box' would"):
        sim.body("box").place(position=(0, 0, 0.05))
    sim.body("box").place(position=(0.5, 0, 0.3), rotation=(1, 0, 0, 0), velocity=(1, 0, 0))
    assert sim.body("box").position == pytest.approx((0.5, 0, 0.3))
    assert sim.body("box").velocity == pytest.approx((1, 0, 0))
    sim.step()
    assert sim.body("box").position == pytest.approx((0.501, 0, 0.3), abs=2e-5)


def test_placing_what_joints_hold_is_refused():
    sim = made(arm_and_box(), (None, None))
    with pytest.raises(dt.InputError, match=r"'lower' is held by joint 'elbow'.*set_state"):
        sim.body("lower").place(position=(0, 0, 0))
    with pytest.raises(dt.InputError, match="not dynamic"):
        sim.body("floor").place(position=(0, 0, 0))
    with pytest.raises(dt.InputError, match="must be 9 finite numbers"):
        sim.set_state(q=[0.0])


@pytest.mark.parametrize("contact", ["ipc", "sdf", "lcp"])
def test_set_state_into_the_floor_is_refused(contact):
    scene = arm_and_box()
    sim = made(scene, (contact, None))
    with pytest.raises(dt.InputError, match="would intersect"):
        sim.set_state(q={"box": [0, 0, -2.05, 1, 0, 0, 0]})
    assert sim.body("box").position == pytest.approx((2, 0, -1.8))


@pytest.mark.parametrize(
    "method",
    [(None, None), (None, "JointCoordinates"), ("lcp", None), ("sdf", None), ("ipc", None)],
    ids=str,
)
def test_a_steered_loop_moves_the_same_under_every_method(method):
    """Effort on two joints of a four-bar, then a target: as another scheme at a quarter step."""
    found = []
    for scheme, parts in ((method, 1), ((None, "LieGeneralizedAlpha"), 4)):
        sim = made(four_bar(), scheme, 1e-3 / parts)
        sim.joint("crank").effort, sim.joint("right").effort = 6.0, -1.0
        sim.step(100 * parts)
        sim.joint("rocker").set_target(position=0.2, stiffness=200.0, damping=20.0)
        sim.step(200 * parts)
        found.append(sim.q)
        assert sim.observe().constraint_position < 1e-9
    assert abs(found[1]).min() > 0.2
    assert found[0] == pytest.approx(found[1], abs=1.5e-3)


def test_a_push_does_not_outlive_a_reset_or_a_restore():
    scene = dt.Scene(gravity=(0, 0, 0))
    scene.add_body("rod", dt.Box((1, 0.05, 0.05)), mass=2.0, position=(0.5, 0, 1))
    scene.add_joint("hinge", dt.Revolute((0, 0, 1), (0, 1, 0)), "ground", "rod")
    scene.add_body("ball", dt.Sphere(0.1), mass=1.0, position=(3, 0, 5))
    sim = dt.Simulation(scene, step=1e-3)
    ball, start = sim.body("ball"), sim.snapshot()
    for back in (sim.reset, lambda: sim.restore(start)):
        ball.push(force=(1, 0, 0))
        sim.step()
        back()
        sim.step(10)
        assert abs(ball.velocity[0]) < 1e-12
    ball.push(force=(1, 0, 0))
    pushed = sim.snapshot()
    for _ in range(2):
        sim.step(3)
        assert ball.velocity[0] == pytest.approx(1e-3, abs=1e-12)
        sim.restore(pushed)


def test_a_misspelt_attribute_of_a_handle_is_refused():
    scene = dt.Scene()
    scene.add_body("rod", dt.Box((1, 0.05, 0.05)), mass=2.0, position=(0.5, 0, 1))
    scene.add_joint("hinge", dt.Revolute((0, 0, 1), (0, 1, 0)), "ground", "rod")
    sim = dt.Simulation(scene, step=1e-3)
    with pytest.raises(AttributeError, match="did you mean 'effort'"):
        sim.joint("hinge").efort = 3.0
    with pytest.raises(AttributeError, match="BodyHandle has no 'velocity_x'"):
        sim.body("rod").velocity_x = 3.0


def test_a_restored_simulation_keeps_its_state_when_it_is_steered_first(method):
    """The first effort makes another stepper, which must begin where the snapshot is."""
    sim = made(arm_and_box(box=False), method, 1e-3)
    sim.set_state(q={"shoulder": 0.4})
    sim.step(20)
    saved, q, t = sim.snapshot(), sim.q, sim.time
    other = made(arm_and_box(box=False), method, 1e-3)
    other.restore(saved)
    other.joint("elbow").effort = 0.5
    assert other.time == t
    assert other.q == pytest.approx(q, abs=1e-12)
    other.step()
    assert abs(other.q[0] - q[0]) < 1e-2


def test_a_state_that_is_refused_leaves_the_simulation_as_it_was():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("rod", dt.Box((1, 0.05, 0.05)), mass=2.0, position=(0.5, 0, 1))
    held = dt.Revolute((0, 0, 1), (0, 1, 0), actuation=[dt.Actuation(lower=-2.0, upper=2.0)])
    scene.add_joint("hinge", held, "ground", "rod")
    sim, other = (dt.Simulation(scene, step=1e-2, integrator="DH") for _ in range(2))
    for one in (sim, other):
        one.step(3)
    with pytest.raises(dt.InputError, match="its limits must hold"):
        sim.set_state(q={"hinge": 2.5}, v={"hinge": -4.0})
    for one in (sim, other):
        assert one.time == 0.03
        one.step(2)
    assert np.array_equal(sim.q, other.q) and np.array_equal(sim.v, other.v)
