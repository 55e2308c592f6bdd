"""Rotations: exp and log at all angles, tangent maps, quaternions."""

import math
from decimal import Decimal
from operator import add, mul

import numpy as np
import pytest
from hypothesis import strategies as st
from rotation_strategies import for_all, rotation_vectors, unit_vectors
from scipy.linalg import expm, expm_frechet

from dovetail.errors import InputError
from dovetail.linalg import so3 as tuples
from dovetail.linalg.lie import so3

EPS = 2.0**-52

quaternions = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: max(map(abs, q)) > 1e-3)


@for_all(rotation_vectors())
def test_hat_is_the_cross_product_and_vee_undoes_it(w):
    u = np.array([0.3, -1.2, 2.5])
    np.testing.assert_allclose(so3.hat(w) @ u, np.cross(w, u), rtol=0, atol=8 * EPS * 13)
    np.testing.assert_array_equal(so3.vee(so3.hat(w)), w)


@for_all(rotation_vectors())
def test_exp_is_the_matrix_exponential(w):
    # SciPy errs by up to 170 round-offs (at w = (-4, 0, 0)); the next test says how exact we are
    tolerance = 1000 * EPS
    np.testing.assert_allclose(so3.exp(w), expm(so3.hat(w)), rtol=0, atol=tolerance)


@pytest.mark.parametrize("angle", [1e-9, 1e-3, 0.1, 1.0, 3.0, math.pi, 6.0, 12.0])
def test_exp_is_exact_to_the_rounding_of_its_angle(angle):
    rng = np.random.default_rng(11)
    for axis in rng.normal(size=(10, 3)):
        w = angle * axis / np.linalg.norm(axis)
        W = [[Decimal(x) for x in row] for row in so3.hat(w).tolist()]
        term = [[Decimal(int(i == j)) for j in range(3)] for i in range(3)]
        exact = term
        for k in range(1, 80):
            term = [[sum(map(mul, row, col)) / k for col in zip(*W)] for row in term]
            exact = [list(map(add, a, b)) for a, b in zip(exact, term)]
        error = np.abs(so3.exp(w) - np.array(exact, dtype=float)).max()
        assert error <= (2 + angle) * EPS


@for_all(rotation_vectors())
def test_exp_is_orthogonal_to_roundoff(w):
    R = so3.exp(w)
    assert np.abs(R.T @ R - np.eye(3)).max() <= 10 * EPS  # 7 ours, the rest is the product's
    assert np.linalg.det(R) > 0


@for_all(rotation_vectors(largest=math.pi - 1e-14))
def test_log_gives_back_the_rotation_vector(w):
    angle = np.linalg.norm(w)
    error = np.abs(so3.log(so3.exp(w)) - w).max()
    # relative to the angle: a rotation of 1e-12 rad keeps all its digits
    assert error <= 8 * EPS * angle + 5e-324


@for_all(unit_vectors(), st.floats(-300.0, -8.0))
def test_log_keeps_all_digits_of_a_tiny_rotation(axis, exponent):
    w = 10.0**exponent * axis
    assert np.abs(so3.log(so3.exp(w)) - w).max() <= 4 * EPS * np.abs(w).max()


@for_all(rotation_vectors())
def test_exp_of_log_is_the_same_rotation_at_any_angle(w):
    R = so3.exp(w)
    v = so3.log(R)
    assert np.linalg.norm(v) <= math.pi * (1 + EPS)
    np.testing.assert_allclose(so3.exp(v), R, rtol=0, atol=12 * EPS)


@for_all(unit_vectors())
def test_log_of_a_half_turn_is_its_axis_times_pi(axis):
    half_turn = 2.0 * np.outer(axis, axis) - np.eye(3)
    w = so3.log(half_turn)
    largest = np.argmax(np.abs(axis))
    expected = math.pi * axis * np.sign(axis[largest])
    if w[largest] < 0:  # rounding of the matrix may put it past the half turn
        w = -w
    np.testing.assert_allclose(w, expected, rtol=0, atol=16 * EPS)


def test_log_of_an_exact_half_turn_has_its_largest_component_positive():
    for i in range(3):
        axis = np.eye(3)[i]
        np.testing.assert_array_equal(so3.log(2 * np.outer(axis, axis) - np.eye(3)), math.pi * axis)


@for_all(unit_vectors(), st.floats(-15.0, -3.0))
def test_log_resolves_which_side_of_a_half_turn_it_is_on(axis, exponent):
    gap = 10.0**exponent
    w = so3.log(so3.exp((math.pi + gap) * axis))  # past the half turn: opposite axis
    if gap > 1e-13:
        np.testing.assert_allclose(w, -(math.pi - gap) * axis, rtol=0, atol=16 * EPS)
    assert np.linalg.norm(w) == pytest.approx(math.pi - gap, abs=16 * EPS)


@for_all(rotation_vectors(largest=3.0), st.floats(-12.0, -3.0), st.integers(0, 2**32 - 1))
def test_log_of_a_slightly_skewed_matrix_is_off_by_no_more_than_its_defect(w, exponent, seed):
    defect = 10.0**exponent * np.random.default_rng(seed).uniform(-1.0, 1.0, (3, 3))
    skewed = so3.exp(w) + defect
    # the logarithm's own slope is |J_l^-1| <= (3/2) / sin(3/2), and 2 for the larger quaternion row
    assert np.abs(so3.log(skewed) - w).max() <= 16 * 10.0**exponent


@for_all(rotation_vectors(), unit_vectors())
def test_left_jacobian_is_the_derivative_of_exp(w, d):
    _, derivative = expm_frechet(so3.hat(w), so3.hat(d))
    moved = derivative @ so3.exp(w).T  # d/de exp(w + e d) exp(w)^-1 = hat(J_l d)
    np.testing.assert_allclose(so3.left_jacobian(w) @ d, so3.vee(moved), rtol=0, atol=200 * EPS)
    np.testing.assert_allclose(
        so3.right_jacobian(w) @ d, so3.vee(so3.exp(w).T @ derivative), rtol=0, atol=200 * EPS
    )


@for_all(rotation_vectors())
def test_right_jacobian_is_the_left_one_of_the_reverse_rotation(w):
    np.testing.assert_array_equal(so3.right_jacobian(w), so3.left_jacobian(-w))
    np.testing.assert_array_equal(
        so3.right_jacobian_inverse(np.minimum(w, 3.0)), so3.left_jacobian_inverse(-np.minimum(w, 3))
    )


@for_all(rotation_vectors(largest=6.0))
def test_inverse_jacobian_undoes_the_jacobian_to_roundoff(w):
    J, K = so3.left_jacobian(w), so3.left_jacobian_inverse(w)
    size = max(1.0, np.abs(K).max())
    np.testing.assert_allclose(J @ K, np.eye(3), rtol=0, atol=16 * EPS * size)
    J, K = so3.right_jacobian(w), so3.right_jacobian_inverse(w)
    np.testing.assert_allclose(K @ J, np.eye(3), rtol=0, atol=16 * EPS * size)


@for_all(rotation_vectors())
def test_exp_is_the_identity_plus_hat_times_left_jacobian(w):
    np.testing.assert_allclose(
        so3.exp(w), np.eye(3) + so3.hat(w) @ so3.left_jacobian(w), rtol=0, atol=40 * EPS
    )


@for_all(rotation_vectors(), rotation_vectors())
def test_adjoint_carries_a_rotation_into_another_frame(a, b):
    R = so3.exp(a)
    carried = R @ so3.exp(b) @ R.T
    np.testing.assert_allclose(so3.exp(so3.adjoint(R) @ b), carried, rtol=0, atol=100 * EPS)


@for_all(quaternions)
def test_quaternion_comes_back_with_unit_length_and_positive_scalar(q):
    q = np.array(q)
    unit = q / np.linalg.norm(q)
    back = so3.to_quaternion(so3.from_quaternion(q))
    assert back[0] >= 0
    assert np.linalg.norm(back) == pytest.approx(1.0, abs=2 * EPS)
    error = min(np.abs(back - unit).max(), np.abs(back + unit).max())
    assert error <= 8 * EPS


@for_all(rotation_vectors())
def test_rotation_comes_back_from_its_quaternion(w):
    R = so3.exp(w)
    np.testing.assert_allclose(so3.from_quaternion(so3.to_quaternion(R)), R, atol=12 * EPS, rtol=0)


@for_all(quaternions, st.floats(-1.0, 1.0))
def test_quaternion_length_does_not_matter(q, exponent):
    scaled = np.array(q) * 10.0 ** (100 * exponent)
    np.testing.assert_allclose(
        so3.from_quaternion(scaled), so3.from_quaternion(q), rtol=0, atol=8 * EPS
    )


def test_quaternion_has_the_scalar_first_and_turns_counterclockwise():
    quarter = so3.from_quaternion([math.sqrt(0.5), 0, 0, math.sqrt(0.5)])
    np.testing.assert_allclose(quarter @ [1, 0, 0], [0, 1, 0], atol=2 * EPS)


@for_all(st.integers(0, 2**32 - 1))
def test_projection_is_nearer_than_any_other_rotation(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 3))
    nearest = so3.project(A)
    assert so3.is_rotation(nearest, 8 * EPS)
    distance = np.linalg.norm(nearest - A)
    for size in (1e-3, 0.1, 1.0, 3.0):
        other = so3.exp(size * rng.normal(size=(20, 3))) @ nearest
        assert np.linalg.norm(other - A, axis=(1, 2)).min() >= distance - 1e-12


@for_all(rotation_vectors())
def test_projection_leaves_a_rotation_as_it_is(w):
    np.testing.assert_allclose(so3.project(so3.exp(w)), so3.exp(w), rtol=0, atol=16 * EPS)


def test_reflections_and_stretches_are_not_rotations():
    matrices = np.array([np.eye(3), -np.eye(3), 2 * np.eye(3), np.diag([1, 1, -1.0])])
    np.testing.assert_array_equal(so3.is_rotation(matrices), [True, False, False, False])
    assert not so3.is_rotation(np.full((3, 3), np.nan))


FROM_VECTORS = ["hat", "exp", "left_jacobian", "right_jacobian"]
FROM_VECTORS += ["left_jacobian_inverse", "right_jacobian_inverse"]
FROM_MATRICES = ["vee", "log", "to_quaternion"]


@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (2, 0), (1, 2, 3)])
def test_leading_dimensions_are_kept(shape):
    w = np.random.default_rng(3).normal(size=(*shape, 3))
    for name in FROM_VECTORS:
        assert getattr(so3, name)(w).shape == (*shape, 3, 3)
    R = so3.exp(w)
    assert so3.log(R).shape == so3.vee(R).shape == (*shape, 3)
    assert so3.to_quaternion(R).shape == (*shape, 4)
    assert so3.from_quaternion(so3.to_quaternion(R)).shape == (*shape, 3, 3)
    assert so3.project(R).shape == so3.adjoint(R).shape == (*shape, 3, 3)
    assert so3.is_rotation(R).shape == shape


def test_tuple_and_array_forms_agree_to_the_bit():
    w = np.random.default_rng(5).normal(size=(20, 3)) * np.logspace(-9, 0.3, 20)[:, None]
    R = so3.exp(w)
    for name in FROM_VECTORS:
        one_by_one = [getattr(tuples, name)(tuple(row)) for row in w.tolist()]
        np.testing.assert_array_equal(getattr(so3, name)(w), one_by_one)
    for name in FROM_MATRICES:
        one_by_one = [getattr(tuples, name)(tuple(map(tuple, m))) for m in R.tolist()]
        np.testing.assert_array_equal(getattr(so3, name)(R), one_by_one)


def test_strided_read_only_and_integer_input_is_welcome():
    table = np.random.default_rng(7).normal(size=(5, 6))
    table.flags.writeable = False
    np.testing.assert_array_equal(so3.exp(table[:, ::2]), so3.exp(table[:, ::2].copy()))
    np.testing.assert_array_equal(so3.exp([0, 0, 0]), np.eye(3))


def test_a_wrong_shape_is_named():
    with pytest.raises(InputError, match=r"`w` must have shape \(\.\.\., 3\), got \(4,\)"):
        so3.exp(np.zeros(4))
    with pytest.raises(InputError, match=r"`R` must have shape \(\.\.\., 3, 3\), got \(3,\)"):
        so3.log(np.zeros(3))
    with pytest.raises(InputError, match="must not be zero"):
        so3.from_quaternion([[1, 0, 0, 0], [0, 0, 0, 0]])
    with pytest.raises(InputError, match="finite"):
        so3.project(np.full((3, 3), np.nan))


@for_all(rotation_vectors(largest=4.0), unit_vectors())
def test_derivative_of_the_left_jacobian_along_a_direction(w, d):
    step = 1e-40  # complex step on the power series: no cancellation
    hats = np.array([so3.hat(e) for e in np.eye(3)])
    W = np.tensordot(w + 1j * step * d, hats, axes=1)
    series, term = np.zeros((3, 3), complex), np.eye(3, dtype=complex)
    for k in range(1, 60):
        series += term
        term = term @ W / (k + 1)
    slope = series.imag / step
    ours = np.array(tuples.left_jacobian_derivative(tuple(w.tolist()), tuple(d.tolist())))
    np.testing.assert_allclose(ours, slope, rtol=0, atol=100 * EPS)
    K = so3.left_jacobian_inverse(w)
    inverse_slope = tuples.left_jacobian_inverse_derivative(tuple(w.tolist()), tuple(d.tolist()))
    np.testing.assert_allclose(inverse_slope, -K @ slope @ K, rtol=0, atol=1e3 * EPS)
