r"""One step of the Lie group generalized-alpha method, index 3 (Bruls, Cardona and Arnold,
Mechanism and Machine Theory 48 (2012) 121, eqs. 20-26; on SO(3) x R^3).

    M w_1 + u_1 x M u_1 - force_1 + G_1^T lambda = 0,   phi(q_1) = 0
    q_1 = q_0 exp(h u_0 + h^2 ((1/2 - beta) a_0 + beta a_1))
    u_1 = u_0 + h ((1 - gamma) a_0 + gamma a_1)
    (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) w_1 + alpha_f w_0
with the accelerations w = du/dt. Newton's matrix holds mass, gyroscopic terms, the exact G, and the
springs and dampers of joints and between bodies as soft rows, G w - l / (c_q k + c_u c) = 0, so
they may be as stiff as they like. The turning of forces and of G^T lambda with the bodies, smaller
by h^2 |lambda| / (m length), is left out; that is the rate at which the iteration converges.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from dovetail.kernels.accelerations import all_wrenches
from dovetail.kernels.bundle import bundler
from dovetail.kernels.jit import jit
from dovetail.kernels.joined_bodies import DAMPER, EFFORT, copy_motion
from dovetail.kernels.kkt_tree import SOFT, factor, set_block, solve
from dovetail.kernels.position_stage import (
    DONE,
    MOST_ITERATIONS,
    NOT_CONVERGED,
    NOT_FINITE,
    SINGULAR,
    TURNS_TOO_FAR,
    in_terms_of_the_turn,
    place,
    set_modes,
)
from dovetail.kernels.so3 import hat
from dovetail.kernels.vec3 import (
    cross,
    load3,
    load33,
    mat_add,
    mat_scale,
    mat_sub,
    mat_t_vec,
    matmul,
    matvec,
)
from dovetail.kernels.velocity_stage import take_velocities

SETTLED = 1e-13  # relative correction of the pose


class AlphaMemory(NamedTuple):
    """What the method carries from step to step besides the motion."""

    w: Any  # (n, 6) accelerations du/dt
    a: Any  # (n, 6) the method's own, between two points in time
    w_next: Any  # (n, 6)
    a_next: Any  # (n, 6)
    u_next: Any  # (n, 6)


def alpha_memory(n: int) -> AlphaMemory:
    """Zeros for n bodies."""
    arrays = [np.zeros((n, 6)) for _ in range(5)]
    return AlphaMemory(*arrays)


@jit
def _predict(h, numbers, order, now, memory, delta):
    """A_1, the step `delta` and u_1 that belong to w_1."""
    alpha_m, alpha_f, beta, gamma = numbers
    v, omega = now.v, now.omega
    w, a, w_next, a_next, u_next = memory.w, memory.a, memory.w_next, memory.a_next, memory.u_next
    for i in order:
        for k in range(6):
            u = v[i, k] if k < 3 else omega[i, k - 3]
            mixed = (1.0 - alpha_f) * w_next[i, k] + alpha_f * w[i, k] - alpha_m * a[i, k]
            a_next[i, k] = mixed / (1.0 - alpha_m)
            delta[i, k] = h * u + h * h * ((0.5 - beta) * a[i, k] + beta * a_next[i, k])
            u_next[i, k] = u + h * ((1.0 - gamma) * a[i, k] + gamma * a_next[i, k])


@jit
def _blocks(c_gyro, joined, order, omega, A):
    """M + c d(w x J w)/dw."""
    mass, inertia = joined.mass, joined.inertia
    for i in order:
        J, w = load33(inertia, i), load3(omega, i)
        turning = mat_sub(matmul(hat(w), J), hat(matvec(J, w)))
        set_block(A, i, mass[i], mat_add(J, mat_scale(c_gyro, turning)))


@jit
def _residual(joined, order, after, w_next, b):
    """B = force - M w - gyroscopic."""
    mass, inertia = joined.mass, joined.inertia
    R, omega, forces, torques = after.R, after.omega, after.force, after.torque
    for i in order:
        J, w = load33(inertia, i), load3(omega, i)
        spun = cross(w, matvec(J, w))
        turned = matvec(J, (w_next[i, 3], w_next[i, 4], w_next[i, 5]))
        torque = mat_t_vec(load33(R, i), load3(torques, i))
        for k in range(3):
            b[i, k] = forces[i, k] - mass[i] * w_next[i, k]
            b[i, 3 + k] = torque[k] - turned[k] - spun[k]


@jit
def _soften(joined, c_pose, c_speed, kkt):
    """Springs and dampers along rows: what their force changes with the acceleration."""
    role, stiffness, damping, D, mode = (
        joined.role, joined.stiffness, joined.damping, kkt.D, kkt.mode,
    )  # fmt: skip
    for r in range(role.shape[0]):
        rate = 0.0
        if role[r] == EFFORT:
            rate = c_pose * stiffness[r]
        elif role[r] == DAMPER:
            rate = c_speed * damping[r]
        if rate > 0.0:
            mode[r] = SOFT
            D[r] = 1.0 / rate


@jit
def _copy_rows(to, source):
    for r in range(to.shape[0]):
        for side in range(2):
            for k in range(6):
                to[r, side, k] = source[r, side, k]


@jit
def solve_step(h, numbers, memory, parts):
    """Newton's iteration of one step into `after` and `memory`; (code, body, iterations, size)."""
    joined, tree, rows, work, kkt = parts.joined, parts.tree, parts.rows, parts.work, parts.kkt
    now, after, order = parts.now, parts.after, parts.tree.order
    delta, u, c, lam, G1, w_next = work.delta, work.u, work.c, work.lam, work.G, memory.w_next
    alpha_m, alpha_f, beta, gamma = numbers
    share = (1.0 - alpha_f) / (1.0 - alpha_m)
    c_pose, c_speed, length = beta * h * h * share, gamma * h * share, joined.length[0]
    w = memory.w
    for i in order:
        for k in range(6):
            w_next[i, k] = w[i, k]
    size, body = math.inf, -1
    for iteration in range(1, MOST_ITERATIONS + 1):
        _predict(h, numbers, order, now, memory, delta)
        body = place(order, now.x, now.R, delta, after.x, after.R)
        if body >= 0:
            return TURNS_TOO_FAR, body, iteration, size
        body = take_velocities(joined, order, memory.u_next, after)
        if body >= 0:
            return NOT_FINITE, body, iteration, size
        all_wrenches(joined, tree, parts.loads, rows, now.angle, after, work.extra)
        if size <= SETTLED:
            return DONE, -1, iteration, size
        _copy_rows(G1, after.G)
        in_terms_of_the_turn(tree, delta, G1)
        _blocks(c_speed, joined, order, after.omega, kkt.A)
        set_modes(joined, kkt, now.active, False, True, h)
        _soften(joined, c_pose, c_speed, kkt)
        body = factor(tree, after.G, G1, kkt)
        if body >= 0:
            return SINGULAR, body, iteration, size
        _residual(joined, order, after, w_next, kkt.b)
        phi, mode = after.phi, kkt.mode
        for r in range(c.shape[0]):
            c[r] = 0.0 if mode[r] == SOFT else -phi[r] / c_pose
        solve(tree, after.G, G1, kkt, c, u, lam)
        size = 0.0
        for i in order:
            for k in range(6):
                w_next[i, k] += u[i, k]
                change = c_pose * abs(u[i, k]) / (length if k < 3 else 1.0)
                if not change <= size:
                    size, body = change, i
    return NOT_CONVERGED, body, MOST_ITERATIONS, size


@jit
def commit(memory, parts):
    """The step is taken."""
    after, lam = parts.after, parts.work.lam
    multiplier = after.multiplier
    for r in range(lam.shape[0]):
        multiplier[r] = lam[r]
    copy_motion(parts.now, after)
    w, a, w_next, a_next = memory.w, memory.a, memory.w_next, memory.a_next
    for i in range(w.shape[0]):
        for k in range(6):
            w[i, k] = w_next[i, k]
            a[i, k] = a_next[i, k]


bundle_alpha = bundler(AlphaMemory)
