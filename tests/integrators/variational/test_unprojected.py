"""DL: velocities miss the joints by O(h^2), in loops with implied rows as well."""

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


@pytest.mark.parametrize("name", ["scissor-lift", "four-bar", "bennett", "stewart"])
def test_velocities_in_loops_miss_the_joints_by_the_square_of_the_step(name):
    """Multipliers of implied rows are any of many; velocities must not depend on which."""
    coarse, speed = _largest_miss(name, 4e-3, 0.4)
    fine, _ = _largest_miss(name, 1e-3, 0.4)
    assert coarse <= 5e-3 * speed
    assert fine <= coarse / 8.0


def test_velocities_that_miss_the_joints_by_much_are_said():
    """A joint that meets its limit within a step of 10 ms."""
    with pytest.warns(UserWarning, match="velocities miss the joints by"):
        _largest_miss("tree-robot", 1e-2, 0.6)
