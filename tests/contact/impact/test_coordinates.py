"""Impulses along stops: nothing approaches any more, and energy is never gained."""

import numpy as np
import pytest

from dovetail.contact.impact.coordinates import reflect_rates


def energy_gained(A, rates, impulses):
    """[J] by impulses along stops with the inverse effective masses A."""
    return float(impulses @ rates + 0.5 * impulses @ A @ impulses)


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_one_stop_reflects_its_rate_by_the_coefficient_of_restitution(e):
    """v' = -e v, so the impulse is (1 + e) |v| / A and e^2 of the energy stays."""
    A, rate = np.array([[0.5]]), -3.0
    impulse = reflect_rates(A, np.array([rate]), np.array([e]))
    assert impulse[0] == pytest.approx((1 + e) * 3.0 / 0.5, rel=1e-14)
    assert rate + 0.5 * impulse[0] == pytest.approx(3.0 * e, rel=1e-12, abs=1e-14)
    lost = 0.5 * rate**2 / 0.5 * (1 - e**2)
    assert energy_gained(A, np.array([rate]), impulse) == pytest.approx(-lost, rel=1e-12, abs=1e-14)


def test_stops_that_part_get_no_impulse():
    found = reflect_rates(np.eye(2), np.array([2.0, 0.0]), np.ones(2))
    assert found.tolist() == [0.0, 0.0]
    found = reflect_rates(np.eye(2), np.array([2.0, -1.0]), np.array([1.0, 0.5]))
    assert found == pytest.approx([0.0, 1.5])
    assert len(reflect_rates(np.zeros((0, 0)), np.zeros(0), np.zeros(0))) == 0


@pytest.mark.parametrize("seed", range(8))
def test_coupled_stops_end_apart_without_a_gain_of_energy(seed):
    """Whatever the coefficients of each, also unequal ones, with which Newton's law may gain."""
    draw = np.random.default_rng(seed)
    k = int(draw.integers(2, 5))
    J = draw.normal(size=(k, k + 1))
    A, rates = J @ J.T, draw.normal(size=k)
    restitution = draw.integers(0, 2, k).astype(float)
    impulses = reflect_rates(A, rates, restitution)
    assert (impulses >= 0.0).all()
    assert (rates + A @ impulses).min() >= -1e-6 * np.abs(rates).max()
    assert energy_gained(A, rates, impulses) <= 1e-9 * float(impulses @ np.abs(rates))


def test_a_gain_of_energy_is_avoided_by_halving_the_restitution():
    """Two stops of which one is elastic and one is not, strongly coupled against each other."""
    A = np.array([[1.0, 0.9], [0.9, 1.0]])
    rates, restitution = np.array([-1.0, -0.95]), np.array([1.0, 0.0])
    impulses = reflect_rates(A, rates, restitution)
    assert energy_gained(A, rates, impulses) <= 1e-12
    assert (rates + A @ impulses).min() >= -1e-6


def test_a_stop_hit_in_consequence_of_another_is_reflected_too():
    """The first impulse drives the second stop: A_10 < 0."""
    A = np.array([[1.0, -0.5], [-0.5, 1.0]])
    impulses = reflect_rates(A, np.array([-1.0, 0.2]), np.array([1.0, 1.0]))
    assert (impulses > 0.0).all()
    after = np.array([-1.0, 0.2]) + A @ impulses
    assert after.min() >= -1e-6
    assert energy_gained(A, np.array([-1.0, 0.2]), impulses) == pytest.approx(0.0, abs=1e-6)
