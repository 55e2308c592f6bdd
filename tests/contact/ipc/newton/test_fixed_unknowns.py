"""Which unknowns of a step are fixed."""

import numpy as np
import pytest

from dovetail.contact.ipc.islands.state import ACTIVE, SETTLED, SETTLING
from dovetail.contact.ipc.newton.system import fix_unknowns
from dovetail.contact.ipc.workspace import NewtonSystem


@pytest.mark.parametrize(("state", "fixed"), [(ACTIVE, False), (SETTLING, False), (SETTLED, True)])
def test_only_bodies_that_are_settled_are_fixed(state, fixed):
    """One that settles with this search step has still to take it, also where it is tried again."""
    gradient, diagonal = np.full((2, 6), 3.0), np.full((2, 6, 6), 2.0)
    off, states = np.full((1, 6, 6), 1.0), np.array([ACTIVE, state], np.uint8)
    bodies, free = np.arange(2, dtype=np.int32), np.ones((2, 6), np.uint8)
    linked, right = bodies.reshape(1, 2), np.zeros((2, 6))
    system = NewtonSystem(gradient, diagonal, off, linked, right)
    fix_unknowns(system, 1, bodies, free, states)
    assert np.all(gradient[0] == 3.0)
    assert np.all(gradient[1] == (0.0 if fixed else 3.0))
    assert np.all(off == (0.0 if fixed else 1.0))
    assert (diagonal[1] == np.eye(6)).all() == fixed
