"""The kernels of SO(3) x R^3 over arrays: rows in, rows out."""

from dovetail.linalg import so3xr3
from dovetail.linalg.lie.each import each
from dovetail.linalg.lie.pose_rows import DECOUPLED, POSE, TWIST

exp = each(so3xr3.exp, TWIST, POSE)
log = each(so3xr3.log, POSE, TWIST)
inverse = each(so3xr3.inverse, POSE, POSE)
adjoint = each(so3xr3.adjoint, POSE, DECOUPLED)
left_jacobian = each(so3xr3.left_jacobian, TWIST, DECOUPLED)
right_jacobian = each(so3xr3.right_jacobian, TWIST, DECOUPLED)
left_jacobian_inverse = each(so3xr3.left_jacobian_inverse, TWIST, DECOUPLED)
right_jacobian_inverse = each(so3xr3.right_jacobian_inverse, TWIST, DECOUPLED)
