"""A damper in a joint takes the spin of its body, step after step."""

import numpy as np
import pytest

import dovetail as dt


def test_a_damped_hinge_loses_its_spin_as_theory_says():
    """I w' = -c w over half a second; it once acted in the first step alone."""
    c, h = 5.0, 1e-3
    scene = dt.Scene()
    scene.add_body(
        "link", dt.Box((0.1, 0.1, 0.8)), density=1000, position=(0, 0, -0.5),
        angular_velocity=(0, 1, 0), velocity=(-0.5, 0, 0),
    )  # fmt: skip
    damped = dt.Revolute((0, 0, 0), (0, 1, 0), actuation=[dt.Actuation(damping=c)])
    scene.add_joint("hinge", damped, "ground", "link")
    link = scene.bodies["link"]
    inertia = link.inertia[1, 1] + link.mass * 0.25
    result = dt.simulate(scene, 0.5, h, contact="sdf", progress=False, check=False)
    expected = np.exp(-c / inertia * 0.5)
    assert result.angular_velocity("link")[-1, 1] == pytest.approx(
        expected, rel=2 * h * c / inertia
    )
