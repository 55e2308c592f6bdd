"""Problems of the DAE test set and the IFToMM library against published and exact values."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators import EulerParameterDAE, RATTLie
from dovetail.validation.dae_problems import ANGLES, andrews, angles_of, bricard, four_bars
from dovetail.validation.dae_problems.andrews import START
from dovetail.validation.dae_problems.scenes import governor, pendulum
from dovetail.validation.dae_problems.table import energy_error, order_of, pendulum_angle


def rotations(result):
    return np.stack([result.rotation(f"K{k}") for k in range(1, 8)], axis=1)


def test_andrews_mechanism_reaches_the_published_angles():
    result = dt.simulate(andrews(), 0.03, 6e-5, every=10, progress=False)
    assert np.allclose(angles_of(rotations(result)[:1]), START, atol=1e-15)
    assert np.abs(angles_of(rotations(result)) - ANGLES).max() < 3e-7


def test_pendulum_follows_the_elliptic_function():
    result = dt.simulate(pendulum(), 3.0, 0.01, progress=False)
    for t, x in zip(result.time, result.position("mass"), strict=True):
        angle = pendulum_angle(t)
        assert np.allclose(x, [-np.cos(angle), -np.sin(angle), 0], atol=2e-6)


def test_bricard_and_four_bars_keep_their_energy():
    assert energy_error(dt.simulate(bricard(), 3.0, 0.01, progress=False)) < 1e-7
    assert energy_error(dt.simulate(four_bars(2), 3.0, 0.01, progress=False)) < 1e-3


def test_governor_is_the_same_in_an_explicit_scheme_which_divides_its_steps():
    with pytest.warns(UserWarning, match="divides a step of 0.005 s"):
        explicit = dt.simulate(
            governor(), 0.2, 5e-3, integrator=EulerParameterDAE(), progress=False
        )
    whole = dt.simulate(governor(), 0.2, 5e-4, integrator=RATTLie(), progress=False)
    sleeve = whole.position("sleeve")[-1, 2]
    assert abs(sleeve + 0.5) > 1e-3
    assert explicit.position("sleeve")[-1, 2] == pytest.approx(sleeve, abs=2e-6)


@pytest.mark.parametrize("name", ["pendulum", "Bricard's loop"])
def test_order_four_is_measured(name):
    assert order_of(name)[2] == pytest.approx(4, abs=0.3)
