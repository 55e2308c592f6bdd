"""The implicit equation of one rotation."""

import numpy as np
import pytest

from dovetail.linalg.lie import so3
from dovetail.multibody import free_rotation

J = np.array([[2.0, 0.3, -0.1], [0.3, 1.5, 0.2], [-0.1, 0.2, 1.8]])


def rows(A):
    return tuple(tuple(float(x) for x in row) for row in A)


def vector(v):
    return tuple(float(x) for x in v)


@pytest.mark.parametrize("size", [1e-6, 0.1, 1.0, 3.0])
def test_jacobian_of_the_turn_equation_is_its_derivative(size):
    rng = np.random.default_rng(0)
    f = rng.standard_normal(3)
    f *= size / np.linalg.norm(f)
    q = rng.standard_normal(3)
    found = np.array(free_rotation.residual_jacobian(rows(J), vector(q), vector(f)))
    d = 1e-5
    for k, axis in enumerate(np.eye(3)):
        plus = free_rotation.residual(rows(J), vector(q), vector(f + d * axis))
        minus = free_rotation.residual(rows(J), vector(q), vector(f - d * axis))
        slope = (np.array(plus) - np.array(minus)) / (2 * d)
        assert np.abs(found[:, k] - slope).max() < 1e-9


@pytest.mark.parametrize("h", [1e-6, 0.01, 0.3, 1.0])
def test_turn_has_the_momentum_of_the_papers_equations(h):
    """Pi_k = T^-T(-f) J f / h and Pi_{k+1} = T^-T(f) J f / h, T^-T(a) = J_l^-1(a), eq. 18."""
    momentum = np.array([1.0, -2.0, 1.5])
    f, _, residual = free_rotation.rotation(rows(J), rows(np.linalg.inv(J)), h, vector(momentum))
    f = np.array(f)
    assert residual < 1e-13
    assert np.allclose(so3.left_jacobian_inverse(-f) @ J @ f / h, momentum, atol=1e-13)
    after = so3.left_jacobian_inverse(f) @ J @ f / h
    assert np.allclose(so3.exp(f) @ after, momentum, atol=1e-13)


def test_no_momentum_is_no_rotation():
    inverse = rows(np.linalg.inv(J))
    f, iterations, residual = free_rotation.rotation(rows(J), inverse, 0.1, (0.0,) * 3)
    assert f == (0.0, 0.0, 0.0) and iterations == 0 and residual == 0.0


def test_orthogonalising_squares_the_defect():
    R = so3.exp([0.3, -0.2, 0.9]) + 1e-6 * np.arange(9.0).reshape(3, 3)
    fixed = np.array(free_rotation.orthogonalised(rows(R)))
    assert np.abs(fixed.T @ fixed - np.eye(3)).max() < 1e-9
    assert np.abs(fixed - R).max() < 1e-5
