"""Every built-in mechanism at steps from 1e-2 to 1e-7 s: no scheme may stumble over round-off."""

import warnings

import numpy as np
import pytest

from dovetail import examples
from dovetail.errors import InputError
from dovetail.integrators import SCHEMES
from dovetail.model.frozen import DYNAMIC
from dovetail.multibody.energy import kinetic_energy, potential_energy
from jointed_scenes import JOINTED

MECHANISMS = [
    "bennett", "double-pendulum", "four-bar", "hanging-chain", "heavy-top", "scissor-lift",
    "slider-crank", "stewart", "tree-robot",
]  # fmt: skip
WITHOUT_PROJECTION = ("DL", "LieGeneralizedAlpha")  # of velocities
STEPS = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7]


def _model(name):
    return examples.get(name).build().build()


@pytest.mark.filterwarnings("ignore:.*velocities would miss")  # DL says so
@pytest.mark.parametrize("scheme", JOINTED)
@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_move_at_any_step_as_gravity_and_joints_say(name, scheme):
    model = _model(name)
    for h in STEPS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # velocities that are made to fit
            try:
                stepper = SCHEMES.get(scheme)().start(model, None)
            except InputError as error:
                pytest.skip(str(error))
        spin = np.linalg.norm(stepper.bodies.omega, axis=1).max()
        if h * spin > 1.0:
            continue
        for k in range(1, 7):
            stepper.step(k * h)
        seen = stepper.observe()
        size = np.abs(model.position).max()
        assert seen.constraint_position <= 1e-12 * max(1.0, size)
        speed = max(np.abs(stepper.bodies.v).max(), size * np.abs(stepper.bodies.omega).max())
        if scheme not in WITHOUT_PROJECTION:
            assert seen.constraint_velocity <= 1e-12 * max(1.0, speed)


@pytest.mark.parametrize("scheme", [name for name in JOINTED if name not in WITHOUT_PROJECTION])
@pytest.mark.parametrize("name", ["bennett", "four-bar"])
def test_velocities_of_many_tiny_steps_are_those_of_few_small_ones(name, scheme):
    """From rest, after 2e-4 s: round-off / h must not add up to a velocity of its own."""
    model, found = _model(name), []
    for h in (1e-4, 1e-6):
        stepper = SCHEMES.get(scheme)().start(model, None)
        for k in range(1, round(2e-4 / h) + 1):
            stepper.step(k * h)
        bodies = stepper.bodies
        energy = kinetic_energy(model, bodies) + potential_energy(model, bodies)
        found.append((np.hstack([bodies.v, bodies.omega]), energy))
    moving = model.motion == DYNAMIC
    (few, energy), (many, other) = found
    assert np.abs(few - many)[moving].max() <= 1e-6 * np.abs(few[moving]).max()
    weight = float(model.mass[moving].sum()) * 9.81 * np.abs(model.position).max()
    assert other == pytest.approx(energy, abs=1e-10 * weight)
