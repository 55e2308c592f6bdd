"""What a step of bodies with joints reads and writes, and the forces along joint coordinates."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.kernels.constraint_rows import row_rate
from dovetail.kernels.jit import jit
from dovetail.kernels.load_wrenches import position_wrenches
from dovetail.kernels.vec3 import load33, matvec

JOINT, MOTOR, LIMIT, DAMPER, EFFORT = 0, 1, 2, 3, 4  # what a row is there for


class JoinedBodies(NamedTuple):
    """Constants of n bodies and r rows; `rate`, `effort` change as time goes on."""

    mass: Any  # (n,) [kg]
    inertia: Any  # (n, 3, 3) [kg m^2] body axes
    length: Any  # (1,) [m] scale of the scene
    role: Any  # (r,) JOINT, ...
    side: Any  # (r,) of a LIMIT: 1 keeps phi <= 0, -1 keeps phi >= 0
    damping: Any  # (r,) [N s/m or N m s/rad] of a DAMPER
    stiffness: Any  # (r,) [N/m or N m/rad] of an EFFORT
    rest: Any  # (r,) [m or rad]
    effort: Any  # (r,) [N or N m] of an EFFORT's motor at the end of the step
    rate: Any  # (r,) d phi/dt at fixed bodies: minus the speed a MOTOR prescribes
    rate2: Any  # (r,) its derivative


class JoinedMotion(NamedTuple):
    """The motion at one time, the total wrench on each body, and the rows there."""

    x: Any  # (n, 3) [m]
    R: Any  # (n, 3, 3)
    v: Any  # (n, 3) [m/s]
    omega: Any  # (n, 3) [rad/s] body axes
    force: Any  # (n, 3) [N]
    torque: Any  # (n, 3) [N m] world axes
    momentum: Any  # (n, 6) P without multipliers, of a scheme that does not project
    G: Any  # (r, 2, 6)
    phi: Any  # (r,)
    angle: Any  # (r,) [rad] of rows that turn, counted over whole turns
    multiplier: Any  # (r,) of the half step that ends here [N or N m]
    active: Any  # (r,) whether a LIMIT is reached
    keep: Any  # (r,) False for a row that others imply


class StepRoom(NamedTuple):
    """Scratch of a step."""

    delta: Any  # (n, 6) dx [m], f [rad]
    u: Any  # (n, 6)
    c: Any  # (r,)
    lam: Any  # (r,)
    G: Any  # (r, 2, 6)
    extra: Any  # (2, n, 3) force and torque from outside the kernels, at the end


@jit
def push(rows, moves, R, G, r, amount, force, torque):
    """Add G^T amount of row r to the wrenches of its bodies."""
    for side in range(2):
        i = rows.body[r, side]
        if i >= 0 and moves[i]:
            g = (G[r, side, 3] * amount, G[r, side, 4] * amount, G[r, side, 5] * amount)
            turn = matvec(load33(R, i), g)
            for k in range(3):
                force[i, k] += G[r, side, k] * amount
                torque[i, k] += turn[k]


@jit
def wrenches(joined, tree, loads, rows, motion, extra):
    """Total wrenches but dampers: loads, joint springs, motor efforts and the extra ones."""
    position_wrenches(loads, motion.x, motion.R, motion.force, motion.torque)
    for i in range(motion.x.shape[0]):
        for k in range(3):
            motion.force[i, k] += extra[0, i, k]
            motion.torque[i, k] += extra[1, i, k]
    for r in range(rows.kind.shape[0]):
        if joined.role[r] == EFFORT:
            stretch = motion.phi[r] - joined.rest[r]
            effort = joined.effort[r] - joined.stiffness[r] * stretch
            push(rows, tree.moves, motion.R, motion.G, r, effort, motion.force, motion.torque)


@jit
def given_rate(rows, tree, G, r, v, omega, rate):
    """What the rate of row r is without the bodies that forces move [m/s or rad/s]."""
    for side in range(2):
        i = rows.body[r, side]
        if i >= 0 and not tree.moves[i]:
            for k in range(3):
                rate += G[r, side, k] * v[i, k] + G[r, side, 3 + k] * omega[i, k]
    return rate


@jit
def violation(joined, rows, motion):
    """Largest |phi| [m or rad] and |d phi/dt| of joints and prescribed motions."""
    position, velocity = 0.0, 0.0
    for r in range(rows.kind.shape[0]):
        if joined.role[r] == JOINT or joined.role[r] == MOTOR:
            position = max(position, abs(motion.phi[r]))
            rate = row_rate(rows, motion.G, r, motion.v, motion.omega) + joined.rate[r]
            velocity = max(velocity, abs(rate))
    return position, velocity


@jit
def stored_energy(joined, phi):
    """Sum of k (phi - rest)^2 / 2 of joint springs [J]."""
    energy = 0.0
    for r in range(phi.shape[0]):
        if joined.role[r] == EFFORT:
            stretch = phi[r] - joined.rest[r]
            energy += 0.5 * joined.stiffness[r] * stretch * stretch
    return energy


@jit
def copy_motion(now, after):
    """`now` becomes `after`."""
    n, r = now.x.shape[0], now.phi.shape[0]
    for i in range(n):
        for k in range(3):
            now.x[i, k] = after.x[i, k]
            now.v[i, k] = after.v[i, k]
            now.omega[i, k] = after.omega[i, k]
            now.force[i, k] = after.force[i, k]
            now.torque[i, k] = after.torque[i, k]
            for j in range(3):
                now.R[i, k, j] = after.R[i, k, j]
        for k in range(6):
            now.momentum[i, k] = after.momentum[i, k]
    for j in range(r):
        now.phi[j] = after.phi[j]
        now.angle[j] = after.angle[j]
        now.multiplier[j] = after.multiplier[j]
        now.active[j] = after.active[j]
        now.keep[j] = after.keep[j]
        for side in range(2):
            for k in range(6):
                now.G[j, side, k] = after.G[j, side, k]


def motion_room(n: int, r: int) -> JoinedMotion:
    """A motion of n bodies and r rows, all zero and every row kept."""
    rows = [np.zeros((n, 3)) for _ in range(5)]
    x, v, omega, force, torque = rows
    return JoinedMotion(
        x, np.zeros((n, 3, 3)), v, omega, force, torque, np.zeros((n, 6)), np.zeros((r, 2, 6)),
        np.zeros(r), np.zeros(r), np.zeros(r), np.zeros(r, np.bool_), np.ones(r, np.bool_),
    )  # fmt: skip


def step_room(n: int, r: int) -> StepRoom:
    """Scratch for n bodies and r rows."""
    return StepRoom(
        np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(r), np.zeros(r), np.zeros((r, 2, 6)),
        np.zeros((2, n, 3)),
    )  # fmt: skip


_r = np.zeros(0)
NO_JOINED_BODIES = JoinedBodies(
    _r, np.zeros((0, 3, 3)), np.ones(1), np.zeros(0, np.int64), _r, _r, _r, _r, _r, _r, _r
)
