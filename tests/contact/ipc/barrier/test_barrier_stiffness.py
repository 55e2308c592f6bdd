"""Stiffness follows the masses that meet and rises where a body is squeezed."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.contact import IPC
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


def advanced(scene, steps, h=0.01, **options):
    model = scene.build()
    stepper = ImplicitEuler().start(model, IPC(**options))
    reports = [stepper.step(h * (k + 1)) for k in range(steps)]
    return stepper, reports


def test_a_gram_between_tonnes_carries_them_since_its_contacts_stiffen():
    stepper, reports = advanced(stack(1e-3, 1e4), 80)
    load = stepper._solver.motion.stiffness_scale
    assert load[1] > 1e4 * 1e-3  # its contacts are as stiff as for ten thousand of it
    assert load[2] == pytest.approx(1e4, rel=1)
    seen = stepper.observe().contact
    dhat = 1e-3 * np.sqrt(3)
    assert seen.min_distance > 1e-3 * dhat
    below = np.any(seen.contacts.bodies == 0, axis=1)
    assert np.abs(seen.contacts.forces[below, 2]).sum() == pytest.approx(1e5, rel=1e-3)
    assert max(report.iterations for report in reports[-10:]) <= 2  # and is at rest


def test_equal_bodies_are_as_stiff_as_their_mass_and_loads_fall_back_after_a_squeeze():
    stepper, _ = advanced(stack(2.0, 2.0), 40)
    np.testing.assert_array_equal(stepper._solver.motion.stiffness_scale[1:], [2.0, 2.0])
    scene = stack(1e-3, 1e4)
    model = scene.build()
    stepper = ImplicitEuler().start(model, IPC())
    for k in range(30):
        stepper.step(0.01 * (k + 1))
    squeezed = stepper._solver.motion.stiffness_scale[1]
    stepper._solver.motion.x[2, 2] += 2.0  # the tonnes are lifted off
    stepper._solver.motion.v[2, 2] = 5.0
    for k in range(30, 60):
        stepper.step(0.01 * (k + 1))
    assert stepper._solver.motion.stiffness_scale[1] < 1e-3 * squeezed


def test_a_squeeze_does_not_know_how_long_a_metre_is():
    paths = []
    for size in (2.0**-10, 2.0**10):
        model = stack(1e-3, 1e3, size).build()
        stepper = ImplicitEuler().start(model, IPC())
        path = []
        for k in range(30):
            stepper.step(0.01 * (k + 1))
            path.append(np.hstack([stepper.bodies.x / size, stepper.bodies.R.reshape(-1, 9)]))
        paths.append(path)
    np.testing.assert_array_equal(paths[0], paths[1])  # lengths times powers of two: to the bit


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
