"""Joints at one pose: velocities that fit, accelerations under given forces, wrenches."""

import math
from typing import Any, NamedTuple

import numpy as np

from dovetail.integrators.shared.accelerations import project_once, solve_accelerations
from dovetail.linalg.vec3 import cross, load3, load33, matvec
from dovetail.multibody.constraints.bodies import (
    ARMATURE,
    DAMPER,
    EFFORT,
    FRICTION,
    JOINT,
    LIMIT,
    MOTOR,
    push,
)
from dovetail.multibody.constraints.rows import evaluate, row_rate
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import BoolArray, FloatArray, Int64Array, bundler
from dovetail.runtime.warmup import warm


@jit
def fit_velocities(parts, jointed, x, R, v, omega, angle, fitted_v, fitted_omega):
    """Velocities (n, 3) nearest to v, omega that fit the joints at the poses x, R.

    Rows are left in parts.now, the impulses along them, as -lam, in parts.work. Bodies that are not
    `jointed` keep theirs. Returns a body without solution, then nothing is fitted; or -1.
    """
    now = parts.now
    evaluate(parts.rows, x, R, angle, now.phi, now.angle, now.G)
    return _fit_at_rows(parts, jointed, x, R, v, omega, fitted_v, fitted_omega)


@jit_in_place
def _fit_at_rows(parts, jointed, x, R, v, omega, fitted_v, fitted_omega):
    """As `fit_velocities`, the rows at x, R being in parts.now."""
    now = parts.now
    own_x, own_R, own_v, own_omega = now.x, now.R, now.v, now.omega
    for i in range(x.shape[0]):
        for k in range(3):
            own_x[i, k], own_v[i, k], own_omega[i, k] = x[i, k], v[i, k], omega[i, k]
            fitted_v[i, k], fitted_omega[i, k] = v[i, k], omega[i, k]
            for c in range(3):
                own_R[i, k, c] = R[i, k, c]
    unsolved = project_once(parts.constants, parts.tree, now, parts.work, parts.kkt)
    if unsolved < 0:
        for i in range(x.shape[0]):
            if jointed[i]:
                for k in range(3):
                    fitted_v[i, k], fitted_omega[i, k] = own_v[i, k], own_omega[i, k]
    return unsolved


@jit
def accelerate(parts, carried, row_force, force, torque):
    """Accelerations into work.u, multipliers into work.lam, at rows and velocities of parts.now.

    Under forces and torques (n, 3) on bodies and `row_force` (r,) along rows; `carried` (n, 6) are
    accelerations of kinematic bodies. Returns a body without solution, or -1.
    """
    now, body, moves = parts.now, parts.tree.body, parts.tree.moves
    own_force, own_torque, G, R = now.force, now.torque, now.G, now.R
    for i in range(force.shape[0]):
        for k in range(3):
            own_force[i, k], own_torque[i, k] = force[i, k], torque[i, k]
    for r in range(row_force.shape[0]):
        if row_force[r] != 0.0:
            push(body, moves, R, G, r, row_force[r], own_force, own_torque)
    return solve_accelerations(
        parts.constants, parts.tree, parts.rows, now, carried, 0.0, 0.0, parts.work, parts.kkt
    )


@jit_in_place
def sum_rows(factor, amount, G, R, rows, joints, bodies, sides, points, force, torque):
    """What forces factor * amount (r,) along rows do to the second body of each joint.

    Adds force [N] and torque [N m] about the joint's point there, (joints, 3), world axes. Entry k
    of `rows`, `joints`, `bodies`, `sides`: a row, its joint, the second body and its side in G.
    """
    for k in range(rows.shape[0]):
        r, j, b, side = rows[k], joints[k], bodies[k], sides[k]
        a = factor * amount[r]
        f = (a * G[r, side, 0], a * G[r, side, 1], a * G[r, side, 2])
        moment = (a * G[r, side, 3], a * G[r, side, 4], a * G[r, side, 5])
        arm = load3(points, j)
        if b >= 0:
            moment, arm = matvec(load33(R, b), moment), matvec(load33(R, b), arm)
        less = cross(arm, f)
        for c in range(3):
            force[j, c] += f[c]
            torque[j, c] += moment[c] - less[c]


class ObservedArrays(NamedTuple):
    """What is observed of n bodies and j joints; entries of `rows` to `sides` as in `sum_rows`."""

    parts: Any  # a bundle of `Parts`: the joints at the end of a step
    jointed: BoolArray  # (n,)
    rows: Int64Array
    joints: Int64Array
    bodies: Int64Array
    sides: Int64Array
    points: FloatArray  # (j, 3) [m] of joints, in the axes of their second bodies
    impulse: FloatArray  # (2, j, 3) [N s], [N m s] of the joints in this step
    end: FloatArray  # (2, j, 3) those that fit the velocities at its end
    v: FloatArray  # (n, 3) [m/s] observed
    omega: FloatArray  # (n, 3) [rad/s] observed


bundle_observed = bundler(ObservedArrays)


@jit_in_place
def observe_end_of(seen, x, R, v, omega, angle):
    """See `observe_end`."""
    now = seen.parts.now
    evaluate(seen.parts.rows, x, R, angle, now.phi, now.angle, now.G)
    return observe_at_rows(seen, x, R, v, omega)


@jit
def observe_end(seen, x, R, v, omega, angle):
    """Velocities that fit the joints at the end of a step, and the impulses that fit them.

    x, R, v, omega are those of the n bodies, `angle` (r,) tells whole revolutions. Returns a body
    without solution, then nothing is fitted; or -1.
    """
    return observe_end_of(seen, x, R, v, omega, angle)


@jit
def observe_known(seen, x, R, v, omega):
    """As `observe_end`, the rows at the end of the step being in seen.parts.now."""
    return observe_at_rows(seen, x, R, v, omega)


@jit_in_place
def observe_at_rows(seen, x, R, v, omega):
    """See `observe_known`."""
    unsolved = _fit_at_rows(seen.parts, seen.jointed, x, R, v, omega, seen.v, seen.omega)
    force, torque = seen.end[0], seen.end[1]
    for j in range(force.shape[0]):
        for k in range(3):
            force[j, k], torque[j, k] = 0.0, 0.0
    if unsolved < 0:
        sum_rows(
            -1.0, seen.parts.work.lam, seen.parts.now.G, R, seen.rows, seen.joints, seen.bodies,
            seen.sides, seen.points, force, torque,
        )  # fmt: skip
    return unsolved


class PotentialRows(NamedTuple):
    """What the forces along r rows of joints in a potential depend on, besides phi."""

    role: Int64Array  # (r,) JOINT, ... or one that has no force
    side: FloatArray  # (r,) of a LIMIT
    rest: FloatArray  # (r,) [m or rad]
    stiffness: FloatArray  # (r,) [N/m or N m/rad]
    effort: FloatArray  # (r,) [N or N m]
    damping: FloatArray  # (r,) [N s/m or N m s/rad]
    armature: FloatArray  # (r,) [kg or kg m^2]
    friction: FloatArray  # (r,) [N or N m]
    rate: FloatArray  # (r,) [m/s or rad/s] of an ARMATURE at the start of the step
    reference: FloatArray  # (r,) [m or rad], as `contact.ipc.joints.records` has them
    speed: FloatArray  # (r,) [m/s or rad/s]
    time: FloatArray  # (r,) [s]
    multiplier: FloatArray  # (r,) h^2 times the force
    penalty: FloatArray  # (r,)


bundle_potential_rows = bundler(PotentialRows)


@jit_in_place
def potential_forces(rows, phi, h, sticking, amount):
    """Forces [N or N m] along rows that minimise the potential of a step of h [s].

    They are minus the derivatives of its terms / h^2 (`contact.ipc.joints.energies`); those along
    EFFORT and DAMPER rows are springs, motors and dampers at its end. `sticking` is CREEP * PENALTY
    of the friction there.
    """
    role, l, K, side = rows.role, rows.multiplier, rows.penalty, rows.side
    for r in range(role.shape[0]):
        kind, f, moved = role[r], 0.0, phi[r] - rows.reference[r]
        if kind == JOINT:
            f = -l[r] / (h * h)
        elif kind == MOTOR:
            f = -(l[r] + K[r] * phi[r]) / (h * h)
        elif kind == LIMIT:
            f = -side[r] * max(0.0, l[r] + K[r] * side[r] * phi[r]) / (h * h)
        elif kind == EFFORT:
            f = rows.effort[r] - rows.stiffness[r] * (phi[r] - rows.rest[r])
        elif kind == DAMPER:
            f = -rows.damping[r] * moved / rows.time[r]
        elif kind == ARMATURE:
            s = rows.time[r]
            f = -rows.armature[r] * (moved - s * rows.speed[r]) / (s * s)
        elif kind == FRICTION:
            largest = rows.friction[r]
            stick = sticking * largest * h * h / K[r] if K[r] > 0.0 else 0.0
            root = math.sqrt(moved * moved + stick * stick)
            f = -largest * moved / root if root > 0.0 else 0.0
        amount[r] = f


class RowsAtEnd(NamedTuple):
    """Rows of joints in a potential at the end of a step."""

    equations: Any  # a bundle of `constraints.rows.Rows`
    near: FloatArray  # (r,) [rad] what angles are nearest to
    phi: FloatArray  # (r,) [m or rad]
    angle: FloatArray  # (r,) [rad]
    G: FloatArray  # (r, k, 6) in body twists
    amount: FloatArray  # (r,) [N or N m] along them
    rotors: Int64Array  # ARMATURE rows


bundle_rows_at_end = bundler(RowsAtEnd)


@jit
def set_rotor_rates(end, potential, v, omega):
    """The rates at which rotors start a step, whose rows are those at the end of the one before."""
    for r in end.rotors:
        potential.rate[r] = row_rate(end.equations.body, end.G, r, v, omega)


@jit
def end_rows(seen, potential, end, x, R, h, sticking):
    """Rows at the end of a step of h [s], forces along them, and what these add to the joints.

    See `potential_forces`; with h = 0 no step led to the poses x, R.
    """
    end_rows_of(seen, potential, end, x, R, h, sticking)


@jit_in_place
def end_rows_of(seen, potential, end, x, R, h, sticking):
    """See `end_rows`."""
    evaluate(end.equations, x, R, end.near, end.phi, end.angle, end.G)
    if h > 0.0:
        potential_forces(potential, end.phi, h, sticking, end.amount)
        sum_rows(
            h, end.amount, end.G, R, seen.rows, seen.joints, seen.bodies, seen.sides, seen.points,
            seen.impulse[0], seen.impulse[1],
        )  # fmt: skip


_NUMBERS, _ROWS = np.zeros(0, np.int64), np.zeros((0, 3))
warm(
    sum_rows, 1.0, np.zeros(0), np.zeros((0, 2, 6)), np.zeros((0, 3, 3)), _NUMBERS, _NUMBERS,
    _NUMBERS, _NUMBERS, _ROWS, _ROWS, _ROWS,
)  # fmt: skip
