"""The inertia term on the group: its minimum is the free motion, its derivatives are exact."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dovetail.contact.ipc.newton.inertia_potential import (
    inertia_energy,
    inertia_terms,
    second_moment,
)


def predicted_rotation(R, rotation):
    """R^ = R + [rotation] R, rotation = h times the world angular velocity; no rotation itself."""
    return tuples(np.array(R) + np.cross(rotation, np.array(R).T).T)


def tuples(matrix):
    return tuple(tuple(row) for row in np.asarray(matrix, float).tolist())


def random_body(rng, flat=False):
    """Inertia of random points, far or flat as a plate."""
    points = rng.normal(size=(20, 3)) * (1, 2, 0 if flat else 0.3)
    J = points.T @ points
    return np.trace(J) * np.eye(3) - J, J


def case(seed, flat=False):
    rng = np.random.default_rng(seed)
    inertia, J = random_body(rng, flat)
    R_0 = Rotation.random(rng=rng).as_matrix()
    R = Rotation.from_rotvec(0.3 * rng.normal(size=3)).as_matrix() @ R_0
    R_hat = np.array(predicted_rotation(tuples(R_0), tuple(0.2 * rng.normal(size=3))))
    x, x_hat, impulse = rng.normal(size=(3, 3))
    return inertia, J, x, R, x_hat, R_hat, R_0, impulse


def arguments(case, s=(0, 0, 0), w=(0, 0, 0)):
    inertia, _, x, R, x_hat, R_hat, R_0, impulse = case
    J = second_moment(tuples(inertia))
    R = Rotation.from_rotvec(w).as_matrix() @ R
    return (
        2.5,
        J,
        tuple(x + s),
        tuples(R),
        tuple(x_hat),
        *map(tuples, (R_hat, R_0)),
        tuple(impulse),
    )


def test_the_second_moment_is_the_integral_of_r_r_transposed():
    inertia, J = random_body(np.random.default_rng(0))
    np.testing.assert_allclose(second_moment(tuples(inertia)), J, rtol=1e-13)


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_derivatives_match_differences(seed, flat):
    body = case(seed, flat)
    force, torque, H = inertia_terms(*arguments(body))
    h, unit = 1e-3, np.eye(3)

    def along(s, w, t):
        return inertia_energy(*arguments(body, t * h * s, t * h * w))

    def first(s, w):
        f = [along(s, w, t) for t in (-2, -1, 1, 2)]
        return np.dot([1, -8, 8, -1], f) / (12 * h)

    def second(w):
        f = [along(0 * w, w, t) for t in (-2, -1, 0, 1, 2)]
        return np.dot([-1, 16, -30, 16, -1], f) / (12 * h * h)

    np.testing.assert_allclose(force, [first(e, 0 * e) for e in unit], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(torque, [first(0 * e, e) for e in unit], rtol=1e-8, atol=1e-9)
    pure = [second(e) for e in unit]
    numeric = np.diag(pure)
    for i in range(3):
        for j in range(i):
            both = second(unit[i] + unit[j])
            numeric[i, j] = numeric[j, i] = (both - pure[i] - pure[j]) / 2
    np.testing.assert_allclose(H, numeric, rtol=0, atol=1e-6 * np.abs(numeric).max())


def test_a_torque_turns_a_resting_body_by_euler_s_law():
    """At the minimum from rest, R_0 = 1: I w = h^2 torque to first order in a small torque."""
    inertia, _ = random_body(np.random.default_rng(4))
    J = second_moment(tuples(inertia))
    impulse, eye = np.array([1e-4, -2e-4, 3e-4]), tuples(np.eye(3))
    w = np.zeros(3)
    for _ in range(20):
        R = tuples(Rotation.from_rotvec(w).as_matrix())
        zero = (0.0, 0.0, 0.0)
        _, gradient, H = inertia_terms(1.0, J, zero, R, zero, eye, eye, tuple(impulse))
        step = Rotation.from_rotvec(-np.linalg.solve(H, gradient))
        w = (step * Rotation.from_rotvec(w)).as_rotvec()
    np.testing.assert_allclose(inertia @ w, impulse, rtol=1e-4)


def test_without_loads_the_minimum_keeps_the_angular_momentum_to_first_order():
    """Angular momentum of the step against the one before: the defect falls with h."""
    inertia, _ = random_body(np.random.default_rng(5))
    spin = np.array([0.7, -0.4, 1.1])
    moment, eye, zero = second_moment(tuples(inertia)), tuples(np.eye(3)), (0.0, 0.0, 0.0)
    defects = []
    for h in (0.02, 0.01):
        R_hat = predicted_rotation(eye, tuple(h * spin))
        w = h * spin
        for _ in range(30):
            R = tuples(Rotation.from_rotvec(w).as_matrix())
            _, gradient, H = inertia_terms(1.0, moment, zero, R, zero, R_hat, eye, zero)
            w = (
                Rotation.from_rotvec(-np.linalg.solve(H, gradient)) * Rotation.from_rotvec(w)
            ).as_rotvec()
        R = Rotation.from_rotvec(w).as_matrix()
        L = R @ inertia @ R.T @ w / h
        defects.append(np.linalg.norm(L - inertia @ spin))
    assert defects[1] < 0.6 * defects[0]
    assert defects[0] < 0.1 * np.linalg.norm(inertia @ spin)
