"""Springs of joints under the impulse method."""

import numpy as np
import pytest

import dovetail as dt


def test_the_energy_of_a_joints_spring_is_half_its_stiffness_times_the_angle_squared():
    k, q0 = 3.0, 0.4
    scene = dt.Scene()
    scene.add_body("wheel", dt.Cylinder(0.1, 0.02), mass=2.0)
    spring = dt.Actuation(stiffness=k, rest=0.0)
    hinge = dt.Revolute((0, 0, 0), (0, 0, 1), actuation=[spring])
    scene.add_joint("axle", hinge, "ground", "wheel")
    inertia = float(scene.bodies["wheel"].inertia[2, 2])
    sim = dt.Simulation(scene, step=1e-4, contact="lcp", check=False)
    sim.set_state(q={"axle": q0})
    assert sim.observe().stored_energy == pytest.approx(0.5 * k * q0**2, rel=1e-9)
    sim.step(20)
    q, w = sim.joint("axle").position, sim.joint("axle").velocity
    assert sim.observe().stored_energy == pytest.approx(0.5 * k * q**2, rel=1e-2)
    # It swings at sqrt(k / I): w = -q0 sqrt(k / I) sin(t sqrt(k / I)).
    rate = np.sqrt(k / inertia)
    assert w == pytest.approx(-q0 * rate * np.sin(2e-3 * rate), rel=2e-2)
