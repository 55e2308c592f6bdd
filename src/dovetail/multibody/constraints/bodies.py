"""What a step of bodies with joints reads and writes, and the forces along joint coordinates."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.linalg.vec3 import load33, matvec
from dovetail.multibody.constraints.rows import row_rate
from dovetail.multibody.loads.wrenches import position_wrenches
from dovetail.runtime.jit import jit
from dovetail.runtime.records import bundler

JOINT, MOTOR, LIMIT, DAMPER, EFFORT, FRICTION = 0, 1, 2, 3, 4, 5  # what a row is there for


class JoinedBodies(NamedTuple):
    """Constants of n bodies and r rows; `rate`, `effort`, `creep` change as time goes on."""

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
    friction: Any  # (r,) [N or N m] largest force of a FRICTION
    creep: Any  # (r,) [m/s or rad/s] rate up to which a FRICTION counts as sticking
    frictions: Any  # the rows that are FRICTION


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
    at_start: Any  # (r,) of the start of the step that ends here, in a scheme without projection
    active: Any  # (r,) whether a LIMIT is reached
    eased: Any  # (r,) [N or N m] of a FRICTION, at the start of the next step


class StepRoom(NamedTuple):
    """Scratch of a step."""

    delta: Any  # (n, 6) dx [m], f [rad]
    u: Any  # (n, 6)
    c: Any  # (r,)
    lam: Any  # (r,)
    G: Any  # (r, 2, 6)
    extra: Any  # (2, n, 3) force and torque from outside the kernels, at the end
    slide: Any  # (r,) guessed rate of a FRICTION
    steep: Any  # (r,) whether its slope is the secant's


@jit
def push(bodies, moves, R, G, r, amount, force, torque):
    """Add G^T amount of row r to the wrenches of its bodies."""
    for side in range(2):
        i = bodies[r, side]
        if i >= 0 and moves[i]:
            g = (G[r, side, 3] * amount, G[r, side, 4] * amount, G[r, side, 5] * amount)
            turn = matvec(load33(R, i), g)
            for k in range(3):
                force[i, k] += G[r, side, k] * amount
                torque[i, k] += turn[k]


@jit
def wrenches(joined, tree, loads, rows, motion, extra):
    """Total wrenches but dampers: loads, joint springs, motor efforts and the extra ones."""
    x, R, force, torque, phi, G = (
        motion.x, motion.R, motion.force, motion.torque, motion.phi, motion.G,
    )  # fmt: skip
    role, rest, efforts, stiffness = joined.role, joined.rest, joined.effort, joined.stiffness
    bodies, moves = rows.body, tree.moves
    position_wrenches(loads, x, R, force, torque)
    for i in range(x.shape[0]):
        for k in range(3):
            force[i, k] += extra[0, i, k]
            torque[i, k] += extra[1, i, k]
    for r in range(role.shape[0]):
        if role[r] == EFFORT:
            effort = efforts[r] - stiffness[r] * (phi[r] - rest[r])
            push(bodies, moves, R, G, r, effort, force, torque)


@jit
def given_rate(bodies, moves, G, r, v, omega, rate):
    """What the rate of row r is without the bodies that forces move [m/s or rad/s]."""
    for side in range(2):
        i = bodies[r, side]
        if i >= 0 and not moves[i]:
            for k in range(3):
                rate += G[r, side, k] * v[i, k] + G[r, side, 3 + k] * omega[i, k]
    return rate


@jit
def violation(parts):
    """Largest |phi| [m or rad] and |d phi/dt| of joints and prescribed motions, and the energy of
    joint springs, sum of k (phi - rest)^2 / 2 [J], at the current state.
    """
    joined, now, bodies = parts.joined, parts.now, parts.rows.body
    role, rates, rest, stiffness = joined.role, joined.rate, joined.rest, joined.stiffness
    G, phi, v, omega = now.G, now.phi, now.v, now.omega
    position = velocity = energy = 0.0
    for r in range(role.shape[0]):
        if role[r] == JOINT or role[r] == MOTOR:
            position = max(position, abs(phi[r]))
            velocity = max(velocity, abs(row_rate(bodies, G, r, v, omega) + rates[r]))
        elif role[r] == EFFORT:
            stretch = phi[r] - rest[r]
            energy += 0.5 * stiffness[r] * stretch * stretch
    return position, velocity, energy


@jit
def _copy2(to, source):
    for i in range(to.shape[0]):
        for k in range(to.shape[1]):
            to[i, k] = source[i, k]


@jit
def _copy3(to, source):
    for i in range(to.shape[0]):
        for j in range(to.shape[1]):
            for k in range(to.shape[2]):
                to[i, j, k] = source[i, j, k]


@jit
def _copy1(to, source):
    for i in range(to.shape[0]):
        to[i] = source[i]


@jit
def copy_motion(now, after):
    """`now` becomes `after`."""
    _copy2(now.x, after.x)
    _copy3(now.R, after.R)
    _copy2(now.v, after.v)
    _copy2(now.omega, after.omega)
    _copy2(now.force, after.force)
    _copy2(now.torque, after.torque)
    _copy2(now.momentum, after.momentum)
    _copy3(now.G, after.G)
    _copy1(now.phi, after.phi)
    _copy1(now.angle, after.angle)
    _copy1(now.multiplier, after.multiplier)
    _copy1(now.at_start, after.at_start)
    _copy1(now.active, after.active)
    _copy1(now.eased, after.eased)


class Parts(NamedTuple):
    """Everything a step works on."""

    joined: Any
    tree: Any
    loads: Any
    rows: Any
    now: Any
    after: Any
    work: Any
    kkt: Any


bundle_joined = bundler(JoinedBodies)
bundle_motion = bundler(JoinedMotion)
bundle_step_room = bundler(StepRoom)
bundle_parts = bundler(Parts)


def motion_room(n: int, r: int) -> JoinedMotion:
    """A motion of n bodies and r rows, all zero."""
    rows = [np.zeros((n, 3)) for _ in range(5)]
    x, v, omega, force, torque = rows
    return JoinedMotion(
        x, np.zeros((n, 3, 3)), v, omega, force, torque, np.zeros((n, 6)), np.zeros((r, 2, 6)),
        np.zeros(r), np.zeros(r), np.zeros(r), np.zeros(r), np.zeros(r, np.bool_),
        np.zeros(r),
    )  # fmt: skip


def step_room(n: int, r: int) -> StepRoom:
    """Scratch for n bodies and r rows."""
    return StepRoom(
        np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(r), np.zeros(r), np.zeros((r, 2, 6)),
        np.zeros((2, n, 3)), np.zeros(r), np.zeros(r),
    )  # fmt: skip


def no_joined_bodies() -> JoinedBodies:
    """No bodies and no rows, of the types every call has."""
    r = [np.zeros(0) for _ in range(10)]
    return JoinedBodies(
        r[0], np.zeros((0, 3, 3)), np.ones(1), np.zeros(0, np.int64), r[1], r[2], r[3], r[4], r[5],
        r[6], r[7], r[8], r[9], np.zeros(0, np.int64),
    )  # fmt: skip
