"""Stiffness follows the masses, loads and speeds that meet, and rises where a body is squeezed."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact import IPC
from dovetail.contact.ipc.barrier.function import log_barrier
from dovetail.contact.ipc.barrier.stiffness import neutral_dhat
from dovetail.integrators import ImplicitEuler


def stack(light, heavy, size=1.0):
    """A heavy block on a light cube on a floor; lengths times `size`.

    The block is wider: edges straight above edges are a balance that rounding decides.
    """
    scene = dt.Scene(gravity=(0, 0, -10 * size))
    scene.add_body("floor", dt.HalfSpace(), motion="static")
    for k, (mass, wide) in enumerate(((light, 1.0), (heavy, 1.25))):
        scene.add_body(
            f"cube {k}", dt.Box((wide * size, wide * size, size)), mass=mass,
            position=(0, 0, (0.51 + 1.01 * k) * size),
        )  # fmt: skip
    return scene


def barriers(stepper):
    """dhat [m] and stiffness [J] by pair of bodies."""
    known = stepper._solver.solver.pairs_snapshot()
    return {tuple(pair): tuple(row) for pair, row in zip(known["pairs"].tolist(), known["values"])}


def advanced(scene, steps, h=0.01, **options):
    model = scene.build()
    stepper = ImplicitEuler().start(model, IPC(**options))
    reports = [stepper.step(h * (k + 1)) for k in range(steps)]
    return stepper, reports


def test_a_gram_between_tonnes_carries_them_since_its_contacts_stiffen():
    stepper, reports = advanced(stack(1e-3, 1e4), 80)
    dhat, stiffness = barriers(stepper)[0, 1]
    alone = barriers(advanced(stack(1e-3, 1e-3), 80)[0])[0, 1][1]
    assert stiffness > 1e3 * alone  # as if a thousand times its mass stood there
    assert dhat <= 1.0002e-3 * np.sqrt(3)
    seen = stepper.observe().contact
    assert seen.min_distance > 1e-3 * dhat
    below = np.any(seen.contacts.bodies == 0, axis=1)
    assert np.abs(seen.contacts.forces[below, 2]).sum() == pytest.approx(1e5, rel=1e-3)
    assert max(report.iterations for report in reports[-10:]) <= 2  # and is at rest


def test_stiffness_falls_back_when_the_pair_has_parted():
    model = stack(1e-3, 1e4).build()
    stepper = ImplicitEuler().start(model, IPC())
    for k in range(30):
        stepper.step(0.01 * (k + 1))
    squeezed = barriers(stepper)[0, 1][1]
    moved = stepper._solver.motion
    moved.x[1, 2] += 0.05  # lifted off, and the tonnes are taken away
    moved.x[2] += (10.0, 0.0, 5.0)
    moved.v[1:, 2] = -1e-3  # wakes them
    for k in range(30, 50):
        stepper.step(0.01 * (k + 1))
    assert 0 < barriers(stepper)[0, 1][1] < 0.1 * squeezed


def test_stiffness_has_a_limit_as_the_step_goes_to_zero():
    found = []
    for h in (1e-3, 1e-4, 1e-5):
        scene = dt.Scene(gravity=(0, 0, -10))
        scene.add_body("floor", dt.HalfSpace(), motion="static")
        cube = dt.Box((1, 1, 1))
        scene.add_body("cube", cube, mass=2.0, position=(0, 0, 0.5 + 1.0002e-3 * np.sqrt(3)),
                       velocity=(0, 0, -0.5))  # fmt: skip
        stepper, _ = advanced(scene, 3, h)
        found.append(barriers(stepper)[0, 1][1])
    np.testing.assert_allclose(found, 2.0 * 0.5**2 / 9, rtol=0.2)
    assert abs(found[2] - found[1]) < 0.2 * abs(found[1] - found[0]) + 1e-12


def test_a_stiffness_that_is_raised_brings_no_energy():
    rng = np.random.default_rng(3)
    for _ in range(50):
        gap, dmin, factor = (
            10 ** rng.uniform(-3, -0.01),
            rng.choice([0.0, 0.3]),
            10 ** rng.uniform(0, 9),
        )
        dhat = neutral_dhat(gap, 1.0, dmin, factor)
        assert gap < dhat <= 1.0
        for d in gap + (1.0 - gap) * rng.random(5):
            before = log_barrier((dmin + d) ** 2, dmin, 1.0)[0]
            assert factor * log_barrier((dmin + d) ** 2, dmin, dhat)[0] <= before * (1 + 1e-6)
        at_gap = factor * log_barrier((dmin + gap) ** 2, dmin, dhat)[0]
        assert at_gap == pytest.approx(log_barrier((dmin + gap) ** 2, dmin, 1.0)[0], rel=1e-3)


def test_a_squeeze_does_not_know_how_long_a_metre_is():
    paths = []
    for size in (1.0, 2.0**-10, 2.0**10):
        model = stack(1e-3, 1e3, size).build()
        stepper = ImplicitEuler().start(model, IPC())
        path = []
        for k in range(30):
            stepper.step(0.01 * (k + 1))
            path.append(np.hstack([stepper.bodies.x / size, stepper.bodies.R.reshape(-1, 9)]))
        paths.append(path)
    np.testing.assert_allclose(paths[1], paths[0], rtol=0, atol=1e-300)
    # lengths times powers of two: to the bit, but for numbers that are too small to be normal
    np.testing.assert_allclose(paths[0], paths[1], rtol=0, atol=1e-300)


def test_a_squeezed_run_repeats_to_the_bit_from_its_memory():
    model = stack(1e-3, 1e4).build()
    first, second = (ImplicitEuler().start(model, IPC()) for _ in range(2))
    for k in range(20):
        first.step(0.01 * (k + 1))
    second.restore(first.snapshot())
    for k in range(20, 30):
        first.step(0.01 * (k + 1))
        second.step(0.01 * (k + 1))
    np.testing.assert_array_equal(first.bodies.x, second.bodies.x)
    np.testing.assert_array_equal(first.bodies.R, second.bodies.R)
