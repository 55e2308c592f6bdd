"""Rigid motions SE(3) on arrays: homogeneous matrices T = [[R, p], [0, 1]] and twists (w, v).

Twists have the angular part first: t = (w, v), w [rad], v [m]. T maps x to R x + p, and T1 @ T2 is
first T2, then T1. Every function works on the last dimensions and keeps the leading ones: `exp` of
shape (..., 6) has shape (..., 4, 4). Left and right name the side of a small motion d:
    exp(t + d) = exp(J_l(t) d) exp(t) = exp(t) exp(J_r(t) d)   to first order in d.
6x6 matrices act on twists in the same order and have the blocks [[A, 0], [B, A]].
"""

import numpy as np
import numpy.typing as npt

from dovetail.linalg.lie import se3_rows, so3
from dovetail.linalg.lie.batched import Array, apply, as_rows


def hat(t: npt.ArrayLike) -> Array:
    """Matrix [[hat(w), v], [0, 0]] of a twist; (..., 6) -> (..., 4, 4)."""
    twists = as_rows(t, (6,), "t")
    matrices = np.zeros((*twists.shape[:-1], 4, 4))
    matrices[..., :3, :3] = so3.hat(twists[..., :3])
    matrices[..., :3, 3] = twists[..., 3:]
    return matrices


def vee(A: npt.ArrayLike) -> Array:
    """Twist of a matrix [[hat(w), v], [0, 0]]; (..., 4, 4) -> (..., 6)."""
    matrices = as_rows(A, (4, 4), "A")
    return np.concatenate([so3.vee(matrices[..., :3, :3]), matrices[..., :3, 3]], axis=-1)


def exp(t: npt.ArrayLike) -> Array:
    """Motion along the twist t for unit time; (..., 6) -> (..., 4, 4)."""
    return apply(se3_rows.exp, t, "t")


def log(T: npt.ArrayLike) -> Array:
    """Twist of T with rotation angle at most pi; (..., 4, 4) -> (..., 6)."""
    return apply(se3_rows.log, T, "T")


def compose(T1: npt.ArrayLike, T2: npt.ArrayLike) -> Array:
    """Product T1 @ T2; (..., 4, 4) twice -> (..., 4, 4), leading dimensions broadcast."""
    product: Array = as_rows(T1, (4, 4), "T1") @ as_rows(T2, (4, 4), "T2")
    return product


def inverse(T: npt.ArrayLike) -> Array:
    """[[R^T, -R^T p], [0, 1]]; (..., 4, 4) -> (..., 4, 4)."""
    return apply(se3_rows.inverse, T, "T")


def adjoint(T: npt.ArrayLike) -> Array:
    """Ad_T = [[R, 0], [hat(p) R, R]], T exp(t) T^-1 = exp(Ad_T t); (..., 4, 4) -> (..., 6, 6)."""
    return apply(se3_rows.adjoint, T, "T")


def left_jacobian(t: npt.ArrayLike) -> Array:
    """J_l(t) with exp(t + d) = exp(J_l(t) d) exp(t); (..., 6) -> (..., 6, 6)."""
    return apply(se3_rows.left_jacobian, t, "t")


def right_jacobian(t: npt.ArrayLike) -> Array:
    """J_r(t) with exp(t + d) = exp(t) exp(J_r(t) d); (..., 6) -> (..., 6, 6)."""
    return apply(se3_rows.right_jacobian, t, "t")


def left_jacobian_inverse(t: npt.ArrayLike) -> Array:
    """J_l(t)^-1; does not exist at |w| = 2 pi, 4 pi, ...; (..., 6) -> (..., 6, 6)."""
    return apply(se3_rows.left_jacobian_inverse, t, "t")


def right_jacobian_inverse(t: npt.ArrayLike) -> Array:
    """J_r(t)^-1; does not exist at |w| = 2 pi, 4 pi, ...; (..., 6) -> (..., 6, 6)."""
    return apply(se3_rows.right_jacobian_inverse, t, "t")


def project(A: npt.ArrayLike) -> Array:
    """Pose with the rotation nearest to A's and A's translation; (..., 4, 4) -> (..., 4, 4)."""
    matrices = as_rows(A, (4, 4), "A")
    poses = np.zeros_like(matrices)
    poses[..., :3, :3] = so3.project(matrices[..., :3, :3])
    poses[..., :3, 3] = matrices[..., :3, 3]
    poses[..., 3, 3] = 1.0
    return poses
