"""Equations of motion of random trees with every kind of joint, against each other."""

import numpy as np
import pytest

from composed_joints import COMPOSED, WITH_VALUES
from dovetail.model.joints.registry import BUILT_IN
from dovetail.multibody.tree import (
    build_tree,
    forward_dynamics,
    integrate,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    motion,
    potential_energy,
    random_configuration,
)
from random_trees import random_kinds, random_tree_parts

GRAVITY = (0.3, -1.2, -9.81)


@pytest.fixture(params=[*BUILT_IN, "every kind", "every kind twice", *COMPOSED, "composed"])
def system(request):
    rng = np.random.default_rng(7)
    if request.param in ("every kind", "every kind twice"):
        kinds = random_kinds(rng, 9 if request.param == "every kind" else 18)
    elif request.param == "composed":
        kinds = [*COMPOSED, *random_kinds(rng, 9)]
    else:
        kinds = [request.param] * 3
    tree = build_tree(*random_tree_parts(rng, kinds))
    return tree, random_configuration(tree, rng), rng.normal(size=tree.n_v), rng


def test_articulated_bodies_invert_newton_euler(system):
    tree, q, v, rng = system
    a = rng.normal(size=tree.n_v)
    wrench = rng.normal(size=(tree.n_bodies, 6))
    tau = inverse_dynamics(tree, q, v, a, GRAVITY, wrench)
    assert forward_dynamics(tree, q, v, tau, GRAVITY, wrench) == pytest.approx(a, abs=1e-10)


def test_mass_matrix_columns_are_efforts_of_unit_accelerations(system):
    tree, q, _, _ = system
    rest = np.zeros(tree.n_v)
    M = mass_matrix(tree, q)
    columns = [inverse_dynamics(tree, q, rest, unit, (0, 0, 0)) for unit in np.eye(tree.n_v)]
    assert np.abs(M - np.array(columns).reshape(M.shape).T).max(initial=0.0) < 1e-12
    assert np.array_equal(M, M.T)


def test_kinetic_energy_is_half_v_M_v(system):
    tree, q, v, _ = system
    expected = 0.5 * v @ mass_matrix(tree, q) @ v
    assert kinetic_energy(tree, q, v) == pytest.approx(expected, rel=1e-12)


def test_efforts_do_exactly_the_work_that_changes_energy(system):
    """d/dt (T + U) = tau . v along the motion, by a symmetric difference in time."""
    tree, q, v, rng = system
    tau = rng.normal(size=tree.n_v)
    a = forward_dynamics(tree, q, v, tau, GRAVITY)

    def energy(h):
        # q(h) to second order: the velocity halfway carries the step
        there = integrate(tree, q, v + 0.5 * h * a, h)
        return kinetic_energy(tree, there, v + h * a) + potential_energy(tree, there, GRAVITY)

    h = 1e-5
    power = (energy(h) - energy(-h)) / (2 * h)
    assert power == pytest.approx(tau @ v, rel=1e-6, abs=1e-6)


def test_velocities_are_the_rate_of_positions(system):
    tree, q, v, _ = system
    h = 1e-6
    now = motion(tree, q, v)
    ahead, behind = (motion(tree, integrate(tree, q, v, s * h)) for s in (1, -1))
    assert now.velocity == pytest.approx((ahead.com - behind.com) / (2 * h), abs=1e-8)
    turned = (ahead.rotation - behind.rotation) / (2 * h) @ np.swapaxes(now.rotation, 1, 2)
    omega = np.stack((turned[:, 2, 1], turned[:, 0, 2], turned[:, 1, 0]), axis=1)
    assert now.angular_velocity == pytest.approx(omega, abs=1e-8)


def test_wrench_on_a_body_does_the_work_of_its_motion(system):
    """J^T w . v equals torque . omega + force . velocity summed over bodies."""
    tree, q, v, rng = system
    wrench = rng.normal(size=(tree.n_bodies, 6))
    rest = np.zeros(tree.n_v)
    effort = inverse_dynamics(tree, q, rest, rest, (0, 0, 0)) - inverse_dynamics(
        tree, q, rest, rest, (0, 0, 0), wrench
    )
    now = motion(tree, q, v)
    power = (wrench[:, :3] * now.angular_velocity).sum() + (wrench[:, 3:] * now.velocity).sum()
    assert effort @ v == pytest.approx(power, abs=1e-11)


@pytest.mark.parametrize("kinds", [*([kind] * 3 for kind in WITH_VALUES), WITH_VALUES])
def test_efforts_of_velocities_alone_are_those_of_lagrange(kinds):
    """h_k = d/dt (M v)_k - d(v.M v / 2)/dq_k at constant v, by central differences."""
    rng = np.random.default_rng(11)
    tree = build_tree(*random_tree_parts(rng, kinds))
    q, v = random_configuration(tree, rng), rng.normal(size=tree.n_v)
    h = 1e-5

    def momenta(at):
        return mass_matrix(tree, at) @ v

    rate = (momenta(q + h * v) - momenta(q - h * v)) / (2 * h)
    slope = [
        (v @ momenta(q + h * unit) - v @ momenta(q - h * unit)) / (4 * h)
        for unit in np.eye(tree.n_v)
    ]
    efforts = inverse_dynamics(tree, q, v, np.zeros(tree.n_v), (0, 0, 0))
    assert efforts == pytest.approx(rate - slope, abs=1e-7)
