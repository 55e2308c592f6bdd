"""The direct product: rotation and translation do not mix."""

import math

import numpy as np
from rotation_strategies import for_all, twists

from dovetail.linalg.lie import so3, so3xr3

EPS = 2.0**-52
SUBNORMAL = 2.0**-1074


def blocks(A, B):
    return np.block([[A, np.zeros((3, 3))], [np.zeros((3, 3)), B]])


@for_all(twists(largest=math.pi - 1e-14))
def test_log_gives_back_rotation_vector_and_translation(t):
    T = so3xr3.exp(t)
    np.testing.assert_array_equal(T[:3, :3], so3.exp(t[:3]))
    np.testing.assert_array_equal(T[:3, 3], t[3:])
    np.testing.assert_array_equal(T[3], [0, 0, 0, 1])
    np.testing.assert_array_equal(so3xr3.log(T)[3:], t[3:])
    # of the largest component: a norm underflows below 1e-162; and below 1e-308 one step is coarse
    assert np.abs(so3xr3.log(T) - t).max() <= 8 * EPS * np.abs(t[:3]).max() + SUBNORMAL


@for_all(twists(), twists())
def test_product_turns_by_both_and_adds_the_translations(a, b):
    A, B = so3xr3.exp(a), so3xr3.exp(b)
    AB = so3xr3.compose(A, B)
    np.testing.assert_allclose(AB[:3, :3], A[:3, :3] @ B[:3, :3], rtol=0, atol=4 * EPS)
    np.testing.assert_array_equal(AB[:3, 3], a[3:] + b[3:])
    np.testing.assert_array_equal(AB[3], [0, 0, 0, 1])
    identity = so3xr3.compose(A, so3xr3.inverse(A))
    np.testing.assert_allclose(identity, np.eye(4), rtol=0, atol=8 * EPS)


@for_all(twists(largest=6.0))
def test_tangent_maps_are_those_of_rotations_beside_the_identity(t):
    w, one = t[:3], np.eye(3)
    np.testing.assert_array_equal(so3xr3.left_jacobian(t), blocks(so3.left_jacobian(w), one))
    np.testing.assert_array_equal(so3xr3.right_jacobian(t), blocks(so3.right_jacobian(w), one))
    np.testing.assert_array_equal(
        so3xr3.left_jacobian_inverse(t), blocks(so3.left_jacobian_inverse(w), one)
    )
    np.testing.assert_array_equal(
        so3xr3.right_jacobian_inverse(t), blocks(so3.right_jacobian_inverse(w), one)
    )


@for_all(twists(), twists())
def test_adjoint_carries_a_motion_into_another_frame(a, b):
    T = so3xr3.exp(a)
    carried = so3xr3.compose(so3xr3.compose(T, so3xr3.exp(b)), so3xr3.inverse(T))
    ours = so3xr3.exp(so3xr3.adjoint(T) @ b)
    assert np.abs(ours - carried).max() <= 100 * EPS
    np.testing.assert_array_equal(so3xr3.adjoint(T), blocks(so3.exp(a[:3]), np.eye(3)))
