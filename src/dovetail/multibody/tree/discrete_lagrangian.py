"""The discrete Lagrangian of a step: momenta at both of its ends from its middle."""

import numpy as np

from dovetail.linalg import se3, so3
from dovetail.linalg.vec3 import add, mat_t_vec, scale
from dovetail.model.joints.motions import BALL, FREE
from dovetail.multibody.tree.records import CODE, V_INDEX, empty_tree
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.warmup import warm


@jit
def _transposed(blocks, m, f):
    """The transpose of [[A, 0], [B, A]] on (moment, force)."""
    return add(mat_t_vec(blocks[0], m), mat_t_vec(blocks[1], f)), mat_t_vec(blocks[0], f)


@jit
def _end_of_rotation(x, half_push, momentum):
    """J_r(x)^-T (momentum + J_r(x/2)^T half_push)."""
    carried = mat_t_vec(so3.right_jacobian(scale(0.5, x)), half_push)
    return mat_t_vec(so3.right_jacobian_inverse(x), add(momentum, carried))


@jit
def _end_of_motion(x, half_push, momentum):
    """As `_end_of_rotation` on SE(3); everything is a pair (angular, linear)."""
    half = (scale(0.5, x[0]), scale(0.5, x[1]))
    m, f = _transposed(se3.right_jacobian(half), half_push[0], half_push[1])
    return _transposed(se3.right_jacobian_inverse(x), add(momentum[0], m), add(momentum[1], f))


@jit
def _three(a, k):
    return (a[k], a[k + 1], a[k + 2])


@jit
def _set_three(a, k, x):
    a[k] = x[0]
    a[k + 1] = x[1]
    a[k + 2] = x[2]


@jit_in_place
def end_momenta(tree, h, w, momentum, push, direction, out):
    """Momenta at the end (direction 1) or the start (-1) of a step with velocity w.

    The step's action is h (T - V)(q_m, w), q_m halfway. With x = h w, along coordinates with values
        out = momentum + direction (h/2) push,
    and on the groups of balls and free motions, where end and middle have different frames,
        out = J(x)^-T (momentum + direction (h/2) J(x/2)^T push), J = J_r at the end, J_l at the
    start; J_l(x) = J_r(-x).
    """
    step = direction * h
    motion = tree.motion
    for j in range(motion.shape[0]):
        k = motion[j, V_INDEX]
        if motion[j, CODE] == BALL:
            end = _end_of_rotation(
                scale(step, _three(w, k)), scale(0.5 * step, _three(push, k)), _three(momentum, k)
            )
            _set_three(out, k, end)
        elif motion[j, CODE] == FREE:
            m, f = _end_of_motion(
                (scale(step, _three(w, k + 3)), scale(step, _three(w, k))),
                (scale(0.5 * step, _three(push, k + 3)), scale(0.5 * step, _three(push, k))),
                (_three(momentum, k + 3), _three(momentum, k)),
            )
            _set_three(out, k, f)
            _set_three(out, k + 3, m)
        else:
            out[k] = momentum[k] + 0.5 * step * push[k]


_VECTOR = np.empty(0)
warm(end_momenta, empty_tree(), 0.0, _VECTOR, _VECTOR, _VECTOR, 1.0, _VECTOR)
