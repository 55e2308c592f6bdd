"""Kernels of the direct product SO(3) x R^3: rotation and translation that do not mix.

One pose at a time on tuples, for use within compiled kernels. `dt.lie.so3xr3`
(`linalg.lie.so3xr3`) is the same on arrays, for Python.

A pose is the pair (R, x), a tangent vector the pair (w, v), angular part first. Everything is that
of SO(3) beside the identity; a 6x6 matrix is block diagonal, returned as its blocks (A, I).
"""

from dovetail.linalg import so3
from dovetail.linalg.vec3 import IDENTITY, add, matmul, neg, transpose
from dovetail.runtime.jit import jit


@jit
def compose(a, b):
    """(R_a R_b, x_a + x_b)."""
    return (matmul(a[0], b[0]), add(a[1], b[1]))


@jit
def inverse(pose):
    """(R^T, -x)."""
    return (transpose(pose[0]), neg(pose[1]))


@jit
def exp(tangent):
    """(exp(w), v)."""
    return (so3.exp(tangent[0]), tangent[1])


@jit
def log(pose):
    """(log R, x)."""
    return (so3.log(pose[0]), pose[1])


@jit
def adjoint(pose):
    """Blocks (R, I)."""
    return (pose[0], IDENTITY)


@jit
def left_jacobian(tangent):
    """Blocks (J_l(w), I)."""
    return (so3.left_jacobian(tangent[0]), IDENTITY)


@jit
def right_jacobian(tangent):
    """Blocks (J_r(w), I)."""
    return (so3.right_jacobian(tangent[0]), IDENTITY)


@jit
def left_jacobian_inverse(tangent):
    """Blocks (J_l(w)^-1, I); none at |w| = 2 pi, 4 pi, ..."""
    return (so3.left_jacobian_inverse(tangent[0]), IDENTITY)


@jit
def right_jacobian_inverse(tangent):
    """Blocks (J_r(w)^-1, I); none at |w| = 2 pi, 4 pi, ..."""
    return (so3.right_jacobian_inverse(tangent[0]), IDENTITY)
