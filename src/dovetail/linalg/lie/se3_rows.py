"""The kernels of SE(3) over arrays: rows in, rows out."""

from dovetail.linalg import se3
from dovetail.linalg.lie.each import each
from dovetail.linalg.lie.pose_rows import COUPLED, POSE, TWIST

exp = each(se3.exp, TWIST, POSE)
log = each(se3.log, POSE, TWIST)
inverse = each(se3.inverse, POSE, POSE)
adjoint = each(se3.adjoint, POSE, COUPLED)
left_jacobian = each(se3.left_jacobian, TWIST, COUPLED)
right_jacobian = each(se3.right_jacobian, TWIST, COUPLED)
left_jacobian_inverse = each(se3.left_jacobian_inverse, TWIST, COUPLED)
right_jacobian_inverse = each(se3.right_jacobian_inverse, TWIST, COUPLED)
