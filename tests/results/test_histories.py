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


def test_a_history_says_what_it_is_and_gives_what_the_result_has(tmp_path):
    result, _, _ = driven_arm(None, None, tmp_path)
    assert repr(result.joint("elbow")) == "<joint 'elbow' over 61 frames>"
    body = result.body("upper")
    assert repr(body) == "<body 'upper' over 61 frames>"
    for what in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(body, what), getattr(result, what)("upper"))


def test_a_joint_without_freedoms_has_no_efforts():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("shelf", dt.Box((0.1, 0.1, 0.4)), mass=1.0)
    scene.add_joint("screws", dt.Fixed((0, 0, 0)), "ground", "shelf")
    joint = dt.simulate(scene, 0.03, 0.01, progress=False, check=False).joint("screws")
    assert joint.effort.shape == joint.position.shape == (4, 0)
    assert joint.power.tolist() == [0.0] * 4
    np.testing.assert_allclose(joint.reaction.force, [(0, 0, 9.81)] * 4, atol=1e-9)


def test_every_column_of_the_tables_is_the_history_of_its_name(tmp_path):
    """A ball that spins and touches the floor beside an arm with a ball joint at its end."""
    scene = arm_and_box()
    scene.add_body("bob", dt.Box((0.1, 0.2, 0.3)), mass=0.7, position=(0, 0, -2.0))
    scene.add_joint("socket", dt.Spherical((0, 0, -1.9)), "lower", "bob")
    scene.add_body(
        "ball", dt.Sphere(0.1), mass=1.0, position=(3, 0, -2.0), angular_velocity=(1, 2, 3)
    )
    result = dt.simulate(scene, 0.02, 1e-3, contact="lcp", progress=False, check=False)
    assert np.any(result.body("ball").contact_force)
    vectors = {
        "position": "m", "velocity": "m/s", "angular_velocity": "rad/s", "contact_force": "N",
        "contact_torque": "N m",
    }  # fmt: skip
    frame, data = result.to_pandas(), result.to_xarray()
    assert set(data.attrs) == set() and list(data.joint.values) == ["shoulder", "elbow"]
    expected = {"min_distance": result.min_distance}
    for name in result.names:
        body = result.body(name)
        assert np.array_equal(data.rotation.sel(body=name), body.rotation)
        for what, unit in vectors.items():
            assert data[what].units == unit
            assert np.array_equal(data[what].sel(body=name), getattr(body, what))
            expected |= {
                f"{name}.{what}.{axis}": getattr(body, what)[:, k] for k, axis in enumerate("xyz")
            }
    for name in ("shoulder", "elbow", "socket"):
        joint = result.joint(name)
        for what in ("position", "velocity", "effort", "power"):
            values = getattr(joint, what)
            if values.ndim == 1:
                expected[f"{name}.{what}"] = values
            else:
                expected |= {f"{name}.{what}.{k + 1}": one for k, one in enumerate(values.T)}
            if name != "socket":
                assert np.array_equal(data[f"joint_{what}"].sel(joint=name), values)
    for name, values in result.energy.items():
        expected[f"energy.{name}"] = values
        assert data[f"{name}_energy"].units == "J"
        assert np.array_equal(data[f"{name}_energy"], values)
    assert np.array_equal(data.min_distance, result.min_distance)
    assert data.min_distance.units == "m"
    assert set(frame.columns) == set(expected) and np.array_equal(frame.index, result.time)
    for name, values in expected.items():
        assert np.array_equal(frame[name], values, equal_nan=True), name


def test_joints_of_bodies_that_were_only_roughly_in_place_are_measured_where_they_were_closed():
    """A rod whose end lies 2 cm beside its hinge, turned 0.1 rad too far about the axis of it."""
    found = []
    for offset, angle in ((0.0, 0.0), (0.02, 0.1)):
        scene = dt.Scene(gravity=(0, 0, -9.81))
        c, s = np.cos(angle), np.sin(angle)
        scene.add_body(
            "rod", dt.Box((0.1, 0.1, 1)), mass=2.0, position=(0.5 * s + offset, 0, -0.5 * c),
            rotation=[[c, 0, -s], [0, 1, 0], [s, 0, c]],
        )  # fmt: skip
        end = (offset, 0, 0) if offset else None
        pulled = [dt.Actuation(motor=3.0)]
        hinge = dt.Revolute((0, 0, 0), (0, 1, 0), point_b=end, actuation=pulled)
        scene.add_joint("hinge", hinge, "ground", "rod")
        found.append(dt.simulate(scene, 0.1, 0.01, progress=False, check=False))
    joint = found[1].joint("hinge")
    assert joint.position[0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(joint.reaction.point, np.zeros((11, 3)), atol=1e-9)
    assert joint.effort == pytest.approx(3.0, abs=1e-6)
    assert found[0].joint("hinge").reaction.point == pytest.approx(0.0, abs=1e-9)
