"""Sliding over the edges between triangles of one flat face: nothing there to be felt."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import ImplicitEuler

G, SIDE, DHAT, STEP, STEPS = 9.81, 0.4, 1e-3, 0.005, 160


def slid(mu, start, velocity, spin=0.0):
    """Positions (STEPS + 1, 3) of a block on a floor with its diagonal from (-2, -2) to (2, 2)."""
    scene = dt.Scene(gravity=(0, 0, -G))
    corners = [[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]]
    scene.add_body("floor", dt.Mesh(corners, [(0, 1, 2), (0, 2, 3)]), motion="static")
    scene.add_body(
        "block", dt.Box((SIDE, SIDE, SIDE)), density=1000, velocity=(*velocity, 0),
        angular_velocity=(0, 0, spin), position=(*start, SIDE / 2 + 0.6 * DHAT),
    )  # fmt: skip
    method = dt.contact.IPC(friction=mu, dhat=DHAT, velocity_tolerance=1e-6)
    stepper = ImplicitEuler().start(scene.build(), method)
    positions = [stepper.bodies.x[1].copy()]
    for k in range(STEPS):
        stepper.step((k + 1) * STEP)
        positions.append(stepper.bodies.x[1].copy())
    return np.array(positions), stepper


@pytest.mark.parametrize("mu", [0.0, 0.2])
def test_a_block_slides_over_a_seam_as_beside_it(mu):
    over, _ = slid(mu, (-0.7, 0.0), (2.2, 0.0))
    beside, _ = slid(mu, (-0.7, -1.7), (2.2, 0.0))
    assert over[-1, 0] > 0.4  # all of it has crossed x = y
    beside[:, 1] += 1.7
    assert np.abs(over - beside).max() < 1e-10  # [m]


def test_friction_over_a_seam_brakes_by_mu_g():
    mu = 0.2
    over, _ = slid(mu, (-0.7, 0.0), (2.2, 0.0))
    speed = np.diff(over[:, 0]) / STEP
    # within the tolerance of 1e-6 m/s in a step
    assert (speed[20] - speed[-1]) / (STEP * (STEPS - 21)) == pytest.approx(mu * G, abs=1e-6 / STEP)


def test_a_block_that_spins_over_a_seam_without_friction_is_not_pushed_aside():
    positions, stepper = slid(0.0, (0.0, 0.0), (0.0, 0.0), spin=5.0)
    assert np.abs(positions[:, :2]).max() < 1e-9
    assert np.linalg.norm(stepper.bodies.v[1, :2]) < 1e-9
