"""Accelerations of bodies whose motion is prescribed."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.shared.constrained_state import take_carried
from dovetail.linalg.lie import so3


@pytest.mark.parametrize("t", [0.0, 0.7])
def test_a_prescribed_body_accelerates_as_its_trajectory_does(t):
    """x = (1.5 t^2, sin t, 0); it spins by t^2 about z, so its spin grows by 2 rad/s^2."""

    def path(t):
        return (1.5 * t * t, np.sin(t), 0.0), so3.exp((0.0, 0.0, t * t))

    scene = dt.Scene()
    scene.add_body("free", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 9))
    moved = {"motion": "kinematic", "trajectory": path}
    scene.add_body("carried", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0), **moved)
    carried = np.full((2, 6), 7.0)
    take_carried(scene.build(), np.array([1]), t, carried)
    assert carried[1] == pytest.approx([3.0, -np.sin(t), 0, 0, 0, 2.0], abs=1e-4)
    assert carried[0].tolist() == [7.0] * 6  # not its own
