"""Kernels of the rotations SO(3), one at a time on tuples: exp, log, tangent maps, quaternions.

For use within compiled kernels. `dt.lie.so3` (`linalg.lie.so3`) is the same on arrays, for Python.

A rotation vector is w = angle * axis [rad]; R = exp(hat(w)) turns body into world coordinates.
Left and right refer to the side of a small rotation: exp(w + d) = exp(J_l(w) d) exp(w)
= exp(w) exp(J_r(w) d) to first order in d. Quaternions are (w, x, y, z).
Source: Barfoot, State Estimation for Robotics (2017), chapter 7, in Stumpff's functions c_k.
"""

import math

from dovetail.linalg import stumpff
from dovetail.linalg.vec3 import dot, mat_scale, matmul, norm, norm_squared, transpose
from dovetail.runtime.jit import jit


@jit
def hat(w):
    """Skew matrix of w: hat(w) u = w x u."""
    return ((0.0, -w[2], w[1]), (w[2], 0.0, -w[0]), (-w[1], w[0], 0.0))


@jit
def vee(A):
    """Vector of the skew part of A, so that vee(hat(w)) = w."""
    return (
        0.5 * (A[2][1] - A[1][2]),
        0.5 * (A[0][2] - A[2][0]),
        0.5 * (A[1][0] - A[0][1]),
    )


@jit
def polynomial(one, a, b, w):
    """one I + a hat(w) + b hat(w)^2, the shape of every function of hat(w)."""
    xx, yy, zz = b * w[0] * w[0], b * w[1] * w[1], b * w[2] * w[2]
    xy, xz, yz = b * w[0] * w[1], b * w[0] * w[2], b * w[1] * w[2]
    x, y, z = a * w[0], a * w[1], a * w[2]
    return (
        (one - (yy + zz), xy - z, xz + y),
        (xy + z, one - (xx + zz), yz - x),
        (xz - y, yz + x, one - (xx + yy)),
    )


@jit
def exp(w):
    """R = I + sin|w|/|w| hat(w) + (1 - cos|w|)/|w|^2 hat(w)^2 (Rodrigues).

    Evaluated through the quaternion of half the angle, whose length drops out: |R^T R - I|
    is at most 7 round-offs (mean 1) up to 4 pi, where the textbook form reaches 11 and grows.
    """
    half = 0.5 * norm(w)
    f = 0.5 * stumpff.c1(half)
    return from_quaternion((math.cos(half), f * w[0], f * w[1], f * w[2]))


@jit
def log(R):
    """Rotation vector w, |w| <= pi, with exp(w) = R.

    Through the quaternion and atan2, so that it is accurate at 0 and at pi alike. At pi itself
    both axes are right; the one with its largest component positive is returned. An R that is
    not quite orthogonal gives the logarithm of a rotation within about its defect.
    """
    q = to_quaternion(R)
    v = (q[1], q[2], q[3])
    s = norm_squared(v)
    if s < 1e-20:  # atan(n/q0) / n = 1/q0 to round-off, and s may have underflowed
        f = 2.0 / q[0]
    else:
        n = math.sqrt(s)
        f = 2.0 * math.atan2(n, q[0]) / n
    return (f * v[0], f * v[1], f * v[2])


@jit
def left_jacobian(w):
    """J_l = I + (1 - cos|w|)/|w|^2 hat(w) + (|w| - sin|w|)/|w|^3 hat(w)^2."""
    x = norm(w)
    return polynomial(1.0, stumpff.c2(x), stumpff.c3(x), w)


@jit
def right_jacobian(w):
    """J_r(w) = J_l(-w) = J_l(w)^T."""
    return transpose(left_jacobian(w))


@jit
def left_jacobian_inverse(w):
    """J_l^-1 = I - hat(w)/2 + (1 - |w|/2 cot(|w|/2))/|w|^2 hat(w)^2.

    Does not exist at |w| = 2 pi, 4 pi, ...
    """
    return polynomial(1.0, -0.5, stumpff.inverse_jacobian_coefficient(norm(w)), w)


@jit
def right_jacobian_inverse(w):
    """J_r^-1(w) = J_l^-1(-w) = J_l^-1(w)^T."""
    return transpose(left_jacobian_inverse(w))


@jit
def left_jacobian_derivative(w, d):
    """d/de J_l(w + e d) at e = 0; also the coupling block Q of SE(3)'s J_l.

    c_2 D + c_3 (W D + D W) + w.d (2 c_4 - c_3) W + w.d (3 c_5 - c_4) W^2 with W = hat(w),
    D = hat(d), and W D + D W = w d^T + d w^T - 2 w.d I.
    """
    x = norm(w)
    b, c, c4 = stumpff.c2(x), stumpff.c3(x), stumpff.c4(x)
    wd = dot(w, d)
    base = polynomial(-2.0 * c * wd, wd * (2.0 * c4 - c), wd * (3.0 * stumpff.c5(x) - c4), w)
    s01, s02, s12 = (
        c * (w[0] * d[1] + w[1] * d[0]),
        c * (w[0] * d[2] + w[2] * d[0]),
        c * (w[1] * d[2] + w[2] * d[1]),
    )
    x, y, z = b * d[0], b * d[1], b * d[2]
    return (
        (base[0][0] + 2.0 * c * w[0] * d[0], base[0][1] + s01 - z, base[0][2] + s02 + y),
        (base[1][0] + s01 + z, base[1][1] + 2.0 * c * w[1] * d[1], base[1][2] + s12 - x),
        (base[2][0] + s02 - y, base[2][1] + s12 + x, base[2][2] + 2.0 * c * w[2] * d[2]),
    )


@jit
def left_jacobian_inverse_derivative(w, d):
    """d/de J_l^-1(w + e d) at e = 0: -J_l^-1 (dJ_l) J_l^-1."""
    inverse = left_jacobian_inverse(w)
    return mat_scale(-1.0, matmul(matmul(inverse, left_jacobian_derivative(w, d)), inverse))


@jit
def adjoint(R):
    """Ad_R = R: R exp(w) R^T = exp(R w)."""
    return R


@jit
def from_quaternion(q):
    """R of the quaternion q / |q|; any length but zero will do."""
    f = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return polynomial(1.0, f * q[0], f, (q[1], q[2], q[3]))


@jit
def to_quaternion(R):
    """Unit quaternion (w, x, y, z) of R, w >= 0; if w = 0 the largest component is positive.

    Shepperd's choice: divide by the largest of the four components, which is at least 1/2.
    Shepperd, Journal of Guidance and Control 1 (1978) 223.
    """
    t = R[0][0] + R[1][1] + R[2][2]
    if t >= R[0][0] and t >= R[1][1] and t >= R[2][2]:
        q = (1.0 + t, R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])
    elif R[0][0] >= R[1][1] and R[0][0] >= R[2][2]:
        f = 1.0 + R[0][0] - R[1][1] - R[2][2]
        q = (R[2][1] - R[1][2], f, R[0][1] + R[1][0], R[0][2] + R[2][0])
    elif R[1][1] >= R[2][2]:
        f = 1.0 + R[1][1] - R[0][0] - R[2][2]
        q = (R[0][2] - R[2][0], R[0][1] + R[1][0], f, R[1][2] + R[2][1])
    else:
        f = 1.0 + R[2][2] - R[0][0] - R[1][1]
        q = (R[1][0] - R[0][1], R[0][2] + R[2][0], R[1][2] + R[2][1], f)
    n = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    f = -1.0 / n if q[0] < 0.0 else 1.0 / n
    return (f * q[0], f * q[1], f * q[2], f * q[3])
