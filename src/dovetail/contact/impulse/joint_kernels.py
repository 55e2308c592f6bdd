"""Rows of joints at a pose and what they ask of the velocities, in compiled code."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.impulse.records import RELEASED
from dovetail.multibody.constraints.bodies import ARMATURE, DAMPER, EFFORT, LIMIT, MOTOR, push
from dovetail.multibody.constraints.rows import Rows, evaluate, no_rows, row_rate
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import (
    BoolArray,
    FloatArray,
    Int8Array,
    Int64Array,
    bundler,
)
from dovetail.runtime.warmup import warm, warm_later


class JointArrays(NamedTuple):
    """r rows of joints, of which k are solved for."""

    rows: Rows
    role: Int64Array  # (r,) JOINT, ...
    sign: FloatArray  # (r,) -1 for limits whose row falls towards them
    effort: FloatArray  # (r,) [N or N m] of EFFORT rows
    stiffness: FloatArray  # (r,) [N/m or N m/rad] of EFFORT rows
    rest: FloatArray  # (r,) [m or rad] of EFFORT rows
    damping: FloatArray  # (r,) [N s/m or N m s/rad] of DAMPER rows
    spring: FloatArray  # (r,) [N/m or N m/rad] of DAMPER rows, at the end of the step
    pull: FloatArray  # (r,) [N or N m] of DAMPER rows
    armature: FloatArray  # (r,) [kg or kg m^2] of ARMATURE rows
    rotor_rate: FloatArray  # (r,) [m/s or rad/s] of ARMATURE rows at the start of the step
    friction: FloatArray  # (r,) [N or N m] of FRICTION rows
    moves: BoolArray  # (n,) bodies that forces move
    G: FloatArray  # (r, w, 6) at the last pose, rows of up to w bodies
    phi: FloatArray  # (r,) at the last pose
    angle: FloatArray  # (r,) [rad] at the last pose
    which: Int64Array  # (k,) rows that are solved for
    mode: Int8Array  # (k,) BILATERAL, UNILATERAL, RELEASED or BOUNDED
    c: FloatArray  # (k,) J u + c + s lambda = 0
    softness: FloatArray  # (k,) s
    bound: FloatArray  # (k,) [N s or N m s] of BOUNDED rows


bundle_joints = bundler(JointArrays)


@jit_in_place
def placed_joints(joints, x, R):
    """See `place_joints`."""
    sign, G, phi = joints.sign, joints.G, joints.phi
    evaluate(joints.rows, x, R, joints.angle, phi, joints.angle, G)
    for r in range(sign.shape[0]):
        phi[r] *= sign[r]
        for side in range(G.shape[1]):
            for k in range(6):
                G[r, side, k] *= sign[r]


@jit
def place_joints(joints, x, R):
    """G and phi of all rows at x (n, 3), R; of a limit the distance to it."""
    placed_joints(joints, x, R)


@jit_in_place
def efforts_of(joints, R, force, torque):
    """See `add_efforts`."""
    role, body = joints.role, joints.rows.body
    for r in range(role.shape[0]):
        if role[r] == EFFORT:
            amount = joints.effort[r] - joints.stiffness[r] * (joints.phi[r] - joints.rest[r])
            push(body, joints.moves, R, joints.G, r, amount, force, torque)


@jit
def add_efforts(joints, R, force, torque):
    """Joint springs and motor efforts, added to the wrenches (n, 3) [N], [N m]."""
    efforts_of(joints, R, force, torque)


@jit_in_place
def rates_of_rotors(joints, v, omega):
    """See `take_rates`."""
    body, role, G = joints.rows.body, joints.role, joints.G
    for r in range(role.shape[0]):
        if role[r] == ARMATURE:
            joints.rotor_rate[r] = row_rate(body, G, r, v, omega)


@jit
def take_rates(joints, v, omega):
    """Rates of rotors at velocities v, omega (n, 3), those at the start of the step."""
    rates_of_rotors(joints, v, omega)


@jit_in_place
def targets_of(joints, h):
    """See `set_targets`."""
    role, c, softness = joints.role, joints.c, joints.softness
    for k in range(joints.which.shape[0]):
        r = joints.which[k]
        c[k], softness[k] = 0.0, 0.0
        joints.bound[k] = h * joints.friction[r]
        if role[r] == MOTOR or role[r] == LIMIT:
            c[k] = joints.phi[r] / h
        elif role[r] == DAMPER and joints.mode[k] != RELEASED:
            strength = joints.damping[r] + h * joints.spring[r]
            c[k] = (joints.spring[r] * joints.phi[r] - joints.pull[r]) / strength
            softness[k] = 1.0 / (h * strength)
        elif role[r] == ARMATURE:
            softness[k] = 1.0 / joints.armature[r]
            c[k] = -joints.rotor_rate[r]


@jit
def set_targets(joints, h):
    """c, s and the bounds of dry friction of J u + c + s lambda = 0 for a step h [s]."""
    targets_of(joints, h)


@jit_in_place
def violation_of(joints, unit, unheld):
    """See `largest_violation`."""
    largest = 0.0
    for k in range(joints.which.shape[0]):
        phi = joints.phi[joints.which[k]]
        if unheld[k] or (joints.role[joints.which[k]] == LIMIT and phi > 0.0):
            continue
        largest = max(largest, abs(phi * unit[k]))
    return largest


@jit
def largest_violation(joints, unit, unheld):
    """[m] the largest |phi unit| of rows that are solved for but `unheld` (k,), limits passed."""
    return violation_of(joints, unit, unheld)


def no_joint_arrays() -> Any:
    """A bundle of no rows, of the types every call has."""
    f, i = np.zeros(0), np.zeros(0, np.int64)
    return bundle_joints(
        no_rows(), i, f, f, f, f, f, f, f, f, f, f, np.zeros(0, np.bool_), np.zeros((0, 2, 6)), f,
        f, i, np.zeros(0, np.int8), f, f, f,
    )  # fmt: skip


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    f, x, R = np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3))
    flags, joints = np.zeros(0, np.bool_), no_joint_arrays()
    warm(place_joints, joints, x, R)
    warm(add_efforts, joints, R, x, x)
    warm(take_rates, joints, x, x)
    warm(set_targets, joints, 0.0)
    warm(largest_violation, joints, f, flags)


warm_later(_register)
