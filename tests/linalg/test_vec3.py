"""Tuple algebra against NumPy."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.linalg import vec3
from rounding import rounding

numbers = st.floats(-1e3, 1e3)
vectors = st.tuples(numbers, numbers, numbers)
matrices = st.tuples(vectors, vectors, vectors)


def close(ours, theirs, size):
    """Both sides sum up to three products, each within 3 * 2^-53 of `size`, the sum of sizes."""
    np.testing.assert_allclose(np.array(ours), theirs, rtol=0, atol=6 * 2.0**-53 * size + 1e-300)


def exact_determinant(a):
    (p, q, r), (s, t, u), (v, w, x) = (map(Fraction, row) for row in a)
    return float(p * (t * x - u * w) - q * (s * x - u * v) + r * (s * w - t * v))


@settings(deadline=None)
@given(vectors, vectors, numbers)
def test_vector_operations_are_those_of_linear_algebra(a, b, s):
    A, B = np.array(a), np.array(b)
    size = np.abs(A).max() * np.abs(B).max()
    np.testing.assert_array_equal(vec3.add(a, b), A + B)
    np.testing.assert_array_equal(vec3.sub(a, b), A - B)
    np.testing.assert_array_equal(vec3.scale(s, a), s * A)
    np.testing.assert_array_equal(vec3.neg(a), -A)
    np.testing.assert_array_equal(vec3.add_scaled(a, s, b), A + s * B)
    close(vec3.dot(a, b), A @ B, 3 * size)
    close(vec3.cross(a, b), np.cross(A, B), 2 * size)
    np.testing.assert_array_equal(vec3.outer(a, b), np.outer(A, B))
    close(vec3.norm_squared(a), A @ A, 3 * np.abs(A).max() ** 2)
    if np.abs(A).max() > 1e-150:
        assert vec3.norm(a) == pytest.approx(np.linalg.norm(A), rel=rounding(6))


@settings(deadline=None)
@given(matrices, matrices, vectors, numbers)
def test_matrix_operations_are_those_of_linear_algebra(a, b, x, s):
    A, B, X = np.array(a), np.array(b), np.array(x)
    size = 3 * np.abs(A).max()
    close(vec3.matvec(a, x), A @ X, size * np.abs(X).max())
    close(vec3.mat_t_vec(a, x), A.T @ X, size * np.abs(X).max())
    close(vec3.matmul(a, b), A @ B, size * np.abs(B).max())
    np.testing.assert_array_equal(vec3.transpose(a), A.T)
    np.testing.assert_array_equal(vec3.mat_add(a, b), A + B)
    np.testing.assert_array_equal(vec3.mat_sub(a, b), A - B)
    np.testing.assert_array_equal(vec3.mat_scale(s, a), s * A)
    close(vec3.determinant(a), exact_determinant(a), 6 * np.abs(A).max() ** 3)


@settings(deadline=None)
@given(matrices, vectors)
def test_solution_of_three_equations_leaves_a_residual_at_roundoff(a, b):
    A, B = np.array(a), np.array(b)
    if np.linalg.svd(A, compute_uv=False)[-1] < 1e-6:
        return
    x = np.array(vec3.solve(a, b))
    # Gaussian elimination with partial pivoting is backward stable; growth is at most 4 for n = 3
    backward = 3 * 3 * 4 * 2.0**-53 * np.abs(A).max() * np.abs(x).sum()
    assert np.abs(A @ x - B).max() <= backward + 4e-16 * np.abs(B).max()


def test_solving_pivots_when_leading_entries_vanish():
    for a in [
        ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
        ((0.0, 0.0, 1.0), (0.0, 2.0, 0.0), (1.0, 0.0, 0.0)),
        ((1e-20, 1.0, 0.0), (1.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    ]:
        np.testing.assert_allclose(
            vec3.solve(a, (1.0, 2.0, 3.0)),
            np.linalg.solve(np.array(a), [1, 2, 3]),
            rtol=rounding(20),
        )


def test_a_singular_system_has_no_finite_solution():
    x = vec3.solve(((1.0, 2.0, 3.0), (2.0, 4.0, 6.0), (0.0, 0.0, 1.0)), (1.0, 1.0, 1.0))
    assert not np.all(np.isfinite(x))


def test_loading_gives_back_what_was_stored():
    points, frames = np.zeros((4, 3)), np.zeros((4, 3, 3))
    v, m = (1.0, 2.0, 3.0), ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0))
    vec3.store3(points, 2, v)
    vec3.store33(frames, 1, m)
    assert vec3.load3(points, 2) == v
    assert vec3.load33(frames, 1) == m
    assert points.sum() == 6.0  # nothing else was touched
    assert frames.sum() == 45.0
