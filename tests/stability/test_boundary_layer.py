"""Both criteria of the boundary layer against the roots themselves."""

import numpy as np
import pytest

import dovetail as dt


def companion_growth(D, c, k):
    """The largest real part of the eigenvalues of (y, y')' = [[0, I], [-k D, -c D]] (y, y')."""
    n = len(D)
    full = np.block([[np.zeros((n, n)), np.eye(n)], [-k * D, -c * D]])
    return float(np.max(np.linalg.eigvals(full).real))


def test_the_exact_verdict_is_that_of_the_full_systems_eigenvalues():
    random = np.random.default_rng(0)
    seen = {True: 0, False: 0}
    for _ in range(2000):
        n = int(random.integers(1, 5))
        D = random.normal(size=(n, n)) + random.uniform(0, 3) * np.eye(n)
        c, k = 10 ** random.uniform(-1, 1, 2)
        growth = companion_growth(D, c, k)
        if abs(growth) < 1e-9:
            continue
        layer = dt.stability.boundary_layer(D, c, k)
        assert layer.stable == (growth < 0)
        assert np.max(layer.rates.real) == pytest.approx(growth, rel=1e-6, abs=1e-9)
        seen[layer.stable] += 1
    assert min(seen.values()) > 300


@pytest.mark.parametrize(("c", "stable"), [(2.0, True), (1.0, True), (0.9, False), (0.1, False)])
def test_a_complex_pair_is_stable_from_a_certain_damping_on(c, stable):
    """sigma = 1 +- 3 i: c^2 a (a^2 + b^2) > k b^2 means c^2 > 0.9, c > 0.949."""
    layer = dt.stability.boundary_layer([[1.0, 3.0], [-3.0, 1.0]], c=c)
    assert layer.stable == stable
    assert not layer.positive_definite  # the paper's test denies all of them
    assert layer.symmetric_part_positive_definite  # and its theorem, read so, grants all
    assert layer.agree == (not stable)
    assert ("paper" in layer.message) if stable else ("c > 0.948683" in layer.message)


def test_the_criteria_agree_on_symmetric_matrices():
    random = np.random.default_rng(1)
    for _ in range(300):
        S = random.normal(size=(3, 3)) + random.uniform(0, 4) * np.eye(3)
        layer = dt.stability.boundary_layer(S + S.T)
        assert layer.agree
        assert np.all(layer.eigenvalues.imag == 0)


def test_a_direction_without_resistance_is_not_stable():
    layer = dt.stability.boundary_layer([[1.0, 1.0], [1.0, 1.0]])
    assert not layer.stable
    assert not layer.positive_definite


def test_a_defective_double_eigenvalue_counts_as_real():
    assert dt.stability.boundary_layer([[1.0, 5.0], [0.0, 1.0]]).positive_definite


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_units_of_mass_do_not_change_the_verdict(scale):
    D = scale * np.array([[1.0, 3.0], [-3.0, 1.0]])
    assert dt.stability.boundary_layer(D, c=1 / np.sqrt(scale)).stable
    assert not dt.stability.boundary_layer(D, c=0.9 / np.sqrt(scale)).stable


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((np.ones((2, 3)),), r"`D` must be a square matrix, got shape \(2, 3\)"),
        (([[np.nan]],), "finite numbers"),
        (("D",), "square matrix of real numbers, got 'D'"),
        ((np.eye(2), -1.0), r"`c`, the damping .* must be a number > 0, got -1\.0"),
        ((np.eye(2), 1.0, 0.0), "`k`, the stiffness"),
    ],
)
def test_mistakes_are_reported_in_a_sentence(arguments, sentence):
    with pytest.raises(dt.InputError, match=sentence):
        dt.stability.boundary_layer(*arguments)
