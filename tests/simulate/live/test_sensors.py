"""Sensors show what physics says they must."""

import numpy as np
import pytest
from test_stepping import made

import dovetail as dt
from live_scenes import arm_and_box, resting_box


def test_accelerometer_shows_gravity_at_rest_and_nothing_in_free_fall():
    sim = made(resting_box(), ("lcp", None), 2e-3)
    felt = sim.sense(a=dt.sensors.Accelerometer("box"))
    sim.step(200)
    assert felt["a"][-1] == pytest.approx((0, 0, 9.81), abs=1e-3)
    free = made(resting_box(gap=5.0), ("lcp", None))
    felt = free.sense(a=dt.sensors.Accelerometer("box", point=(0.1, 0, 5.1)))
    free.step(10)
    assert felt["a"][-1] == pytest.approx((0, 0, 0), abs=1e-9)


def test_gyro_shows_the_spin_in_the_bodys_own_axes():
    scene = dt.Scene()
    tilted = dt.lie.so3.exp([0.3, 0.2, 0.1])
    scene.add_body("box", dt.Box((1, 1, 1)), mass=1, rotation=tilted, angular_velocity=(0, 0, 2))
    sim = dt.Simulation(scene, step=1e-3)
    shown = sim.sense(w=dt.sensors.Gyro("box"), turned=dt.sensors.Gyro("box", (0, 1, 0, 0)))
    sim.step(5)
    assert shown["w"][-1] == pytest.approx(tilted.T @ [0, 0, 2], abs=1e-9)
    assert shown["turned"][-1] == pytest.approx(shown["w"][-1] * [1, -1, -1], abs=1e-12)


def test_points_velocities_and_distances_follow_the_body():
    sim = made(arm_and_box(), (None, None))
    tip = (0, 0, -1.9)
    shown = sim.sense(
        at=dt.sensors.PointPosition("lower", tip), v=dt.sensors.PointVelocity("lower", tip),
        far=dt.sensors.Distance("lower", "ground", tip, (0, 0, 0)), t=lambda sim: sim.time,
        every=2,
    )  # fmt: skip
    sim.set_state(v={"shoulder": 1.0})
    sim.step(100)
    assert len(shown) == 50
    assert np.array_equal(shown["t"], shown.time)
    slope = np.gradient(shown["at"], shown.time, axis=0)
    assert shown["v"][5:-5] == pytest.approx(slope[5:-5], abs=1e-4)
    assert shown["far"] == pytest.approx(np.linalg.norm(shown["at"], axis=1), abs=1e-12)
    assert shown.latest["far"] == shown["far"][-1]
    shown.stop()
    sim.step(2)
    assert len(shown) == 50


@pytest.mark.parametrize("contact", ["ipc", "sdf", "lcp"])
def test_a_patch_feels_its_share_of_the_weight(contact):
    sim = made(resting_box(), (contact, None), 2e-3)
    shown = sim.sense(
        all=dt.sensors.ContactPatch("box"),
        left=dt.sensors.ContactPatch("box", point=(-0.1, 0, 0), radius=0.11),
    )
    sim.step(200)
    weight = 2 * 9.81
    assert shown["all"][-1, 2] == pytest.approx(weight, rel=0.02)
    assert shown["left"][-1, 2] == pytest.approx(weight / 2, rel=0.25)


def test_joint_sensor_shows_the_weight_it_carries():
    sim = made(arm_and_box(), (None, None))
    shown = sim.sense(ft=dt.sensors.JointForceTorque("shoulder"))
    sim.step(3)
    assert shown["ft"][-1] == pytest.approx((0, 0, 16 * 9.81, 0, 0, 0), abs=1e-3)


def test_mistaken_sensors_are_refused_and_failing_ones_named():
    sim = made(arm_and_box(), (None, None))
    with pytest.raises(dt.InputError, match=r"no body 'lowr'.*did you mean 'lower'"):
        sim.sense(a=dt.sensors.Gyro("lowr"))
    with pytest.raises(dt.InputError, match=r"sensor 'a' must be one of dt\.sensors"):
        sim.sense(a=3)
    sim.sense(mine=lambda sim: 1 / 0)
    with pytest.raises(dt.RunError, match="sensor 'mine' failed: ZeroDivisionError"):
        sim.step()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: dt.sensors.Gyro(), r"Gyro\(\) needs `body`"),
        (lambda: dt.sensors.Accelerometer("a", pont=(0, 0, 0)), "did you mean 'point'"),
        (lambda: dt.sensors.Distance("a"), r"Distance\(\) needs `body_b`"),
    ],
)
def test_sensors_that_are_wrongly_made_are_answered_with_a_sentence(make, says):
    with pytest.raises(dt.InputError, match=says):
        make()


def test_a_distance_of_a_body_to_itself_is_refused():
    sim = dt.Simulation(resting_box(), 1e-3, "lcp", check=False)
    with pytest.raises(dt.InputError, match="between two bodies, got 'box' twice"):
        sim.sense(d=dt.sensors.Distance("box", "box"))
