"""The pieces of the force law: springs, damping from restitution, friction, stiffness."""

from math import inf, log1p

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dovetail as dt
from dovetail.contact.penalty.force import friction_coefficient, spring
from dovetail.contact.penalty.restitution import (
    MODELS,
    exact,
    flores,
    hunt_crossley,
    lankarani_nikravesh,
)
from dovetail.contact.penalty.stiffness import IMPACT_DEPTH, RESTING_DEPTH, stiffness_for


def achieved(x: float) -> float:
    """The e that a v0 = x gives: the root of x - ln(1 + x) = -x e - ln(1 - x e)."""
    if x <= 0:
        return 1.0
    wanted = x - log1p(x)
    low, high = 0.0, 1.0
    for _ in range(200):
        y = 0.5 * (low + high)
        if y in (low, high):
            break
        value = -y - log1p(-y) if y < 1 else inf
        low, high = (y, high) if value < wanted else (low, y)
    return low / x


def impact(x: float, n: float, k: float = 3e4, m: float = 0.7, v0: float = 2.0) -> float:
    """Speed after over speed before, by a fine integration of m d'' = -k d^n (1 + x d'/v0)."""

    def rate(_t, y):
        d = max(y[0], 0.0)
        return [y[1], -k / m * d**n * max(1 + x * y[1] / v0, 0.0)]

    def leaves(_t, y):
        return y[0] + 1e-14

    leaves.terminal, leaves.direction = True, -1
    end = solve_ivp(rate, (0, 10), [0.0, v0], events=leaves, rtol=1e-10, atol=1e-13, max_step=1e-2)
    return -end.y[1, -1] / v0


@pytest.mark.parametrize("e", [0.1, 0.25, 0.5, 0.75, 0.95])
@pytest.mark.parametrize("n", [1.0, 1.5, 2.5])
def test_exact_damping_gives_the_restitution_that_was_requested(e, n):
    assert impact(exact(e), n) == pytest.approx(e, abs=2e-4)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_gives_the_restitution_its_own_integral_predicts(model):
    for e in (0.3, 0.6, 0.9):
        x = MODELS[model](e)
        assert impact(x, 1.5) == pytest.approx(achieved(x), abs=2e-4)
        assert MODELS[model](1.0) == 0.0


def test_the_classic_models_are_right_for_nearly_elastic_impacts_only():
    for model in (hunt_crossley, lankarani_nikravesh):
        assert achieved(model(0.98)) == pytest.approx(0.98, abs=2e-3)
        assert achieved(model(0.2)) > 0.3
    assert achieved(flores(0.2)) == pytest.approx(0.2, abs=0.05)


@pytest.mark.parametrize("n", [1.0, 1.2, 1.5, 3.0])
def test_the_spring_starts_smoothly_and_its_energy_is_its_integral(n):
    rounding = 1e-3
    depths = np.linspace(0, 5e-3, 20001)
    force, energy, slope = np.array([spring(d, n, rounding) for d in depths]).T
    assert force[0] == energy[0] == slope[0] == 0.0
    np.testing.assert_allclose(np.gradient(energy, depths)[1:-1], force[1:-1], atol=1e-9)
    assert np.all(np.diff(slope) >= 0)
    assert spring(1e-30, n, rounding)[2] < 2e-6  # C1: the slope too starts at 0
    far = 1e-2
    assert spring(far, n, rounding)[0] == pytest.approx(far**n - (0.5e-3 if n == 1 else 0))


def test_friction_rises_to_static_falls_to_dynamic_and_has_no_kinks():
    mu_s, mu_d, v_s, v_d = 0.3, 0.2, 5e-3, 1e-2
    speeds = np.linspace(1e-9, 0.02, 40001)
    mu = np.array([friction_coefficient(v, mu_s, mu_d, v_s, v_d) * v for v in speeds])
    at = np.interp([v_s, 0.5 * (v_s + v_d), v_d, 0.02], speeds, mu)
    np.testing.assert_allclose(at, [mu_s, 0.25, mu_d, mu_d], atol=1e-6)
    assert mu[0] < 1e-6 and mu.max() <= mu_s * (1 + 1e-12)
    slope = np.gradient(mu, speeds)
    assert np.abs(np.diff(slope)).max() < 0.01 * np.abs(slope).max()
    at_rest = friction_coefficient(0.0, mu_s, mu_d, v_s, v_d)
    assert at_rest == pytest.approx(1.5 * mu_s / v_s)


def test_hertz_stiffness_of_a_steel_ball_on_a_steel_plane():
    k = dt.contact.hertz_stiffness(210e9, 0.3, 0.01)
    assert k == pytest.approx(4 / 3 * 210e9 / (2 * 0.91) * np.sqrt(0.01))
    two = dt.contact.hertz_stiffness((210e9, 70e9), (0.3, 0.33), (0.02, 0.02))
    compliance = (1 - 0.09) / 210e9 + (1 - 0.33**2) / 70e9
    assert two == pytest.approx(4 / 3 / compliance * np.sqrt(0.01))
    with pytest.raises(dt.InputError, match="two planes"):
        dt.contact.hertz_stiffness(1e9, 0.3, (np.inf, np.inf))
    with pytest.raises(dt.InputError, match="poisson"):
        dt.contact.hertz_stiffness(1e9, 0.7, 1.0)


def test_derived_stiffness_stops_the_expected_impact_and_carries_the_weight():
    m, size, v, g, n = 3.0, 0.4, 2.0, 9.81, 1.5
    k = stiffness_for(m, size, v, 0.0, n)
    assert k * (IMPACT_DEPTH * size) ** (n + 1) / (n + 1) == pytest.approx(0.5 * m * v**2)
    k = stiffness_for(m, size, 0.0, g, n)
    assert k * (RESTING_DEPTH * size) ** n == pytest.approx(m * g)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"restitution": 1.5}, "`restitution` must be 0 to 1"),
        ({"restitution": 0.5, "damping": 1.0}, "not both"),
        ({"stiffness": -1}, "`stiffness` must be > 0"),
        ({"exponent": 0.5}, "`exponent` must be 1 to 3"),
        ({"resolution": 2}, "`resolution` must be 8 to 2048"),
        ({"friction": (1, 2)}, "`friction` must be"),
        ({"damping_model": "x"}, "`damping_model` must be one of exact"),
    ],
)
def test_mistakes_in_the_settings_are_reported(options, message):
    with pytest.raises(dt.InputError, match=message):
        dt.contact.SDF(**options)
