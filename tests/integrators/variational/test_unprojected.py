"""DL: velocities are not projected; where they miss the joints by much, the run says so."""

import numpy as np
import pytest

from dovetail.examples import get
from dovetail.integrators import DL


def _largest_miss(name, h, seconds):
    """[m/s] of the joints' rates, and the largest speed."""
    stepper = DL().start(get(name).build().build(), None)
    miss = speed = 0.0
    for k in range(1, round(seconds / h) + 1):
        stepper.step(k * h)
        miss = max(miss, stepper.observe().constraint_velocity)
        speed = max(speed, np.abs(stepper.bodies.v).max())
    return miss, speed


@pytest.mark.parametrize("name", ["tree-robot", "scissor-lift"])
def test_velocities_that_miss_the_joints_by_much_are_said(name):
    """A joint that meets its limit within a step of 10 ms; a loop whose rows follow from others."""
    with pytest.warns(UserWarning, match="velocities miss the joints by"):
        _largest_miss(name, 1e-2, 0.6)
