"""The discrete momenta against the discrete Lagrangians they are derivatives of."""

import numpy as np
import pytest

from dovetail.integrators.variational.discrete_momentum import (
    CENTRAL,
    DIFFERENCE,
    LOGARITHM,
    momentum,
    momentum_jacobian,
)
from dovetail.linalg.lie import so3
from rounding import rounding

INERTIA = np.array([[2.0, 0.3, -0.2], [0.3, 1.5, 0.1], [-0.2, 0.1, 0.9]])
TURNS = [(0.0, 0.0, 0.0), (1e-4, -2e-4, 1e-4), (0.3, -0.2, 0.5), (1.2, 0.7, -1.9)]


def by_logarithm(F):
    W = so3.log(F)
    return 0.5 * W @ INERTIA @ W


def by_difference(F):
    """tr((I - F) J_d), equation 8."""
    J_d = 0.5 * np.trace(INERTIA) * np.eye(3) - INERTIA
    return np.trace((np.eye(3) - F) @ J_d)


def by_central_difference(F):
    """The quotient F - I seen from the middle (I + F) / 2: a skew matrix, Cayley's map."""
    W = so3.vee(np.linalg.solve((np.eye(3) + F) / 2, F - np.eye(3)))
    return 0.5 * W @ INERTIA @ W


RULES = {LOGARITHM: by_logarithm, DIFFERENCE: by_difference, CENTRAL: by_central_difference}


def as_tuples(matrix):
    return tuple(tuple(float(entry) for entry in row) for row in matrix)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("turn", TURNS)
def test_momentum_is_the_derivative_of_the_discrete_lagrangian(rule, turn):
    """h Pi_1 . n = d/de L(F exp(e n)) and Pi_0 = F Pi_1 (eq. 2)."""
    F, eps = so3.exp(turn), 1e-5
    slopes = [
        (RULES[rule](F @ so3.exp(eps * n)) - RULES[rule](F @ so3.exp(-eps * n))) / (2 * eps)
        for n in np.eye(3)
    ]
    J = as_tuples(INERTIA)
    assert np.allclose(momentum(rule, J, turn, -1.0), slopes, rtol=0, atol=1e-8)
    end = np.array(momentum(rule, J, turn, -1.0))
    assert np.allclose(momentum(rule, J, turn, 1.0), F @ end, rtol=1e-13, atol=rounding(20))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("turn", TURNS)
def test_jacobian_is_the_derivative_of_the_momentum(rule, turn):
    J, eps = as_tuples(INERTIA), 1e-5
    at = np.array(turn)
    columns = [
        np.subtract(momentum(rule, J, tuple(at + eps * n), 1.0),
                    momentum(rule, J, tuple(at - eps * n), 1.0)) / (2 * eps)
        for n in np.eye(3)
    ]  # fmt: skip
    assert np.allclose(momentum_jacobian(rule, J, turn), np.transpose(columns), atol=1e-8)
