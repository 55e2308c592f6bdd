"""Rigid motions: exp and log of screws, tangent maps, change of frame."""

import math

import numpy as np
import pytest
from rotation_strategies import for_all, twists
from scipy.linalg import expm, expm_frechet

from dovetail.errors import InputError
from dovetail.linalg import se3 as tuples
from dovetail.linalg.lie import se3, so3, so3xr3

EPS = 2.0**-52


def size(t):
    """Scale of the round-off of a motion: lengths times one plus the angle."""
    return (1 + np.linalg.norm(t[:3])) * (1 + np.abs(t[3:]).max())


@for_all(twists())
def test_exp_is_the_matrix_exponential(t):
    assert np.abs(se3.exp(t) - expm(se3.hat(t))).max() <= 1000 * EPS * size(
        t
    )  # SciPy's error, see test_so3


@for_all(twists())
def test_vee_undoes_hat(t):
    np.testing.assert_array_equal(se3.vee(se3.hat(t)), t)


@for_all(twists(largest=math.pi - 1e-14))
def test_log_gives_back_the_twist(t):
    assert np.abs(se3.log(se3.exp(t)) - t).max() <= 16 * EPS * size(t)


@for_all(twists())
def test_exp_of_log_is_the_same_motion_at_any_angle(t):
    T = se3.exp(t)
    assert np.abs(se3.exp(se3.log(T)) - T).max() <= 32 * EPS * size(t)


def test_a_screw_of_one_turn_climbs_one_pitch_and_an_offset_axis_stays_put():
    climb = se3.exp([0, 0, 2 * math.pi, 0, 0, 0.3])
    np.testing.assert_allclose(climb[:3, 3], [0, 0, 0.3], atol=2 * EPS)
    # rotation about the line through (1, 0, 0): v = -w x point
    hinge = se3.exp([0, 0, 0.7, *(-np.cross([0, 0, 0.7], [1, 0, 0]))])
    np.testing.assert_allclose(hinge @ [1, 0, 0.5, 1], [1, 0, 0.5, 1], atol=2 * EPS)


@for_all(twists(), twists())
def test_left_and_right_jacobians_are_derivatives_of_exp(t, d):
    d = np.concatenate([d[:3] / 10, d[3:] / 10])
    T, (_, slope) = se3.exp(t), expm_frechet(se3.hat(t), se3.hat(d))
    tolerance = 1000 * EPS * size(t) ** 2  # SciPy's error, as above
    left = se3.vee(slope @ se3.inverse(T))
    assert np.abs(se3.left_jacobian(t) @ d - left).max() <= tolerance
    right = se3.vee(se3.inverse(T) @ slope)
    assert np.abs(se3.right_jacobian(t) @ d - right).max() <= tolerance


@for_all(twists(largest=5.5))
def test_inverse_jacobian_undoes_the_jacobian_to_roundoff(t):
    K = se3.left_jacobian_inverse(t)
    scale = max(1.0, np.abs(K).max()) * size(t)
    assert np.abs(se3.left_jacobian(t) @ K - np.eye(6)).max() <= 16 * EPS * scale
    K = se3.right_jacobian_inverse(t)
    assert np.abs(K @ se3.right_jacobian(t) - np.eye(6)).max() <= 16 * EPS * scale


@for_all(twists())
def test_right_jacobian_is_the_left_one_of_the_reverse_motion(t):
    np.testing.assert_array_equal(se3.right_jacobian(t), se3.left_jacobian(-t))


@for_all(twists())
def test_jacobians_of_both_sides_differ_by_the_adjoint(t):
    carried = se3.adjoint(se3.exp(t)) @ se3.right_jacobian(t)
    assert np.abs(se3.left_jacobian(t) - carried).max() <= 32 * EPS * size(t) ** 2


@for_all(twists(), twists())
def test_adjoint_carries_a_motion_into_another_frame(a, b):
    T = se3.exp(a)
    carried = T @ se3.exp(b) @ se3.inverse(T)
    ours = se3.exp(se3.adjoint(T) @ b)
    assert np.abs(ours - carried).max() <= 64 * EPS * size(a) * size(b)


@for_all(twists(), twists())
def test_adjoint_of_a_product_is_the_product_of_adjoints(a, b):
    A, B = se3.exp(a), se3.exp(b)
    ours = se3.adjoint(se3.compose(A, B))
    error = np.abs(ours - se3.adjoint(A) @ se3.adjoint(B)).max()
    assert error <= 32 * EPS * size(a) * size(b)


@for_all(twists())
def test_inverse_undoes_the_motion(t):
    T = se3.exp(t)
    assert np.abs(se3.compose(T, se3.inverse(T)) - np.eye(4)).max() <= 16 * EPS * size(t)


@pytest.mark.parametrize("group", [se3, so3xr3])
@pytest.mark.parametrize("shape", [(), (4,), (2, 0), (1, 2, 3)])
def test_leading_dimensions_are_kept(group, shape):
    t = np.random.default_rng(3).normal(size=(*shape, 6))
    T = group.exp(t)
    assert T.shape == group.inverse(T).shape == group.hat(t).shape == (*shape, 4, 4)
    assert group.compose(T, np.eye(4)).shape == group.project(T).shape == (*shape, 4, 4)
    assert group.log(T).shape == group.vee(T).shape == (*shape, 6)
    assert group.adjoint(T).shape == (*shape, 6, 6)
    for name in ("left_jacobian", "right_jacobian"):
        assert getattr(group, name)(t).shape == (*shape, 6, 6)
        assert getattr(group, f"{name}_inverse")(t).shape == (*shape, 6, 6)


def test_tuple_and_array_forms_agree_to_the_bit():
    t = np.random.default_rng(5).normal(size=(10, 6)) * np.logspace(-9, 0.3, 10)[:, None]
    for row in t.tolist():
        pair = (tuple(row[:3]), tuple(row[3:]))
        R, p = tuples.exp(pair)
        T = se3.exp(row)
        np.testing.assert_array_equal(T[:3], np.column_stack([R, p]))
        np.testing.assert_array_equal(T[3], [0, 0, 0, 1])
        np.testing.assert_array_equal(se3.log(T), np.concatenate(tuples.log((R, p))))
        J, Q = map(np.array, tuples.left_jacobian(pair))
        whole = np.block([[J, np.zeros((3, 3))], [Q, J]])
        np.testing.assert_array_equal(se3.left_jacobian(row), whole)


@for_all(twists())
def test_projection_repairs_the_rotation_and_keeps_the_translation(t):
    T = se3.exp(t)
    bent = T.copy()
    bent[:3, :3] *= 1.001
    bent[3] = [0.1, 0, 0, 2]
    repaired = se3.project(bent)
    assert np.abs(repaired - T).max() <= 32 * EPS
    assert so3.is_rotation(repaired[:3, :3], 8 * EPS)


def test_a_wrong_shape_is_named():
    with pytest.raises(InputError, match=r"`t` must have shape \(\.\.\., 6\), got \(3,\)"):
        se3.exp(np.zeros(3))
    with pytest.raises(InputError, match=r"`T` must have shape \(\.\.\., 4, 4\), got \(3, 3\)"):
        se3.log(np.eye(3))
