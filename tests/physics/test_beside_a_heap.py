"""What stands beside a heap moves as if it were alone.

A heap's minimisations go on from linearised contacts of all bodies (`contact.ipc.first_iterate`):
blocks that slide and pegs that pass must not be held by that.
"""

import numpy as np
import pytest
from test_fits import plate_with_hole

import dovetail as dt
from dovetail.contact.ipc.first_iterate.begin import MANY, PATIENCE
from dovetail.integrators import ImplicitEuler

G, H, STEPS = 9.81, 0.005, 60


def add_heap(scene, x, size, layers=4):
    """Cubes at random turns that fall into a pit, a pit of `size` [m]."""
    rng = np.random.default_rng(0)
    walls = [((20, 20, 2), (0, 0, -1))]
    walls += [((2, 20, 40), (s * 3.1, 0, 20)) for s in (-1, 1)]
    walls += [((20, 2, 40), (0, s * 3.1, 20)) for s in (-1, 1)]
    for k, (sides, at) in enumerate(walls):
        box, place = dt.Box(tuple(size * np.array(sides))), size * np.array(at) + (x, 0, 0)
        scene.add_body(f"wall {k}", box, motion="static", position=place)
    for k in range(4 * layers):
        at = 1.9 * np.array([k % 2 - 0.5, k // 2 % 2 - 0.5, k // 4 + 0.5])
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)
        scene.add_body(
            f"cube {k}", dt.Box((size, 0.9 * size, 0.8 * size)), density=1000,
            position=size * at + (x, 0, 0), rotation=turn,
        )  # fmt: skip
    assert 4 * layers > MANY


def run(scene, contact):
    """A stepper after STEPS steps; the heap must have taken more than Newton's method alone."""
    model = scene.build()
    stepper = ImplicitEuler().start(model, contact)
    counts = [stepper.step((k + 1) * H).iterations for k in range(STEPS)]
    assert np.count_nonzero(np.array(counts) > 2 * PATIENCE) > STEPS // 3
    return lambda name: stepper.bodies.x[[body.name for body in model.bodies].index(name)]


@pytest.mark.parametrize("mu", [0.49, 0.3, 0.51])
def test_blocks_beside_a_heap_slide_down_a_slope_of_a_half_as_if_alone(mu):
    angle, dhat = np.arctan(0.5), 1e-3
    scene = dt.Scene(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    scene.add_body("floor", dt.Box((20, 20, 0.2)), position=(0, 0, -0.1), motion="static")
    for k in range(3):
        place = (0, 1.2 + k, 0.2 + 0.9 * dhat)
        scene.add_body(f"block {k}", dt.Box((0.4, 0.4, 0.4)), density=1000, position=place)
    add_heap(scene, 100.0, 0.1)
    at = run(scene, dt.contact.IPC(friction=mu, dhat=dhat))
    slip = G * max(np.sin(angle) - mu * np.cos(angle), 0.0) * (H * STEPS) ** 2 / 2
    for k in range(3):
        assert at(f"block {k}")[0] == pytest.approx(slip, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("clearance", [1e-4, 1e-5, 1e-6])
def test_pegs_beside_a_heap_fall_through_their_holes(clearance):
    scene = dt.Scene(gravity=(0, 0, -G))
    for k in range(3):
        hole = plate_with_hole(0.01 + 2 * clearance)
        scene.add_body(f"plate {k}", hole, motion="static", position=(k, 0, 0))
        scene.add_body(
            f"peg {k}", dt.Box((0.01, 0.01, 0.03)), density=7800,
            position=(k, 0, 0.015 + 0.01 + 0.1 * k),
        )  # fmt: skip
    add_heap(scene, 10.0, 0.01)
    at, time = run(scene, dt.contact.IPC()), STEPS * H
    for k in range(3):
        fallen = 0.025 + 0.1 * k - G * time**2 / 2
        assert at(f"peg {k}")[2] == pytest.approx(fallen, abs=1e-9)
