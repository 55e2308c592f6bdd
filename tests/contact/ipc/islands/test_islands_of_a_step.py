"""Islands of a step: one that has come to its end waits, and goes on when it is struck."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import ImplicitEuler

STEP, SPEED, GAP = 0.01, 30.0, 0.2  # [s], [m/s], [m]: the gap is closed within the first step


def row(count, apart):
    """Cubes of 1 m in a row, `apart` from each other, and one that flies at them; no gravity."""
    scene = dt.Scene(gravity=(0, 0, 0))
    for k in range(count):
        scene.add_body(f"cube {k}", dt.Box((1, 1, 1)), density=1, position=(k * (1 + apart), 0, 0))
    scene.add_body(
        "striker", dt.Box((1, 1, 1)), density=1, position=(-1 - GAP, 0, 0), velocity=(SPEED, 0, 0)
    )
    return ImplicitEuler().start(scene.build(), dt.contact.IPC())


@pytest.mark.parametrize(
    ("apart", "shares", "met"),
    [(0.0009, (0.02, 0.02, 0.02, 0.02), 4), (0.02, (0.04, 0.02, 0, 0), 3)],
)
def test_a_row_at_rest_takes_its_part_of_a_blow_in_the_same_step(apart, shares, met):
    """The striker goes 0.2 m alone; of the 0.1 m that are left equal masses have equal parts.

    (Gaps of 0.02 m close during the step.) Each gap is kept between nothing and dhat. With e = 0
    those that have met go on with one velocity.
    """
    stepper = row(4, apart)
    start = stepper.bodies.x[:, 0].copy()
    stepper.step(STEP)
    v = stepper.bodies.v[:, 0]
    assert v.sum() == pytest.approx(SPEED, rel=1e-9)
    np.testing.assert_allclose(v[[*range(met), 4]], SPEED / (met + 1), rtol=1e-3)
    np.testing.assert_allclose(v[met:4], 0, atol=1e-9)
    dhat = 1e-3 * np.sqrt(3)
    np.testing.assert_allclose((stepper.bodies.x[:, 0] - start)[:4], shares, atol=2 * dhat)
    np.testing.assert_allclose(stepper.bodies.v[:, 1:], 0, atol=1e-9)
    x = stepper.bodies.x[:, 0]
    assert np.all(np.diff(x[[4, 0, 1, 2, 3]]) > 1)  # nobody is in anybody


def test_who_rests_far_away_does_not_change_what_the_others_do():
    alone = row(2, 0.0009)
    scene = dt.Scene(gravity=(0, 0, 0))
    for name, place, speed in (
        ("cube 0", 0.0, 0.0),
        ("cube 1", 1.0009, 0.0),
        ("striker", -1 - GAP, SPEED),
        ("far 0", 50.0, 0.0),
        ("far 1", 51.0009, 0.0),
    ):
        scene.add_body(
            name, dt.Box((1, 1, 1)), density=1, position=(place, 0, 0), velocity=(speed, 0, 0)
        )
    beside = ImplicitEuler().start(scene.build(), dt.contact.IPC())
    for k in range(5):
        alone.step(STEP * (k + 1))
        beside.step(STEP * (k + 1))
    np.testing.assert_allclose(beside.bodies.x[:3], alone.bodies.x, atol=1e-6)
