"""Kernels of the rigid motions SE(3), one at a time on tuples: exp, log, tangent maps.

For use within compiled kernels. `dt.lie.se3` (`linalg.lie.se3`) is the same on arrays, for Python.

A pose is the pair (R, p), x -> R x + p. A twist is the pair (w, v), angular part first: w [rad],
v [m], and exp(twist) = exp([[hat(w), v], [0, 0]]). A 6x6 matrix that acts on twists has the shape
[[A, 0], [B, A]] in this order; it is returned as the pair of its 3x3 blocks (A, B).
Left and right as in so3: exp(t + d) = exp(J_l(t) d) exp(t) = exp(t) exp(J_r(t) d).
Source: Barfoot, State Estimation for Robotics (2017), chapter 7, there with the linear part first.
"""

from dovetail.linalg import so3
from dovetail.linalg.vec3 import add, mat_scale, mat_t_vec, matmul, matvec, neg, transpose
from dovetail.runtime.jit import jit


@jit
def compose(a, b):
    """a b: first b, then a."""
    return (matmul(a[0], b[0]), add(matvec(a[0], b[1]), a[1]))


@jit
def inverse(pose):
    """(R^T, -R^T p)."""
    return (transpose(pose[0]), neg(mat_t_vec(pose[0], pose[1])))


@jit
def exp(twist):
    """(exp(w), J_l(w) v)."""
    return (so3.exp(twist[0]), matvec(so3.left_jacobian(twist[0]), twist[1]))


@jit
def log(pose):
    """Twist (log R, J_l(log R)^-1 p) with the rotation angle at most pi."""
    w = so3.log(pose[0])
    return (w, matvec(so3.left_jacobian_inverse(w), pose[1]))


@jit
def adjoint(pose):
    """Blocks (R, hat(p) R) of Ad: pose exp(t) pose^-1 = exp(Ad t)."""
    return (pose[0], matmul(so3.hat(pose[1]), pose[0]))


@jit
def left_jacobian(twist):
    """Blocks (J, Q) of J_l: J of SO(3) at w, and Q its derivative along v."""
    return (so3.left_jacobian(twist[0]), so3.left_jacobian_derivative(twist[0], twist[1]))


@jit
def right_jacobian(twist):
    """J_r(t) = J_l(-t)."""
    return left_jacobian((neg(twist[0]), neg(twist[1])))


@jit
def left_jacobian_inverse(twist):
    """Blocks (J^-1, -J^-1 Q J^-1) of J_l^-1; none at |w| = 2 pi, 4 pi, ..."""
    J = so3.left_jacobian_inverse(twist[0])
    Q = so3.left_jacobian_derivative(twist[0], twist[1])
    return (J, mat_scale(-1.0, matmul(matmul(J, Q), J)))


@jit
def right_jacobian_inverse(twist):
    """J_r^-1(t) = J_l^-1(-t)."""
    return left_jacobian_inverse((neg(twist[0]), neg(twist[1])))
