"""Mechanisms that nothing touches: differences over two steps, of second order (BDF2).

Implicit Euler takes (x_1 - x_0)/h for the velocity at the end of a step, where it is the mean of
the step. With the pose x_- and the velocity v_- before the last step, of h_- [s],
    v_1 = (x_1 - x~)/h',   m (v_1 - v~)/h' = forces at the end,
    x~ = x_0 + c (x_0 - x_-),   v~ = v_0 + c (v_0 - v_-),   R~ and R'~ likewise,
    c = r^2/(1 + 2 r),   h' = h (1 + r)/(1 + 2 r),   r = h/h_-
(Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section III.5). It is
implicit Euler for h' from x~, so x_1 minimises, of bodies and joints that are connected,
    (h/h')^2 (m/2 |x - x^|^2 + 1/2 tr((R - R^) J (R - R^)^T)) + h^2 (potential),
    x^ = x~ + h' v~ + h'^2 f/m,   R^ = R~ + h' R'~.
The motion must be smooth over both steps (`smooth_steps`). Bodies alone that only contact holds
step so too, in momenta (`lasting_contact`), and groups of them that press each other: all of a
group or none, so that what one gains the other loses.
"""

from typing import NamedTuple

import numpy as np

from dovetail.contact.ipc.newton.lasting_contact import rotation_ahead, spin_at
from dovetail.linalg.so3 import hat
from dovetail.linalg.vec3 import (
    load3,
    load33,
    mat_add,
    mat_scale,
    mat_sub,
    matmul,
    store33,
)
from dovetail.runtime.jit import jit_in_place, when_called
from dovetail.runtime.records import ByteArray, FloatArray, Int32Array


class TwoStep(NamedTuple):
    """The motion of n bodies before their last step, and who uses it."""

    acts: ByteArray  # (1,) 0: nobody
    x: FloatArray  # (n, 3) [m]
    R: FloatArray  # (n, 3, 3)
    v: FloatArray  # (n, 3) [m/s]
    rate: FloatArray  # (n, 3, 3) [1/s]
    h: FloatArray  # (1,) [s] of the last step, 0 for none
    mechanism: Int32Array  # (n,) number of what moves together, -1: its bodies never do
    alone: ByteArray  # (n,) bodies that only contact holds, see `newton.lasting_contact`
    known: ByteArray  # (n,) whether the last step was smooth
    by: ByteArray  # (n,) whether the step is made so
    held: ByteArray  # (n,) whether that was tried in this step, and refused
    led: ByteArray  # (n,) whether the last step was made so
    wait: FloatArray  # (n, 2) steps to wait until that is tried again, and at the next refusal
    gain: FloatArray  # (n,) c, 0 of implicit Euler
    time: FloatArray  # (n,) [s] h', h of implicit Euler
    weight: FloatArray  # (n,) (h/h')^2, 1 of implicit Euler
    usual: FloatArray  # (n, 2) [kg m^2/s^4] squared accelerations of mechanisms, see `smooth_steps`
    change: FloatArray  # (n, 3) [kg m^2/s^4] workspace: squared accelerations
    impulse: FloatArray  # (n, 6) [N s], [N m s] of contact on bodies alone in the last step
    carried: FloatArray  # (n, 6) the part of that which acts in this step again
    opening: FloatArray  # (n, 2) [m/s] how fast gaps of bodies alone grew in the last step, and now
    pressed: ByteArray  # (n,) workspace: bodies that a barrier presses
    group: Int32Array  # (n,) workspace: bodies alone that press each other, as a union-find
    rough: ByteArray  # (n,) workspace: groups that do not step so


def two_steps(n: int) -> TwoStep:
    """Nothing known of n bodies."""

    def flags() -> ByteArray:
        return np.zeros(n, np.uint8)

    return TwoStep(
        np.zeros(1, np.uint8), np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3)),
        np.zeros((n, 3, 3)), np.zeros(1), np.full(n, -1, np.int32), flags(), flags(), flags(),
        flags(), flags(), np.zeros((n, 2)), np.zeros(n), np.ones(n), np.ones(n), np.zeros((n, 2)),
        np.zeros((n, 3)), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 2)), flags(),
        np.arange(n, dtype=np.int32), flags(),
    )  # fmt: skip


@jit_in_place
def predict_two_steps(bodies, workspace, motion, h):
    """x^ and R^ of the bodies that step so, and what rows of joints are measured from."""
    if workspace.two_step.acts[0] != 0:
        _predict(bodies, workspace, motion, h)


@when_called(None)
@jit_in_place
def _predict(bodies, workspace, motion, h):
    """As `predict_two_steps`."""
    two, predicted, flies = workspace.two_step, workspace.predicted, workspace.flies
    by, gain, time, weight = two.by, two.gain, two.time, two.weight
    x, v, force, mass, free = motion.x, motion.v, motion.force, bodies.mass, bodies.free
    x_before, v_before, x_hat = two.x, two.v, predicted.x
    carried, before = two.carried, two.impulse
    r = h / two.h[0] if two.h[0] > 0.0 else 0.0
    for i in range(by.shape[0]):
        gain[i], time[i], weight[i] = 0.0, h, 1.0
        if by[i] == 0:
            continue
        c, s = r * r / (1.0 + 2.0 * r), h * (1.0 + r) / (1.0 + 2.0 * r)
        gain[i], time[i], weight[i], flies[i] = c, s, (h / s) ** 2, 0
        for k in range(3):
            x_hat[i, k] = x[i, k]
            if free[i, k] != 0:
                x_hat[i, k] += c * (x[i, k] - x_before[i, k])
                x_hat[i, k] += s * (v[i, k] + c * (v[i, k] - v_before[i, k]))
                x_hat[i, k] += s * s * force[i, k] / mass[i]
        if two.alone[i] != 0:
            store33(predicted.R, i, rotation_ahead(bodies, two, motion, i))
            for k in range(6):
                carried[i, k] = c * before[i, k]
            continue
        R = _ahead(load33(motion.R, i), load33(two.R, i), c)
        rate = _ahead(rate_at(two, motion, i), load33(two.rate, i), c)
        store33(predicted.R, i, mat_add(R, mat_scale(s, rate)))
    _refer_rows(workspace.joints, two, h)


@jit_in_place
def rate_at(two, motion, i):
    """R' at the start of the step: that of implicit Euler is the mean of a step, a chord."""
    if two.led[i] != 0 and two.alone[i] == 0:
        return load33(motion.rate, i)
    return matmul(load33(motion.R, i), hat(load3(motion.omega, i)))


@jit_in_place
def _ahead(now, before, c):
    """Now + c (now - before)."""
    return mat_add(now, mat_scale(c, mat_sub(now, before)))


@jit_in_place
def _refer_rows(joints, two, h):
    """Coordinates and rates that rows of joints are measured from, and h'."""
    start, body = joints.start, joints.rows.equations.body
    phi, rate, moved, rate_before = start.phi, start.rate, start.moved, start.rate_before
    reference, speed, time, gain = start.reference, start.speed, start.time, start.gain
    for r in range(phi.shape[0]):
        c, s = 0.0, h
        for side in range(body.shape[1]):
            i = body[r, side]
            if i >= 0 and two.by[i] != 0:
                c, s = two.gain[i], two.time[i]
        reference[r], time[r], gain[r] = phi[r] + c * moved[r], s, c
        speed[r] = rate[r] + c * (rate[r] - rate_before[r])


@jit_in_place
def velocities_at(bodies, workspace, motion, h, i):
    """(v_1, R'_1) of body i at the iterate."""
    two, end = workspace.two_step, workspace.iterate
    c, s = two.gain[i], two.time[i]
    x, x_before, x_1 = load3(motion.x, i), load3(two.x, i), load3(end.x, i)
    v = (
        (x_1[0] - x[0] - c * (x[0] - x_before[0])) / s,
        (x_1[1] - x[1] - c * (x[1] - x_before[1])) / s,
        (x_1[2] - x[2] - c * (x[2] - x_before[2])) / s,
    )
    if two.alone[i] != 0:
        R_1 = load33(end.R, i)
        spin = spin_at(bodies, two, motion, load33(workspace.predicted.R, i), R_1, h, i)
        return v, matmul(hat(spin), R_1)
    R = _ahead(load33(motion.R, i), load33(two.R, i), c)
    return v, mat_scale(1.0 / s, mat_sub(load33(end.R, i), R))
