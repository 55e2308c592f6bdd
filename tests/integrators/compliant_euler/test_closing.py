"""Joints are closed after a step with compliant contacts in few iterations."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.compliant_euler.joint_kernels import DRIFT


def slides(apart: float) -> dt.Scene:
    """Two fingers held together, each on a slide; their limits are `apart` [m]."""
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(f"finger {k}", dt.Box((0.1, 0.1, 0.1)), mass=1, position=(0, 0.2 * k, 0))
        limits = dt.Actuation(lower=apart / 2) if k == 0 else dt.Actuation(upper=-apart / 2)
        slide = dt.Prismatic((0, 0.2 * k, 0), (1, 0, 0), actuation=limits)
        scene.add_joint(f"slide {k}", slide, "ground", f"finger {k}")
    scene.add_joint("held", dt.Fixed((0, 0.1, 0)), "finger 0", "finger 1")
    return scene


@pytest.mark.filterwarnings("ignore:.*beyond its limit")
def test_limits_that_contradict_each_other_cost_few_iterations():
    """No pose satisfies both, so the fingers stay in the middle; it took 255 iterations a step."""
    result = dt.simulate(
        slides(2e-4), 0.05, 1e-3, contact=dt.contact.SDF(), progress=False, check=False
    )
    assert np.max(result.stats["iterations"]) < 64
    assert np.abs(result.position("finger 0")[-1]).max() < 1e-9


def test_a_swinging_four_bar_is_closed_to_rounding_by_one_correction():
    scene = dt.Scene(gravity=(0, 0, -9.81))
    corners = [(0, 0, 0), (0, 0, 0.3), (0.5, 0, 0.3), (0.5, 0, 0)]
    for k in range(3):
        a, b = np.array(corners[k]), np.array(corners[k + 1])
        size = np.maximum(np.abs(b - a), 0.02)
        scene.add_body(f"bar {k}", dt.Box(tuple(size)), mass=1, position=tuple((a + b) / 2))
    ends = ["ground", "bar 0", "bar 1", "bar 2", "ground"]
    for k in range(4):
        scene.add_joint(f"pin {k}", dt.Revolute(corners[k], (0, 1, 0)), ends[k], ends[k + 1])
    result = dt.simulate(scene, 0.5, 1e-3, contact=dt.contact.SDF(), progress=False, check=False)
    assert np.max(result.constraint_violation["position"]) < DRIFT
    assert np.mean(result.stats["iterations"]) < 8
