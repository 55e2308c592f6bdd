"""Stiffness and damping of loads against differences of their wrenches."""

import numpy as np
import pytest

import dovetail as dt
from dovetail.integrators.shared.load_derivatives import LoadDerivatives
from dovetail.linalg.lie import so3
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.state import initial_state


def model(load):
    """Two bodies that move, connected by what `load` adds."""
    scene = dt.Scene()
    for k in range(2):
        scene.add_body(
            f"body {k}", dt.Box((0.3, 0.2, 0.1)), mass=1.0 + k, position=(k, 0.2 * k, 0),
            velocity=(0.3, -0.2 * k, 0.1), angular_velocity=(0.1, 0.2, -0.3 * k),
        )  # fmt: skip
    load(scene)
    return scene.build()


def drag(scene):
    """As a spring-damper between the centres, and a drag that turns."""

    def pull(t, state):
        d = state.position("body 1") - state.position("body 0")
        v = state.velocity("body 1") - state.velocity("body 0")
        f = -40.0 * d - 5.0 * v
        return {"body 1": (f, -0.2 * state.angular_velocity("body 1")), "body 0": (-f, np.zeros(3))}

    scene.add_load("drag", pull)


def dense(matrix):
    n = len(matrix.diagonal)
    full = np.zeros((n, 6, n, 6))
    full[np.arange(n), :, np.arange(n)] = matrix.diagonal
    for (a, b), block in zip(matrix.pairs, matrix.off):
        full[a, :, b], full[b, :, a] = block, block.T
    return full.reshape(6 * n, 6 * n)


def differences(loads, state, velocity):
    """(6n, 6n) minus the derivative of all wrenches in poses or velocities."""
    n, step, slopes = len(state.x), 1e-6, []
    for column in range(6 * n):
        i, k = divmod(column, 6)
        ends = []
        for sign in (1, -1):
            trial, change = state.copy(), np.zeros(3)
            change[k % 3] = sign * step
            if velocity and k < 3:
                trial.v[i] += change
            elif velocity:
                trial.omega[i] += trial.R[i].T @ change
            elif k < 3:
                trial.x[i] += change
            else:
                trial.R[i] = so3.exp(change) @ trial.R[i]
                trial.omega[i] = trial.R[i].T @ (state.R[i] @ state.omega[i])
            ends.append(np.concatenate(loads.wrenches(trial), axis=1).ravel())
        slopes.append((ends[1] - ends[0]) / (2 * step))
    return np.array(slopes).T


def test_damping_is_the_derivative_in_the_velocities():
    built = model(drag)
    loads, state = LoadForces(built), initial_state(built)
    found = dense(LoadDerivatives(built, loads).at(state, 1e-3).damping)
    np.testing.assert_allclose(found, differences(loads, state, True), atol=1e-5)


def test_stiffness_of_functions_is_the_derivative_in_the_poses():
    built = model(drag)
    loads, state = LoadForces(built), initial_state(built)
    found = dense(LoadDerivatives(built, loads).at(state, 1e-3).stiffness)
    np.testing.assert_allclose(found, differences(loads, state, False), atol=1e-5)


def test_stiffness_of_a_force_at_a_point_is_what_brings_it_back():
    def hang(scene):
        scene.add_force("hang", "body 1", (0, 0, -5.0), point=(1, 0.2, -0.3))

    built = model(hang)
    loads, state = LoadForces(built), initial_state(built)
    found = dense(LoadDerivatives(built, loads).at(state, 1e-3).stiffness)
    exact = differences(loads, state, False)
    np.testing.assert_allclose(found, 0.5 * (exact + exact.T), atol=1e-6)
    assert found[9, 9] == pytest.approx(1.5)


def test_sum_and_product_of_matrices():
    built = model(drag)
    loads, state = LoadForces(built), initial_state(built)
    stiffness, damping = LoadDerivatives(built, loads).at(state, 1e-3)
    twist = np.arange(12.0).reshape(2, 6)
    total = stiffness.plus(damping, 2.0, 3.0)
    np.testing.assert_allclose(dense(total), 2 * dense(stiffness) + 3 * dense(damping))
    np.testing.assert_allclose(total.times(twist).ravel(), dense(total) @ twist.ravel())


def test_product_of_a_matrix_that_couples_no_bodies():
    built = model(lambda scene: scene.add_force("hang", "body 1", (0, 0, -5.0), point=(1, 0, -0.3)))
    loads, state = LoadForces(built), initial_state(built)
    stiffness = LoadDerivatives(built, loads).at(state, 1e-3).stiffness
    assert not len(stiffness.pairs)
    twist = np.arange(12.0).reshape(2, 6)
    np.testing.assert_allclose(stiffness.times(twist).ravel(), dense(stiffness) @ twist.ravel())
