"""Rotations SO(3) on arrays: 3x3 matrices R, and rotation vectors w = angle * axis [rad].

Every function works on the last dimensions and keeps the leading ones: `exp` of shape (..., 3)
has shape (..., 3, 3). Left and right name the side of a small rotation d:
    exp(w + d) = exp(J_l(w) d) exp(w) = exp(w) exp(J_r(w) d)   to first order in d.
Quaternions are (w, x, y, z), the scalar first.
"""

import numpy as np
import numpy.typing as npt

from dovetail.errors import InputError
from dovetail.linalg.lie import so3_rows
from dovetail.linalg.lie.batched import Array, apply, as_rows


def hat(w: npt.ArrayLike) -> Array:
    """Skew matrix of w, hat(w) u = w x u; (..., 3) -> (..., 3, 3)."""
    return apply(so3_rows.hat, w, "w")


def vee(A: npt.ArrayLike) -> Array:
    """Vector of the skew part of A, vee(hat(w)) = w; (..., 3, 3) -> (..., 3)."""
    return apply(so3_rows.vee, A, "A")


def exp(w: npt.ArrayLike) -> Array:
    """Rotation by |w| radians about w; (..., 3) -> (..., 3, 3)."""
    return apply(so3_rows.exp, w, "w")


def log(R: npt.ArrayLike) -> Array:
    """Rotation vector of R with length at most pi; (..., 3, 3) -> (..., 3).

    Accurate to round-off for all angles. At pi, where both signs are right, the largest component
    is positive. R must be a rotation up to small errors; `project` makes it one.
    """
    return apply(so3_rows.log, R, "R")


def left_jacobian(w: npt.ArrayLike) -> Array:
    """J_l(w) with exp(w + d) = exp(J_l(w) d) exp(w); (..., 3) -> (..., 3, 3)."""
    return apply(so3_rows.left_jacobian, w, "w")


def right_jacobian(w: npt.ArrayLike) -> Array:
    """J_r(w) with exp(w + d) = exp(w) exp(J_r(w) d); (..., 3) -> (..., 3, 3)."""
    return apply(so3_rows.right_jacobian, w, "w")


def left_jacobian_inverse(w: npt.ArrayLike) -> Array:
    """J_l(w)^-1; does not exist at |w| = 2 pi, 4 pi, ...; (..., 3) -> (..., 3, 3)."""
    return apply(so3_rows.left_jacobian_inverse, w, "w")


def right_jacobian_inverse(w: npt.ArrayLike) -> Array:
    """J_r(w)^-1; does not exist at |w| = 2 pi, 4 pi, ...; (..., 3) -> (..., 3, 3)."""
    return apply(so3_rows.right_jacobian_inverse, w, "w")


def adjoint(R: npt.ArrayLike) -> Array:
    """Ad_R = R, from R exp(w) R^T = exp(R w); (..., 3, 3) -> (..., 3, 3), a copy."""
    return as_rows(R, (3, 3), "R").copy()


def from_quaternion(q: npt.ArrayLike) -> Array:
    """Rotation of the quaternion q / |q|; (..., 4) -> (..., 3, 3)."""
    quaternions = as_rows(q, (4,), "q")
    if not np.all(np.any(quaternions != 0.0, axis=-1)):
        raise InputError(
            "quaternion (w, x, y, z) must not be zero, got (0, 0, 0, 0); "
            "the identity is (1, 0, 0, 0)"
        )
    return apply(so3_rows.from_quaternion, quaternions, "q")


def to_quaternion(R: npt.ArrayLike) -> Array:
    """Unit quaternion (w, x, y, z) of R with w >= 0; (..., 3, 3) -> (..., 4)."""
    return apply(so3_rows.to_quaternion, R, "R")


def project(A: npt.ArrayLike) -> Array:
    """Rotation nearest to A in the Frobenius norm; (..., 3, 3) -> (..., 3, 3).

    U diag(1, 1, det(U V^T)) V^T of the singular value decomposition A = U S V^T.
    Kabsch, Acta Crystallographica A34 (1978) 827.
    """
    matrices = as_rows(A, (3, 3), "A")
    if not np.all(np.isfinite(matrices)):
        raise InputError("`A` must be finite to have a nearest rotation, got NaN or infinity")
    U, _, Vt = np.linalg.svd(matrices)
    U[..., 2] *= np.where(np.linalg.det(U @ Vt) < 0.0, -1.0, 1.0)[..., np.newaxis]
    nearest: Array = U @ Vt
    # one Newton-Schulz step brings |R^T R - I| from a dozen round-offs to about one
    return 0.5 * nearest @ (3.0 * np.eye(3) - np.swapaxes(nearest, -1, -2) @ nearest)


def is_rotation(R: npt.ArrayLike, tolerance: float = 1e-9) -> npt.NDArray[np.bool_]:
    """Whether |R^T R - I| <= `tolerance` in every entry and det R > 0; (..., 3, 3) -> (...)."""
    matrices = as_rows(R, (3, 3), "R")
    with np.errstate(invalid="ignore", over="ignore"):  # NaN and infinity are no rotation
        defect = np.abs(np.swapaxes(matrices, -1, -2) @ matrices - np.eye(3)).max(axis=(-1, -2))
        return np.asarray((defect <= tolerance) & (np.linalg.det(matrices) > 0.0))
