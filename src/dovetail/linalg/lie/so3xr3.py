"""The direct product SO(3) x R^3 on arrays: rotation and translation that do not mix.

A pose is kept as [[R, x], [0, 1]], as in `se3`, and a tangent vector as (w, v), the angular part
first: w [rad], v [m]. But the product of the group is (R1 R2, x1 + x2), which is `compose` and not
the product of those matrices. This is the group of bodies whose velocity is (body or world angular
velocity, world velocity of the centre of mass). Every function works on the last dimensions and
keeps the leading ones. 6x6 matrices are block diagonal.
"""

import numpy as np
import numpy.typing as npt

from dovetail.linalg.lie import se3, so3xr3_rows
from dovetail.linalg.lie.batched import Array, apply, as_rows

hat = se3.hat
vee = se3.vee
project = se3.project


def exp(t: npt.ArrayLike) -> Array:
    """(exp(w), v) as a pose; (..., 6) -> (..., 4, 4)."""
    return apply(so3xr3_rows.exp, t, "t")


def log(T: npt.ArrayLike) -> Array:
    """(log R, x) with rotation angle at most pi; (..., 4, 4) -> (..., 6)."""
    return apply(so3xr3_rows.log, T, "T")


def compose(T1: npt.ArrayLike, T2: npt.ArrayLike) -> Array:
    """(R1 R2, x1 + x2); (..., 4, 4) twice -> (..., 4, 4), leading dimensions broadcast."""
    first, second = np.broadcast_arrays(as_rows(T1, (4, 4), "T1"), as_rows(T2, (4, 4), "T2"))
    poses = first.copy()
    poses[..., :3, :3] = first[..., :3, :3] @ second[..., :3, :3]
    poses[..., :3, 3] += second[..., :3, 3]
    return poses


def inverse(T: npt.ArrayLike) -> Array:
    """(R^T, -x); (..., 4, 4) -> (..., 4, 4)."""
    return apply(so3xr3_rows.inverse, T, "T")


def adjoint(T: npt.ArrayLike) -> Array:
    """Ad = diag(R, I), T exp(t) T^-1 = exp(Ad t); (..., 4, 4) -> (..., 6, 6)."""
    return apply(so3xr3_rows.adjoint, T, "T")


def left_jacobian(t: npt.ArrayLike) -> Array:
    """diag(J_l(w), I); (..., 6) -> (..., 6, 6)."""
    return apply(so3xr3_rows.left_jacobian, t, "t")


def right_jacobian(t: npt.ArrayLike) -> Array:
    """diag(J_r(w), I); (..., 6) -> (..., 6, 6)."""
    return apply(so3xr3_rows.right_jacobian, t, "t")


def left_jacobian_inverse(t: npt.ArrayLike) -> Array:
    """diag(J_l(w)^-1, I); does not exist at |w| = 2 pi, 4 pi, ...; (..., 6) -> (..., 6, 6)."""
    return apply(so3xr3_rows.left_jacobian_inverse, t, "t")


def right_jacobian_inverse(t: npt.ArrayLike) -> Array:
    """diag(J_r(w)^-1, I); does not exist at |w| = 2 pi, 4 pi, ...; (..., 6) -> (..., 6, 6)."""
    return apply(so3xr3_rows.right_jacobian_inverse, t, "t")
