"""Steps on the configuration manifold of a tree: quaternions stay of unit length."""

import math

import numpy as np

from dovetail.linalg.so3 import from_quaternion, left_jacobian
from dovetail.linalg.vec3 import dot, matvec
from dovetail.model.joints.motions import BALL, FREE
from dovetail.multibody.tree.records import CODE, Q_INDEX, V_INDEX, empty_tree
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.warmup import warm

SMALL = 0.1  # [rad^2] below it functions of an angle are polynomials: no root, no division


@jit
def half_rotation(s):
    """sin(x/2) / x and cos(x/2) at s = x^2."""
    if s < SMALL:
        t = 0.25 * s
        sine = -2.505210838544172e-08 + t * 1.6059043836821613e-10
        sine = 2.7557319223985893e-06 + t * sine
        sine = -0.0001984126984126984 + t * sine
        sine = 0.008333333333333333 + t * sine
        sine = -0.16666666666666666 + t * sine
        sine = 1.0 + t * sine
        cosine = 2.08767569878681e-09 + t * -1.1470745597729725e-11
        cosine = -2.755731922398589e-07 + t * cosine
        cosine = 2.48015873015873e-05 + t * cosine
        cosine = -0.001388888888888889 + t * cosine
        cosine = 0.041666666666666664 + t * cosine
        cosine = -0.5 + t * cosine
        cosine = 1.0 + t * cosine
        return 0.5 * sine, cosine
    x = math.sqrt(s)
    return math.sin(0.5 * x) / x, math.cos(0.5 * x)


@jit
def quaternion_product(a, b):
    """a b, both (w, x, y, z)."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@jit
def rotated_quaternion(q, w):
    """q exp(w/2), of unit length: q rotated by the vector w in the child's frame."""
    s, c = half_rotation(dot(w, w))
    r = quaternion_product(q, (c, s * w[0], s * w[1], s * w[2]))
    square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]
    f = 1.5 - 0.5 * square  # one Newton step to 1 / sqrt, exact where only round-off is off
    if abs(square - 1.0) > 1e-8:
        f = 1.0 / math.sqrt(square)
    return (f * r[0], f * r[1], f * r[2], f * r[3])


@jit_in_place
def integrate(tree, q, v, h, out):
    """out = q (+) h v: where constant joint velocities v lead in a time h [s].

    BALL: exp on SO(3); FREE: exp on SE(3); all others: q + h v.
    """
    motion = tree.motion
    for j in range(motion.shape[0]):
        a, k = motion[j, Q_INDEX], motion[j, V_INDEX]
        if motion[j, CODE] == BALL:
            w = (h * v[k], h * v[k + 1], h * v[k + 2])
            _store4(out, a, rotated_quaternion((q[a], q[a + 1], q[a + 2], q[a + 3]), w))
        elif motion[j, CODE] == FREE:
            old = (q[a + 3], q[a + 4], q[a + 5], q[a + 6])
            displacement = (h * v[k], h * v[k + 1], h * v[k + 2])
            w = (h * v[k + 3], h * v[k + 4], h * v[k + 5])
            shift = matvec(from_quaternion(old), matvec(left_jacobian(w), displacement))
            for i in range(3):
                out[a + i] = q[a + i] + shift[i]
            _store4(out, a + 3, rotated_quaternion(old, w))
        else:
            out[a] = q[a] + h * v[k]


@jit
def _store4(out, a, x):
    out[a] = x[0]
    out[a + 1] = x[1]
    out[a + 2] = x[2]
    out[a + 3] = x[3]


warm(integrate, empty_tree(), np.empty(0), np.empty(0), 0.0, np.empty(0))
