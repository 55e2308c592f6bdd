"""The kernels of SO(3) over arrays: rows in, rows out."""

from dovetail.linalg import so3
from dovetail.linalg.lie.each import MATRIX, QUATERNION, VECTOR, each

hat = each(so3.hat, VECTOR, MATRIX)
vee = each(so3.vee, MATRIX, VECTOR)
exp = each(so3.exp, VECTOR, MATRIX)
log = each(so3.log, MATRIX, VECTOR)
left_jacobian = each(so3.left_jacobian, VECTOR, MATRIX)
right_jacobian = each(so3.right_jacobian, VECTOR, MATRIX)
left_jacobian_inverse = each(so3.left_jacobian_inverse, VECTOR, MATRIX)
right_jacobian_inverse = each(so3.right_jacobian_inverse, VECTOR, MATRIX)
from_quaternion = each(so3.from_quaternion, QUATERNION, MATRIX)
to_quaternion = each(so3.to_quaternion, MATRIX, QUATERNION)
