"""What both stages of a variational step share, and their codes of failure."""

import math

from dovetail.integrators.variational.discrete_momentum import momentum
from dovetail.linalg.kkt.rows import HARD, OFF, SOFT
from dovetail.linalg.kkt.tree import set_block
from dovetail.linalg.so3 import exp
from dovetail.linalg.vec3 import add, load3, load33, mat_t_vec, matmul, norm, store3, store33
from dovetail.multibody.constraints.bodies import ARMATURE, DAMPER, EFFORT, FRICTION, LIMIT, MEASURE
from dovetail.multibody.free_rotation import LARGEST_ROTATION, orthogonalised
from dovetail.runtime.jit import jit, jit_in_place

DONE, NOT_CONVERGED, ROTATES_TOO_FAR, SINGULAR, NOT_FINITE, UNSETTLED = 0, 1, 2, 3, 4, 5
SETTLED = 1e-9  # relative correction after which quadratic convergence has reached round-off
ROUND_OFF = 1e-17  # what further corrections would be, relative
NOISE = 1e-12  # what may be round-off where corrections no longer shrink
NO_GAIN = 0.25  # of a correction by a good matrix is left: it is round-off of positions far away


@jit_in_place
def set_modes(constants, kkt, active, velocity_stage, projects, h):
    """Which rows count in a stage."""
    roles, damping, D, mode = constants.role, constants.damping, kkt.D, kkt.mode
    armature = constants.armature
    for r in range(roles.shape[0]):
        role = roles[r]
        D[r] = 0.0
        mode[r] = HARD
        if role == EFFORT or role == FRICTION or role == MEASURE:
            mode[r] = OFF
        elif role == ARMATURE:
            mode[r], D[r] = SOFT, 1.0 / armature[r]
        elif role == DAMPER:
            mode[r] = SOFT if velocity_stage and damping[r] > 0.0 else OFF
            if mode[r] == SOFT:
                D[r] = 2.0 / (h * damping[r])
        elif (role == LIMIT and not active[r]) or (velocity_stage and not projects):
            mode[r] = OFF


@jit_in_place
def mass_blocks(constants, order, A):
    """A = mass matrix."""
    mass, inertia = constants.mass, constants.inertia
    for i in order:
        set_block(A, i, mass[i], load33(inertia, i))


@jit
def tangent(delta, i):
    """The translation and the rotation of body i in a step."""
    return (delta[i, 0], delta[i, 1], delta[i, 2]), (delta[i, 3], delta[i, 4], delta[i, 5])


@jit
def place(order, x0, R0, delta, x, R):
    """Poses after the step `delta`; returns the body that rotates too far, or -1."""
    for i in order:
        dx, f = tangent(delta, i)
        if not norm(f) < LARGEST_ROTATION:
            return i
        store3(x, i, add(load3(x0, i), dx))
        store33(R, i, orthogonalised(matmul(load33(R0, i), exp(f))))
    return -1


@jit
def momentum_left(h, rule, constants, order, now, delta, b):
    """B = -(what is left of the momentum equations without multipliers) at `delta`."""
    mass, inertia = constants.mass, constants.inertia
    R, forces, torques, P = now.R, now.force, now.torque, now.momentum
    for i in order:
        dx, f = tangent(delta, i)
        has = momentum(rule, load33(inertia, i), f, 1.0)
        torque = mat_t_vec(load33(R, i), load3(torques, i))
        for k in range(3):
            b[i, k] = h * P[i, k] + 0.5 * h * h * forces[i, k] - mass[i] * dx[k]
            b[i, 3 + k] = h * P[i, 3 + k] + 0.5 * h * h * torque[k] - has[k]


@jit
def apply_correction(order, length, u, delta):
    """Delta += u; returns (largest relative correction, its body)."""
    size, body = 0.0, -1
    for i in order:
        change = 0.0
        for k in range(6):
            delta[i, k] += u[i, k]
            part = abs(u[i, k]) / length if k < 3 else abs(u[i, k])
            if not math.isfinite(part):
                return math.inf, i
            change = max(change, part)
        if change >= size:
            size, body = change, i
    return size, body


@jit
def reach_of(order, x):
    """[m] the largest coordinate of a body: its positions are rounded to a part of it."""
    reach = 0.0
    for i in order:
        for k in range(3):
            reach = max(reach, abs(x[i, k]))
    return reach


@jit
def release_pulling(constants, active, lam):
    """Let go of limits whose multiplier would pull; whether there were any."""
    role, side = constants.role, constants.side
    released = False
    for r in range(role.shape[0]):
        if role[r] == LIMIT and active[r] and side[r] * lam[r] < 0.0:
            active[r] = False
            released = True
    return released


@jit
def stop_at_limits(constants, stops, active, phi):
    """Hold the coordinates that are past their limits, the rows being phi; whether there were any.

    A step that passed a limit and came back would give other bodies the energy of the way back.
    """
    role, side = constants.role, constants.side
    stopped = False
    for r in range(role.shape[0]):
        if role[r] == LIMIT and stops[r] and not active[r] and side[r] * phi[r] > 0.0:
            active[r] = True
            stopped = True
    return stopped
