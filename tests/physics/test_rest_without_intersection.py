"""What has come to rest under a barrier stays where it is, with friction as well."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import ImplicitEuler

STEP = 0.01


def stack(high):
    scene = dt.Scene(gravity=(0, 0, -9.81))
    scene.add_body("floor", dt.Box((9, 9, 1)), motion="static", position=(0, 0, -0.5))
    for k in range(high):
        scene.add_body(
            f"cube {k}", dt.Box((1, 1, 1)), density=1000, position=(0, 0, 0.51 + 1.01 * k)
        )
    return scene


@pytest.mark.parametrize("high", [1, 3])
def test_a_dropped_stack_comes_to_rest_for_good(high):
    """Its friction settles in every step, and it creeps by less than the 1e-9 m/s we promise."""
    stepper = ImplicitEuler().start(stack(high).build(), dt.contact.IPC(friction=0.3))
    for k in range(100):
        stepper.step(STEP * (k + 1))
    for k in range(100, 150):
        report = stepper.step(STEP * (k + 1))
        assert report.iterations <= 1
        assert report.settled
        assert np.max(np.abs(stepper.bodies.v)) < 1e-9
