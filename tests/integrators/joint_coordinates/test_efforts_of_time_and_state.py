"""Efforts that follow time and state, in joint coordinates: the closed form of a driven wheel."""

import numpy as np

import dovetail as dt

J, C, A = 0.2, 0.5, 3.0  # [kg m^2], [N m s], [N m/s]


def test_a_wheel_under_an_effort_that_grows_with_time_and_falls_with_speed():
    """J w' = A t - C w from rest: w = A/C (t - J/C (1 - exp(-C t / J)))."""
    scene = dt.Scene()
    scene.add_body("wheel", mass=1.0, inertia=(J, J, J))
    drive = dt.Actuation(motor=lambda t, q, rate: A * t - C * rate)
    scene.add_joint("axle", dt.Revolute(axis=(0, 0, 1), actuation=(drive,)), "ground", "wheel")
    integrator = dt.integrators.JointCoordinates()
    h = 2e-3
    result = dt.simulate(scene, 0.4, h, None, integrator, progress=False)
    t = result.time
    exact = A / C * (t - J / C * (1 - np.exp(-C * t / J)))
    assert np.abs(result.angular_velocity("wheel")[:, 2] - exact).max() < 2 * h**2 * A / J
