"""What a step of bodies with joints reads and writes, and the forces along joint coordinates."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.linalg.vec3 import load33, matvec
from dovetail.multibody.constraints.rows import row_rate
from dovetail.multibody.loads.wrenches import position_wrenches
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import BoolArray, FloatArray, Int64Array, bundler

# what a row is there for; MEASURE: its value is part of a coupling, and no force acts along it
JOINT, MOTOR, LIMIT, DAMPER, EFFORT, FRICTION, ARMATURE, MEASURE = range(8)


class ConstrainedBodies(NamedTuple):
    """Constants of n bodies and r rows; `rate`, `effort`, `creep` change as time goes on."""

    mass: FloatArray  # (n,) [kg]
    inertia: FloatArray  # (n, 3, 3) [kg m^2] body axes
    length: FloatArray  # (1,) [m] scale of the scene
    role: Int64Array  # (r,) JOINT, ...
    side: FloatArray  # (r,) of a LIMIT: 1 keeps phi <= 0, -1 keeps phi >= 0
    damping: FloatArray  # (r,) [N s/m or N m s/rad] of a DAMPER
    stiffness: FloatArray  # (r,) [N/m or N m/rad] of an EFFORT
    rest: FloatArray  # (r,) [m or rad]
    effort: FloatArray  # (r,) [N or N m] of an EFFORT's motor at the end of the step
    rate: FloatArray  # (r,) d phi/dt at fixed bodies: minus the speed a MOTOR prescribes
    rate2: FloatArray  # (r,) its derivative
    friction: FloatArray  # (r,) [N or N m] largest force of a FRICTION
    creep: FloatArray  # (r,) [m/s or rad/s] rate up to which a FRICTION counts as sticking
    frictions: Int64Array  # the rows that are FRICTION
    armature: FloatArray  # (r,) [kg or kg m^2] of an ARMATURE


class ConstrainedMotion(NamedTuple):
    """The motion at one time, the total wrench on each body, and the rows there."""

    x: FloatArray  # (n, 3) [m]
    R: FloatArray  # (n, 3, 3)
    v: FloatArray  # (n, 3) [m/s]
    omega: FloatArray  # (n, 3) [rad/s] body axes
    force: FloatArray  # (n, 3) [N]
    torque: FloatArray  # (n, 3) [N m] world axes
    momentum: FloatArray  # (n, 6) P without multipliers, of a scheme that does not project
    G: FloatArray  # (r, k, 6)
    phi: FloatArray  # (r,)
    angle: FloatArray  # (r,) [rad] of rows that measure one, over whole revolutions
    multiplier: FloatArray  # (r,) of the half step that ends here [N or N m]
    at_start: FloatArray  # (r,) of the start of that step, in a scheme without projection
    active: BoolArray  # (r,) whether a LIMIT is reached
    eased: FloatArray  # (r,) [N or N m] of a FRICTION, at the start of the next step
    bend: FloatArray  # (n, 6) [m/s^3 or rad/s^3] what the first guess of a displacement lacked


class ConstraintWorkspace(NamedTuple):
    """Memory that a step overwrites."""

    delta: FloatArray  # (n, 6) dx [m], f [rad]
    guess: FloatArray  # (n, 6) the first guess of it, without `bend`
    u: FloatArray  # (n, 6)
    c: FloatArray  # (r,)
    lam: FloatArray  # (r,)
    more: FloatArray  # (r,) change of lam
    G: FloatArray  # (r, k, 6)
    extra: FloatArray  # (2, n, 3) force and torque from outside the kernels, at the end
    slip_rate: FloatArray  # (r,) guessed rate of a FRICTION [m/s or rad/s]
    steep: FloatArray  # (r,) whether its derivative is the secant's
    stops: BoolArray  # (r,) whether a step that would pass a LIMIT ends at it
    projected: BoolArray  # (1,) whether velocities of the last step fit the joints


@jit_in_place
def push(bodies, moves, R, G, r, amount, force, torque):
    """Add G^T amount of row r to the wrenches of its bodies."""
    for side in range(bodies.shape[1]):
        i = bodies[r, side]
        if i >= 0 and moves[i]:
            g = (G[r, side, 3] * amount, G[r, side, 4] * amount, G[r, side, 5] * amount)
            moment = matvec(load33(R, i), g)
            for k in range(3):
                force[i, k] += G[r, side, k] * amount
                torque[i, k] += moment[k]


@jit_in_place
def push_rows(bodies, moves, R, G, rows, amounts, force, torque):
    """As `push`, of several rows."""
    for k in range(rows.shape[0]):
        push(bodies, moves, R, G, rows[k], amounts[k], force, torque)


@jit
def wrenches(constants, tree, loads, rows, motion, extra):
    """Total wrenches but dampers: loads, joint springs, motor efforts and the extra ones."""
    x, R, force, torque, phi, G = (
        motion.x, motion.R, motion.force, motion.torque, motion.phi, motion.G,
    )  # fmt: skip
    role, efforts = constants.role, constants.effort
    rest, stiffness = constants.rest, constants.stiffness
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


@jit_in_place
def given_rate(bodies, moves, G, r, v, omega, rate):
    """What the rate of row r is without the bodies that forces move [m/s or rad/s]."""
    for side in range(bodies.shape[1]):
        i = bodies[r, side]
        if i >= 0 and not moves[i]:
            for k in range(3):
                rate += G[r, side, k] * v[i, k] + G[r, side, 3 + k] * omega[i, k]
    return rate


@jit
def violation(parts):
    """Largest |phi| [m or rad] and |d phi/dt| of joints and prescribed motions, and the energy of
    joint springs and rotors, sum of k (phi - rest)^2 / 2 + a rate^2 / 2 [J], at the current state.
    """
    constants, now, bodies = parts.constants, parts.now, parts.rows.body
    role, rates = constants.role, constants.rate
    G, phi, v, omega = now.G, now.phi, now.v, now.omega
    position = velocity = 0.0
    for r in range(role.shape[0]):
        if role[r] == JOINT or role[r] == MOTOR:
            position = max(position, abs(phi[r]))
            velocity = max(velocity, abs(row_rate(bodies, G, r, v, omega) + rates[r]))
    return position, velocity, joint_energy(constants, bodies, now)


@jit
def joint_energy(constants, bodies, now):
    """The energy of joint springs and rotors [J], see `violation`."""
    role, rest, stiffness = constants.role, constants.rest, constants.stiffness
    G, phi, v, omega = now.G, now.phi, now.v, now.omega
    energy = 0.0
    for r in range(role.shape[0]):
        if role[r] == EFFORT:
            stretch = phi[r] - rest[r]
            energy += 0.5 * stiffness[r] * stretch * stretch
        elif role[r] == ARMATURE:
            rate = row_rate(bodies, G, r, v, omega)
            energy += 0.5 * constants.armature[r] * rate * rate
    return energy


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
    copy_but_jacobians(now, after)
    _copy3(now.G, after.G)


@jit
def copy_but_jacobians(now, after):
    """As `copy_motion` but for G, which follows from the poses."""
    _copy2(now.x, after.x)
    _copy3(now.R, after.R)
    _copy2(now.v, after.v)
    _copy2(now.omega, after.omega)
    _copy2(now.force, after.force)
    _copy2(now.torque, after.torque)
    _copy2(now.momentum, after.momentum)
    _copy1(now.phi, after.phi)
    _copy1(now.angle, after.angle)
    _copy1(now.multiplier, after.multiplier)
    _copy1(now.at_start, after.at_start)
    _copy1(now.active, after.active)
    _copy1(now.eased, after.eased)
    _copy2(now.bend, after.bend)


class Parts(NamedTuple):
    """Everything a step works on; bundles, which have no type of their own in Python."""

    constants: Any  # ConstrainedBodies
    tree: Any  # order of elimination
    loads: Any  # CompiledLoads
    rows: Any  # Rows
    now: Any  # ConstrainedMotion at the start of the step
    after: Any  # ConstrainedMotion at its end
    work: Any  # ConstraintWorkspace
    kkt: Any  # workspace of the linear systems


bundle_bodies = bundler(ConstrainedBodies)
bundle_motion = bundler(ConstrainedMotion)
bundle_workspace = bundler(ConstraintWorkspace)
bundle_parts = bundler(Parts)


def zero_motion(n: int, r: int, width: int = 2) -> ConstrainedMotion:
    """A motion of n bodies and r rows with room for `width` bodies each, all zero."""
    rows = [np.zeros((n, 3)) for _ in range(5)]
    x, v, omega, force, torque = rows
    return ConstrainedMotion(
        x, np.zeros((n, 3, 3)), v, omega, force, torque, np.zeros((n, 6)), np.zeros((r, width, 6)),
        np.zeros(r), np.zeros(r), np.zeros(r), np.zeros(r), np.zeros(r, np.bool_),
        np.zeros(r), np.zeros((n, 6)),
    )  # fmt: skip


def constraint_workspace(n: int, r: int, width: int = 2) -> ConstraintWorkspace:
    """Workspace for n bodies and r rows with room for `width` bodies each."""
    return ConstraintWorkspace(
        np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(r), np.zeros(r), np.zeros(r),
        np.zeros((r, width, 6)), np.zeros((2, n, 3)), np.zeros(r), np.zeros(r),
        np.ones(r, np.bool_), np.zeros(1, np.bool_),
    )  # fmt: skip


def no_constrained_bodies() -> ConstrainedBodies:
    """No bodies and no rows, of the types every call has."""
    r = [np.zeros(0) for _ in range(10)]
    return ConstrainedBodies(
        r[0], np.zeros((0, 3, 3)), np.ones(1), np.zeros(0, np.int64), r[1], r[2], r[3], r[4], r[5],
        r[6], r[7], r[8], r[9], np.zeros(0, np.int64), np.zeros(0),
    )  # fmt: skip
