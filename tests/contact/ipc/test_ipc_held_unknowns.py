"""Which unknowns of a step are held."""

import numpy as np
import pytest

from dovetail.contact.ipc.newton.system import hold_fixed
from dovetail.contact.ipc.records import GOES_ON, SETTLED, SETTLES


@pytest.mark.parametrize(("state", "held"), [(GOES_ON, False), (SETTLES, False), (SETTLED, True)])
def test_only_bodies_that_are_settled_are_held(state, held):
    """One that settles with this search step has still to take it, also where it is tried anew."""
    gradient, diagonal = np.full((2, 6), 3.0), np.full((2, 6, 6), 2.0)
    off, still = np.full((1, 6, 6), 1.0), np.array([GOES_ON, state], np.uint8)
    bodies, free = np.arange(2, dtype=np.int32), np.ones((2, 6), np.uint8)
    hold_fixed(1, bodies.reshape(1, 2), bodies, free, still, gradient, diagonal, off)
    assert np.all(gradient[0] == 3.0)
    assert np.all(gradient[1] == (0.0 if held else 3.0))
    assert np.all(off == (0.0 if held else 1.0))
    assert (diagonal[1] == np.eye(6)).all() == held
