"""Joints of a result: what they do follows from what was recorded."""

import numpy as np
import pytest

import dovetail as dt
from live_scenes import METHODS, arm_and_box


def driven_arm(contact, integrator, tmp_path, step=1e-3):
    sim = dt.Simulation(
        arm_and_box(box=False), step=step, contact=contact, integrator=integrator, check=False
    )
    q, v = [sim.q], [sim.v]
    sim.joint("shoulder").effort, sim.joint("elbow").effort = 60.0, -5.0
    with sim.recording(tmp_path / "run.h5"):
        for _ in range(60):
            sim.step()
            q.append(sim.q)
            v.append(sim.v)
    return dt.load(tmp_path / "run.h5"), np.array(q), np.array(v)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_joint_histories_are_what_the_simulation_showed(method, tmp_path):
    result, q, v = driven_arm(*method, tmp_path)
    for k, name in enumerate(("shoulder", "elbow")):
        joint = result.joint(name)
        assert joint.position == pytest.approx(q[:, k], abs=1e-12)
        assert joint.velocity == pytest.approx(v[:, k], abs=1e-12)


@pytest.mark.parametrize(
    "method", [one for one in METHODS if one[1] != "JointCoordinates"], ids=str
)
def test_effort_and_power_are_those_of_the_motor(method, tmp_path):
    result, _, v = driven_arm(*method, tmp_path)
    for name, k, effort in (("shoulder", 0, 60.0), ("elbow", 1, -5.0)):
        joint = result.joint(name)
        assert joint.effort[1:] == pytest.approx(effort, abs=1e-6)
        assert joint.power[1:] == pytest.approx(effort * v[1:, k], abs=1e-5)
        assert joint.reaction.force.shape == (61, 3)


def test_net_wrench_of_a_body_is_what_accelerates_it(tmp_path):
    """Joints and contacts together: m (a - g)."""
    result, _, _ = driven_arm(None, None, tmp_path)
    net, mass = result.body("upper").wrench, result.scene.bodies["upper"].mass
    a = np.gradient(result.velocity("upper"), result.time, axis=0)[5:-5]
    assert net.force[5:-5] == pytest.approx(mass * (a - result.scene.gravity), abs=0.02)
    spin = np.gradient(result.angular_velocity("upper"), result.time, axis=0)[5:-5, 1]
    inertia = result.scene.bodies["upper"].inertia[1, 1]
    assert net.torque[5:-5, 1] == pytest.approx(inertia * spin, abs=0.02)


def test_joints_of_several_coordinates_have_a_column_each():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body(
        "bar", dt.Box((0.1, 0.1, 0.4)), mass=1.0, velocity=(0, 0, 1), angular_velocity=(0, 0, 3)
    )
    scene.add_joint("sleeve", dt.Cylindrical((0, 0, 0), (0, 0, 1)), "ground", "bar")
    result = dt.simulate(scene, 0.1, 1e-3, progress=False, check=False)
    sleeve = result.joint("sleeve")
    assert sleeve.position.shape == sleeve.effort.shape == (101, 2)
    turned, moved = sleeve.position[-1, 0], sleeve.position[-1, 1]
    if abs(turned) < abs(moved) or turned < 0.2:
        turned, moved = moved, turned
    assert turned == pytest.approx(0.3, abs=1e-9)
    assert moved == pytest.approx(0.1 - 9.81 * 0.005, abs=1e-9)
    assert sleeve.effort == pytest.approx(0.0, abs=1e-9)


def test_tables_of_other_packages_have_the_same_numbers(tmp_path):
    result, _, _ = driven_arm("lcp", None, tmp_path)
    table = result.to_pandas()
    assert table.index.name == "time"
    assert np.array_equal(table["upper.position.z"], result.position("upper")[:, 2])
    assert np.array_equal(table["elbow.position"], result.joint("elbow").position)
    data = result.to_xarray()
    assert np.array_equal(data.velocity.sel(body="lower", axis="x"), result.velocity("lower")[:, 0])
    assert np.array_equal(data.joint_velocity.sel(joint="elbow"), result.joint("elbow").velocity)


def test_unknown_joints_and_bodies_are_refused_when_asked_for(tmp_path):
    result, _, _ = driven_arm(None, None, tmp_path)
    with pytest.raises(dt.InputError, match=r"no joint 'elbo'.*did you mean 'elbow'"):
        result.joint("elbo")
    with pytest.raises(dt.InputError, match="'lowe'"):
        result.body("lowe")


@pytest.mark.parametrize("bodies", [("ground", "rod"), ("rod", "ground")])
def test_a_reaction_acts_at_the_joints_point_on_its_second_body(bodies):
    """A rod on a pin: the force carries weight and centripetal force, where the pin is."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    pin, mass, spin = np.array([0.3, 0.1, 2.0]), 2.0, 3.0
    scene.add_body(
        "rod", dt.Box((0.1, 0.1, 1.0)), mass=mass, position=pin - (0, 0, 0.5),
        velocity=(-0.5 * spin, 0, 0), angular_velocity=(0, spin, 0),
    )  # fmt: skip
    scene.add_joint("pin", dt.Revolute(pin, (0, 1, 0)), *bodies)
    result = dt.simulate(scene, 0.05, 1e-3, integrator="RATTLie", progress=False, check=False)
    reaction = result.joint("pin").reaction
    assert reaction.point == pytest.approx(np.tile(pin, (len(result.time), 1)), abs=1e-6)
    lift = mass * (9.81 + 0.5 * spin**2) * (1 if bodies[1] == "rod" else -1)
    assert reaction.force[1, 2] == pytest.approx(lift, rel=1e-3)
