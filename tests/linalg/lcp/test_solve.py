"""Solvers against independent answers, each other, and problems without any."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls

import dovetail as dt
from rounding import rounding

METHODS = ("auto", "lemke", "pgs", "newton")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_solves_non_negative_least_squares(method):
    """min |C x - d|, x >= 0 is the LCP A = C^T C, b = -C^T d; Lawson and Hanson's code agrees."""
    random = np.random.default_rng(2)
    for n in (1, 3, 10, 40):
        C, d = random.normal(size=(2 * n, n)), random.normal(size=2 * n)
        expected, _ = nnls(C, d)
        found = dt.lcp.solve(C.T @ C, -C.T @ d, method=method)
        assert found.solved, found.message
        assert found.residual < 1e-10
        assert np.allclose(found.x, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", ["auto", "pgs", "newton"])
def test_an_elastic_string_over_an_obstacle_touches_where_the_closed_form_says(method):
    """u'' = f off the obstacle u = 0 of a string held at height 1 at both ends, f = 32.

    The free parts are parabolas tangent to the obstacle at 1/4 and 3/4: u = 16 (s - 1/4)^2.
    """
    n = 199 if method == "pgs" else 1999
    h = 1.0 / (n + 1)
    A = sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=(-1, 0, 1))
    b = np.full(n, 32.0 * h * h)
    b[0] -= 1.0
    b[-1] -= 1.0
    found = dt.lcp.solve(A, b, method=method, max_iterations=200_000)
    assert found.solved, found.message
    s = h * np.arange(1, n + 1)
    exact = 16 * np.maximum(np.abs(s - 0.5) - 0.25, 0.0) ** 2
    assert np.allclose(found.x, exact, atol=1e-7 if method != "pgs" else 1e-6)


def test_newton_solves_a_problem_that_is_not_symmetric():
    random = np.random.default_rng(4)
    n = 300
    skew = random.normal(size=(n, n)) / np.sqrt(n)
    A = np.eye(n) + skew - skew.T
    b = random.normal(size=n)
    newton, lemke = (dt.lcp.solve(A, b, method=method) for method in ("newton", "lemke"))
    assert newton.solved and lemke.solved
    assert newton.iterations < 60
    assert np.allclose(newton.x, lemke.x, atol=1e-10)


def test_lemke_ends_on_a_problem_made_to_cycle():
    """Kostreva's example, on which Lemke's method without a rule for ties goes round for ever."""
    A = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]])
    found = dt.lcp.solve(A, [-1.0, -1.0, -1.0], method="lemke")
    assert found.solved
    assert np.allclose(found.x, 1 / 3, rtol=0, atol=rounding(20))


def test_highly_degenerate_problems_end():
    random = np.random.default_rng(8)
    for _ in range(300):
        n = int(random.integers(2, 12))
        half = random.integers(-1, 2, size=(n, max(1, n // 2))).astype(float)
        b = -(half @ half.T) @ random.integers(0, 2, size=n)  # feasible: x with y = 0 exists
        found = dt.lcp.solve(half @ half.T, b, method="lemke")
        assert found.solved, (half, b, found.message)


def test_a_problem_without_solution_is_an_answer_with_its_proof():
    found = dt.lcp.solve([[-1.0]], [-1.0])
    assert not found.solved
    assert found.has_none
    assert "no solution" in found.message
    large = dt.lcp.solve(-np.eye(400), -np.ones(400))
    assert not large.solved
    assert large.has_none
    assert "no x >= 0" in large.message


def test_a_ray_is_reported_and_does_not_claim_too_much():
    found = dt.lcp.solve([[-1.0]], [-1.0], method="lemke")
    assert (found.solved, found.has_none) == (False, False)
    assert "ray" in found.message


def test_gauss_seidel_says_why_it_cannot_start_or_did_not_arrive():
    start = dt.lcp.solve([[0.0, 1.0], [-1.0, 1.0]], [-1.0, 1.0], method="pgs")
    assert not start.solved
    assert "A[0, 0] is not > 0" in start.message
    late = dt.lcp.solve([[1.0, -3.0], [-3.0, 1.0]], [-1.0, -1.0], method="pgs")
    assert not late.solved
    assert "residual" in late.message


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e3, 1e12])
def test_units_do_not_change_the_answer(scale):
    random = np.random.default_rng(1)
    A = random.normal(size=(8, 8))
    A, b = A @ A.T, random.normal(size=8)
    plain = dt.lcp.solve(A, b)
    scaled = dt.lcp.solve(A / scale, b * scale)
    assert scaled.solved
    assert np.allclose(scaled.x / scale**2, plain.x, rtol=1e-10, atol=1e-14)


def test_ill_scaled_unknowns_are_solved_to_the_same_residual():
    random = np.random.default_rng(1)
    A = random.normal(size=(12, 12))
    S = np.diag(10.0 ** random.uniform(-7, 7, 12))
    found = dt.lcp.solve(S @ (A @ A.T) @ S, S @ random.normal(size=12))
    assert found.solved
    assert found.residual < 1e-12


def test_a_problem_without_unknowns_is_solved():
    found = dt.lcp.solve(np.zeros((0, 0)), np.zeros(0))
    assert found.solved
    assert found.x.shape == (0,)
