"""Zeros, minima, exponentials and eliminations against SciPy and NumPy."""

import numpy as np
import pytest
from scipy import linalg

from dovetail.linalg.block_elimination import solve_block_sparse
from dovetail.linalg.exponential import exponential
from dovetail.linalg.roots import minimum_between, root_between
from dovetail.linalg.triangular import solve_lower, solve_upper


@pytest.mark.parametrize(
    ("function", "low", "high", "zero"),
    [
        (np.cos, 1.0, 2.0, np.pi / 2),
        (lambda x: x**3, -1.0, 4.0, 0.0),
        (lambda x: x - 1e-9, -1.0, 1.0, 1e-9),
        (lambda x: 1.0 if x > 0.3 else -1.0, 0.0, 1.0, 0.3),
        (lambda x: np.exp(50 * x) - 1.0, -2.0, 1.0, 0.0),
        (lambda x: x, 0.0, 1.0, 0.0),
    ],
)
def test_zero_is_found_to_its_tolerance(function, low, high, zero):
    calls = []
    found = root_between(lambda x: calls.append(x) or float(function(x)), low, high, 1e-14)
    assert found == pytest.approx(zero, abs=2e-14)
    assert len(calls) < 150


def test_same_signs_at_both_ends_are_refused():
    with pytest.raises(ValueError, match="one sign"):
        root_between(lambda x: x * x + 1, -1.0, 1.0, 1e-9)


def test_minimum_of_a_parabola_is_found_to_the_square_root_of_rounding():
    x, value = minimum_between(lambda x: (x - 0.7) ** 2 + 3.0, 0.0, 2.0, 1e-9)
    assert x == pytest.approx(0.7, abs=3e-8) and value == pytest.approx(3.0, abs=1e-15)


@pytest.mark.parametrize("size", [1e-3, 1.0, 30.0, 1e3])
def test_exponential_of_a_matrix_equals_scipys(size):
    A = np.random.default_rng(3).normal(size=(6, 6))
    A = size * (A - A.T)  # a rotation: no growth
    assert np.allclose(exponential(A), linalg.expm(A), atol=1e-12 * max(1.0, size))


def test_triangles_are_solved_like_scipys():
    rng = np.random.default_rng(5)
    L = np.tril(rng.normal(size=(7, 7))) + 4 * np.eye(7)
    b = rng.normal(size=(7, 2))
    assert np.allclose(solve_lower(L, b), linalg.solve_triangular(L, b, lower=True), rtol=1e-13)
    assert np.allclose(solve_upper(L.T, b), linalg.solve_triangular(L.T, b), rtol=1e-13)
    assert solve_upper(np.zeros((0, 0)), np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("weak", [False, True])
def test_sparse_blocks_are_solved_also_where_a_diagonal_block_is_singular(weak):
    rng = np.random.default_rng(11)
    n, k = 30, 3
    blocks = {(i, i): rng.normal(size=(k, k)) + 6 * np.eye(k) for i in range(n)}
    for i, j in rng.integers(0, n, (40, 2)):
        if i != j:
            blocks[i, j], blocks[j, i] = rng.normal(size=(2, k, k))
    if weak:
        blocks[0, 0] = np.zeros((k, k))
        blocks[0, 1] = blocks[1, 0] = np.eye(k)
    dense = np.zeros((n, k, n, k))
    for (i, j), block in blocks.items():
        dense[i, :, j] = block
    x = rng.normal(size=(n, k))
    right = np.einsum("iajb,jb->ia", dense, x)
    assert np.allclose(solve_block_sparse(blocks, right), x, rtol=1e-8)
