"""Joint constraints: values, Jacobians and second derivatives of every joint."""

import numpy as np
import pytest

from dovetail.linalg.lie import so3
from dovetail.model.joints.registry import BUILT_IN
from dovetail.multibody.constraints import ConstrainedSystem
from dovetail.multibody.constraints import rows as constraints_rows
from dovetail.multibody.constraints.bodies import JOINT
from jointed_scenes import EVERY_JOINT, two_bodies_joined_by
from rounding import rounding


def values_and_jacobians(rows, x, R, near):
    count = len(rows.kind)
    phi, angle, G = np.zeros(count), np.zeros(count), np.zeros((count, 2, 6))
    constraints_rows.evaluate(constraints_rows.bundle_rows(*rows), x, R, near, phi, angle, G)
    return phi, G


def displaced(seed=1, size=0.1):
    """A system moved off its joints at random, with a random twist."""
    rng = np.random.default_rng(seed)

    def of(joint):
        system = ConstrainedSystem(two_bodies_joined_by(joint).build())
        start = system.initial
        x = start.x + size * rng.normal(size=(2, 3))
        R = start.R @ so3.exp(size * rng.normal(size=(2, 3)))
        return system.rows, x, R, rng.normal(size=(2, 3)), rng.normal(size=(2, 3))

    return of


def test_every_kind_of_joint_is_tested():
    assert set(EVERY_JOINT) == set(BUILT_IN)


@pytest.mark.parametrize("kind", EVERY_JOINT)
def test_joint_takes_away_what_it_does_not_leave_free(kind):
    system = ConstrainedSystem(two_bodies_joined_by(EVERY_JOINT[kind]).build())
    own = system.row_joint == 1
    assert own.sum() == 6 - EVERY_JOINT[kind].freedoms
    assert (system.constants.role[own] == JOINT).all()
    start = system.initial
    phi, G = values_and_jacobians(system.rows, start.x, start.R, np.zeros(len(own)))
    assert np.abs(phi).max(initial=0) < rounding(20)
    if own.any():  # independent: each row holds a motion no other does
        assert np.linalg.matrix_rank(G[own].reshape(own.sum(), 12)) == own.sum()


@pytest.mark.parametrize("kind", EVERY_JOINT)
def test_jacobian_is_the_derivative_of_the_constraint(kind):
    """Fourth-order central differences along a random twist, at a pose that violates the joint."""
    rows, x, R, v, omega = displaced()(EVERY_JOINT[kind])
    near = np.zeros(len(rows.kind))

    def phi(t):
        return values_and_jacobians(rows, x + t * v, R @ so3.exp(t * omega), near)[0]

    h = 1e-3
    slope = (8 * (phi(h) - phi(-h)) - (phi(2 * h) - phi(-2 * h))) / (12 * h)
    G = values_and_jacobians(rows, x, R, near)[1]
    rate = [constraints_rows.row_rate(rows.body, G, r, v, omega) for r in range(len(near))]
    assert np.allclose(slope, rate, rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", EVERY_JOINT)
def test_bias_is_the_second_derivative_at_constant_twist(kind):
    rows, x, R, v, omega = displaced(seed=2)(EVERY_JOINT[kind])
    near = np.zeros(len(rows.kind))

    def phi(t):
        return values_and_jacobians(rows, x + t * v, R @ so3.exp(t * omega), near)[0]

    h = 2e-3
    near_terms = 16 * (phi(h) + phi(-h)) - 30 * phi(0)
    bend = (near_terms - phi(2 * h) - phi(-2 * h)) / (12 * h * h)
    bias = np.zeros(len(near))
    constraints_rows.bias(constraints_rows.bundle_rows(*rows), x, R, v, omega, phi(0), bias)
    assert np.allclose(bend, bias, rtol=0, atol=1e-7)
