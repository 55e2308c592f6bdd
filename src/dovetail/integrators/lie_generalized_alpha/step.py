r"""One step of the Lie group generalized-alpha method, index 3 (Bruls, Cardona and Arnold,
Mechanism and Machine Theory 48 (2012) 121, eqs. 20-26; on SO(3) x R^3).

    M w_1 + u_1 x M u_1 - force_1 + G_1^T lambda = 0,   phi(q_1) = 0
    q_1 = q_0 exp(h u_0 + h^2 ((1/2 - beta) a_0 + beta a_1))
    u_1 = u_0 + h ((1 - gamma) a_0 + gamma a_1)
    (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) w_1 + alpha_f w_0
with the accelerations w = du/dt. Newton's matrix is complete: mass, gyroscopic terms, G, and all
that forces and G^T lambda change with the bodies (`lie_generalized_alpha.derivatives`), springs
and dampers as soft
rows so that they may be as stiff as they like. The iteration converges quadratically.
"""

import math
from typing import NamedTuple

import numpy as np

from dovetail.integrators.lie_generalized_alpha.derivatives import (
    add_load_derivatives,
    add_row_derivatives,
)
from dovetail.integrators.shared.accelerations import all_wrenches
from dovetail.integrators.variational.position_stage import MAX_ITERATIONS, per_rotation_vector
from dovetail.integrators.variational.stages import (
    DONE,
    NOT_CONVERGED,
    NOT_FINITE,
    ROTATES_TOO_FAR,
    SINGULAR,
    place,
    set_modes,
)
from dovetail.integrators.variational.velocity_stage import take_velocities
from dovetail.linalg.kkt.rows import SOFT
from dovetail.linalg.kkt.tree import factor, set_block, solve
from dovetail.linalg.so3 import hat
from dovetail.linalg.vec3 import (
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
from dovetail.multibody.constraints.bodies import ARMATURE, FRICTION, copy_motion
from dovetail.multibody.constraints.rows import bias
from dovetail.runtime.jit import jit
from dovetail.runtime.records import FloatArray, bundler

SETTLED = 1e-12  # relative correction of the pose
FORESEEN = 1e-15  # the same, of the next one
ROUNDED = 1e-10  # below this a correction that does not shrink is round-off


class AlphaMemory(NamedTuple):
    """What the method carries from step to step besides the motion."""

    w: FloatArray  # (n, 6) accelerations du/dt
    a: FloatArray  # (n, 6) the method's own, between two points in time
    w_next: FloatArray  # (n, 6)
    a_next: FloatArray  # (n, 6)
    u_next: FloatArray  # (n, 6)
    aim: FloatArray  # (r,) [m or rad] the value a limit is held at, where it was reached


def alpha_memory(n: int, r: int) -> AlphaMemory:
    """Zeros for n bodies and r rows."""
    w, a, w_next, a_next, u_next = np.zeros((5, n, 6))
    return AlphaMemory(w, a, w_next, a_next, u_next, np.zeros(r))


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
def _blocks(c_gyro, constants, order, omega, A):
    """M + c d(w x J w)/dw."""
    mass, inertia = constants.mass, constants.inertia
    for i in order:
        J, w = load33(inertia, i), load3(omega, i)
        turning = mat_sub(matmul(hat(w), J), hat(matvec(J, w)))
        set_block(A, i, mass[i], mat_add(J, mat_scale(c_gyro, turning)))


@jit
def _residual(constants, order, after, w_next, b):
    """B = force - M w - gyroscopic."""
    mass, inertia = constants.mass, constants.inertia
    R, omega, forces, torques = after.R, after.omega, after.force, after.torque
    for i in order:
        J, w = load33(inertia, i), load3(omega, i)
        spun = cross(w, matvec(J, w))
        rotational = matvec(J, (w_next[i, 3], w_next[i, 4], w_next[i, 5]))
        torque = mat_t_vec(load33(R, i), load3(torques, i))
        for k in range(3):
            b[i, k] = forces[i, k] - mass[i] * w_next[i, k]
            b[i, 3 + k] = torque[k] - rotational[k] - spun[k]


@jit
def _copy_rows(to, source):
    for r in range(to.shape[0]):
        for side in range(to.shape[1]):
            for k in range(6):
                to[r, side, k] = source[r, side, k]


@jit
def weights(h, numbers):
    """How much an acceleration changes the pose [s^2] and the velocity [s] of a step."""
    alpha_m, alpha_f, beta, gamma = numbers
    share = (1.0 - alpha_f) / (1.0 - alpha_m)
    return beta * h * h * share, gamma * h * share


@jit
def begin(memory, parts):
    """The first guess: accelerations and multipliers of before."""
    w, w_next, lam, multiplier = memory.w, memory.w_next, parts.work.lam, parts.now.multiplier
    for i in parts.tree.order:
        for k in range(6):
            w_next[i, k] = w[i, k]
    for r in range(lam.shape[0]):
        lam[r] = multiplier[r]


@jit
def evaluate_end(h, numbers, memory, parts):
    """Poses, velocities, rows and forces at the end of the step that w_1 makes; (code, body)."""
    constants, order, now, after = parts.constants, parts.tree.order, parts.now, parts.after
    delta = parts.work.delta
    _predict(h, numbers, order, now, memory, delta)
    body = place(order, now.x, now.R, delta, after.x, after.R)
    if body >= 0:
        return ROTATES_TOO_FAR, body
    body = take_velocities(constants, order, memory.u_next, after)
    if body >= 0:
        return NOT_FINITE, body
    all_wrenches(constants, parts.tree, parts.loads, parts.rows, now.angle, after, parts.work.extra)
    return DONE, -1


@jit
def _resist(constants, tree, rows, after, w, work):
    """Rows of rotors, l = a (G w + G' u): their inertia times the acceleration along them.

    `w` (n, 6) has the accelerations of kinematic bodies too.
    """
    role, body, G, G1, c, turning = constants.role, tree.body, after.G, work.G, work.c, work.more
    if not _has_rotors(role):
        return
    bias(rows, after.x, after.R, after.v, after.omega, after.phi, turning)
    for r in range(role.shape[0]):
        if role[r] == ARMATURE:
            c[r] = -turning[r]
            for side in range(body.shape[1]):
                i = body[r, side]
                for k in range(6):
                    G1[r, side, k] = G[r, side, k]
                    if i >= 0:
                        c[r] -= G[r, side, k] * w[i, k]


@jit
def _has_rotors(role):
    for r in range(role.shape[0]):
        if role[r] == ARMATURE:
            return True
    return False


@jit
def linearise(iteration, h, numbers, memory, parts):
    """Newton's matrix at the end of the step, and its right-hand sides kkt.b and work.c."""
    constants, tree, rows = parts.constants, parts.tree, parts.rows
    work, kkt = parts.work, parts.kkt
    after, order, delta, G1, c = parts.after, parts.tree.order, work.delta, work.G, work.c
    c_pose, c_speed = weights(h, numbers)
    _copy_rows(G1, after.G)
    per_rotation_vector(tree, delta, G1)
    _blocks(c_speed, constants, order, after.omega, kkt.A)
    set_modes(constants, kkt, parts.now.active, False, True, h)
    add_load_derivatives(c_pose, order, parts.loads, delta, after.R, work.extra, kkt.A)
    add_row_derivatives(iteration, c_pose, c_speed, constants, tree, rows, delta, after, work, kkt)
    _residual(constants, order, after, memory.w_next, kkt.b)
    phi, mode, aim = after.phi, kkt.mode, memory.aim
    for r in range(c.shape[0]):
        c[r] = 0.0 if mode[r] == SOFT else (aim[r] - phi[r]) / c_pose
    _resist(constants, tree, rows, after, memory.w_next, work)


@jit
def correct(h, numbers, memory, parts):
    """Solve and add the correction to w_1; (body without solution or -1, its size, its body)."""
    constants, tree, after = parts.constants, parts.tree, parts.after
    work, kkt = parts.work, parts.kkt
    w_next, u, length = memory.w_next, work.u, constants.length[0]
    c_pose, _ = weights(h, numbers)
    unsolved = factor(tree, after.G, work.G, kkt)
    if unsolved >= 0:
        return unsolved, math.inf, unsolved
    solve(tree, after.G, work.G, kkt, work.c, u, work.lam)
    size, body = 0.0, -1
    for i in tree.order:
        for k in range(6):
            w_next[i, k] += u[i, k]
            change = c_pose * abs(u[i, k]) / (length if k < 3 else 1.0)
            if not change <= size:
                size, body = change, i
    return -1, size, body


@jit
def solve_step(h, numbers, memory, parts):
    """Newton's iteration of one step into `after` and `memory`; (code, body, iterations, size)."""
    begin(memory, parts)
    size, next_size, body = math.inf, math.inf, -1
    for iteration in range(1, MAX_ITERATIONS + 1):
        code, trouble = evaluate_end(h, numbers, memory, parts)
        if code != DONE:
            return code, trouble, iteration, size
        if size <= SETTLED or next_size <= FORESEEN:
            return DONE, -1, iteration, size
        linearise(iteration, h, numbers, memory, parts)
        before = size
        unsolved, size, body = correct(h, numbers, memory, parts)
        if unsolved >= 0:
            return SINGULAR, unsolved, iteration, before
        next_size = size * size / before if before < math.inf else size
        if size < ROUNDED and size > 0.25 * before:
            next_size = 0.0
    return NOT_CONVERGED, body, MAX_ITERATIONS, size


@jit
def commit(memory, parts):
    """The step is taken."""
    after, lam = parts.after, parts.work.lam
    multiplier, role = after.multiplier, parts.constants.role
    for r in range(lam.shape[0]):
        if role[r] != FRICTION:
            multiplier[r] = lam[r]
    copy_motion(parts.now, after)
    w, a, w_next, a_next = memory.w, memory.a, memory.w_next, memory.a_next
    for i in range(w.shape[0]):
        for k in range(6):
            w[i, k] = w_next[i, k]
            a[i, k] = a_next[i, k]


bundle_alpha = bundler(AlphaMemory)
