"""Mechanisms pass positions that are nearly singular, by smaller steps there, and say so."""

import warnings

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.shared.divided_steps import DividedStepWarning


def nearly_a_parallelogram(mismatch):
    """A four-bar of cranks 1 m and 1 m + mismatch that spins through its flat position."""
    scene = dt.Scene(gravity=(0, 0, -9.81))
    angle, spin, base = 0.9, 5.0, 2.0
    c, s = np.cos(angle), np.sin(angle)
    tips = np.array([[c, 0, s], [base + c, 0, s]])
    R = np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
    for k, length in enumerate((1.0, 1.0 + mismatch)):
        foot = tips[k] - length * np.array([c, 0, s])
        centre = 0.5 * (foot + tips[k])
        spun = np.array([0.0, -spin, 0.0])
        scene.add_body(
            f"crank {k}", mass=1.0, inertia=(0.001, 1 / 12, 1 / 12), position=centre, rotation=R,
            velocity=np.cross(spun, centre - foot), angular_velocity=spun,
        )  # fmt: skip
        scene.add_joint(f"foot {k}", dt.Revolute(foot, (0, 1, 0)), "ground", f"crank {k}")
    scene.add_body(
        "bar", mass=0.1, inertia=(1e-4, 0.03, 0.03), position=tips.mean(axis=0),
        velocity=np.cross((0, -spin, 0), (c, 0, s)),
    )  # fmt: skip
    for k in range(2):
        scene.add_joint(f"tip {k}", dt.Revolute(tips[k], (0, 1, 0)), f"crank {k}", "bar")
    return scene


@pytest.mark.filterwarnings("ignore:the starting velocities")
@pytest.mark.parametrize("integrator", [None, "RATTLie", "DH", "JointCoordinates"])
@pytest.mark.parametrize("mismatch", [0.0, 1e-4, 1e-2])
def test_flat_positions_are_passed_with_bounded_energy(integrator, mismatch):
    with warnings.catch_warnings(record=True) as reported:
        warnings.simplefilter("always", DividedStepWarning)
        result = dt.simulate(
            nearly_a_parallelogram(mismatch), duration=1.0, step=5e-3, integrator=integrator
        )
    total, size = result.energy["total"], result.energy["kinetic"].max()
    assert sum(one.category is DividedStepWarning for one in reported) <= 1
    assert np.ptp(total) < 0.02 * size
    assert result.constraint_violation["position"].max() < 1e-10
