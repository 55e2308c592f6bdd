"""Damping that gives a coefficient of restitution."""

import numpy as np
import pytest

from dovetail.contact.penalty.restitution import MODELS, exact


def speed_after(a, v0, n, k=1e4, mass=2.0, steps=20000):
    """Speed [m/s] at which a mass leaves f = k d^n (1 + a d'), by Heun's method."""
    end = 4 * (mass / k) ** (1 / (n + 1)) * v0 ** ((1 - n) / (n + 1)) * 2
    h, d, u = end / steps, 0.0, v0

    def acceleration(d, u):
        return -k / mass * max(d, 0.0) ** n * (1 + a * u)

    for _ in range(steps):
        first = acceleration(d, u)
        second = acceleration(d + h * u, u + h * first)
        d, u = d + h * u + 0.5 * h * h * first, u + 0.5 * h * (first + second)
        if d <= 0:
            break
    return -u


@pytest.mark.parametrize("n", [1.0, 1.5])
@pytest.mark.parametrize("e", [0.2, 0.5, 0.9])
def test_bodies_part_at_the_speed_that_was_requested(e, n):
    v0 = 3.0
    assert speed_after(exact(e) / v0, v0, n) == pytest.approx(e * v0, rel=2e-3)


def test_an_elastic_impact_has_no_damping():
    assert exact(1.0) == 0.0 == MODELS["hunt_crossley"](1.0) == MODELS["flores"](1.0)
    assert MODELS["lankarani_nikravesh"](1.0) == 0.0


def test_published_formulas_have_their_published_values():
    """At e = 1/2: 3/2 (1 - e), 3/4 (1 - e^2), 8/5 (1 - e) / e."""
    found = {name: model(0.5) for name, model in MODELS.items() if name != "exact"}
    expected = {"hunt_crossley": 0.75, "lankarani_nikravesh": 0.5625, "flores": 1.6}
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("name", ["hunt_crossley", "lankarani_nikravesh"])
def test_nearly_elastic_impacts_agree_with_the_exact_ones(name):
    """They are expansions about e = 1, where a v0 = 3/2 (1 - e) to first order."""
    for loss in (1e-2, 1e-3):
        assert MODELS[name](1 - loss) == pytest.approx(exact(1 - loss), rel=2 * loss)


def test_damping_falls_as_bodies_bounce_more():
    for model in MODELS.values():
        assert np.all(np.diff([model(e) for e in np.linspace(0.05, 1, 20)]) < 0)
