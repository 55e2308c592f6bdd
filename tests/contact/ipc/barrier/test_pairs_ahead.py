"""What a step finds ahead does not depend on what earlier steps had listed."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import ImplicitEuler

STEP, DHAT = 0.005, 2e-3


def skimming(path, height):
    """A cube that passes over a plate at `height` dhat, `path` [m] in a step."""
    scene = dt.Scene()
    plate = dt.Box((4, 1, 0.1))
    scene.add_body("plate", plate, motion="static", position=(2.0, 0, -0.05))
    cube = dt.Box((0.05, 0.05, 0.05))
    place = (-1.0, 0, 0.025 + height * DHAT)
    scene.add_body("cube", cube, density=1000, position=place, velocity=(path / STEP, 0, 0))
    contact = dt.contact.IPC(friction=0.0, dhat=DHAT, restitution=None)
    return ImplicitEuler().start(scene.build(), contact)


@pytest.mark.parametrize("path", [0.02, 0.2, 0.35, 0.7])
@pytest.mark.parametrize("height", [0.1, 0.6])
def test_a_fast_body_goes_on_to_the_same_bits_from_every_snapshot(path, height):
    whole = skimming(path, height)
    for k in range(8):
        resumed = skimming(path, height)
        resumed.restore(whole.snapshot())
        whole.step((k + 1) * STEP)
        resumed.step((k + 1) * STEP)
        for field in ("x", "R", "v", "omega"):
            same = np.array_equal(getattr(whole.bodies, field), getattr(resumed.bodies, field))
            assert same, (k, field)
