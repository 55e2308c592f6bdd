"""The impulses of joints where nothing touches, and joints closed again, in one call each.

Both are what `contact.impulse.solver` does there: Newton's method, which all but always reaches its
tolerance. If it does not, nothing is taken, and the caller goes the longer way.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.impulse.joint_kernels import (
    no_joint_arrays,
    placed_joints,
    rates_of_rotors,
    violation_of,
)
from dovetail.contact.impulse.newton.minimise import minimise, no_newton
from dovetail.contact.impulse.records import BOUNDED, RELEASED, ImpulseSystem
from dovetail.contact.impulse.rows import apply_impulses
from dovetail.contact.impulse.solver import NEAR_AIM
from dovetail.contact.impulse.step_rows import joint_rows_of, no_row_arrays
from dovetail.integrators.shared.impulse_poses import shift_poses
from dovetail.integrators.stewart_trinkle.joint_drift import (
    MAX_ITERATIONS,
    STALLED,
    accuracy,
)
from dovetail.integrators.stewart_trinkle.joint_drift import TOLERANCE as CLOSED
from dovetail.integrators.stewart_trinkle.piece_kernels import begin_solve_of, no_piece
from dovetail.multibody.constraints.bodies import DAMPER
from dovetail.runtime.jit import jit, jit_in_place, jit_within
from dovetail.runtime.records import BoolArray, FloatArray, Int8Array, bundler
from dovetail.runtime.warmup import warm, warm_later


class JointStep(NamedTuple):
    """What the steps of k joint rows need besides the rows; n bodies."""

    unit: FloatArray  # (k,) [m] a length for angles, 1 for distances
    unheld: BoolArray  # (k,) rows that prescribe no position
    force: FloatArray  # (k,) [N or N m] of the last piece
    mode: Int8Array  # (k,) workspace
    softness: FloatArray  # (k,) workspace
    shift: FloatArray  # (n, 6) workspace
    gap: FloatArray  # (0,) of no contacts
    active: Int8Array  # (0,) of no contacts


bundle_joint_step = bundler(JointStep)
compiled_accuracy = jit_within(accuracy)


class Effort(NamedTuple):
    """How far Newton's method goes."""

    aim: float  # residual that it aims at, in parts of the largest speed
    fixed_aim: float  # [m/s] in its place, if > 0
    penalty: float  # the first weight
    max_steps: int
    enough: float  # residual that is taken, in parts of the largest speed
    fixed_enough: float  # [m/s] in its place, if > 0
    length: float  # [m] of the scene


@jit_in_place
def solve_joints_of(piece, joints, rows, own, newton, effort, h):
    """See `solve_joints`."""
    rates_of_rotors(joints, piece.v, piece.omega)
    speed = begin_solve_of(piece, joints, rows, own.gap, h, own.force)
    k = rows.which.shape[0]
    apply_impulses(rows.rows.body, rows.rows.WJ, k, 1.0, rows.lam, piece.u)
    system = ImpulseSystem(
        rows.rows, k, rows.c, joints.mode, joints.bound, joints.softness, own.unit, own.gap,
        own.gap, own.active, 0,
    )  # fmt: skip
    aim = effort.fixed_aim or effort.aim * speed
    near = min(NEAR_AIM * aim, effort.fixed_enough or effort.enough * speed)
    steps, left, row = minimise(
        newton.bodies, piece.R, system, rows.lam, piece.u, newton.coupled, newton.workspace,
        newton.factor, effort.penalty, aim, near, effort.max_steps,
    )  # fmt: skip
    return steps, left, row, speed


@jit
def solve_joints(piece, joints, rows, own, newton, effort, h):
    """Velocities piece.u and impulses of joints after a piece of h [s] without contacts.

    Returns (steps, residual [m/s], its row, largest speed before [m/s]).
    """
    return solve_joints_of(piece, joints, rows, own, newton, effort, h)


@jit_in_place
def close_joints_of(piece, joints, rows, own, newton, effort, length):
    """See `close_joints`."""
    last, done, k = np.inf, 0, rows.which.shape[0]
    shift, mode, softness = own.shift, own.mode, own.softness
    system = ImpulseSystem(
        rows.rows, k, rows.c, mode, joints.bound, softness, own.unit, own.gap, own.gap, own.active,
        0,
    )  # fmt: skip
    for _ in range(MAX_ITERATIONS):
        placed_joints(joints, piece.x, piece.R)
        largest = violation_of(joints, own.unit, own.unheld)
        if largest <= CLOSED * length or largest > last:
            break
        last = STALLED * largest
        joint_rows_of(rows, piece.R)
        for r in range(k):
            damped = joints.role[joints.which[r]] == DAMPER
            mode[r], softness[r] = joints.mode[r], 0.0 if damped else joints.softness[r]
            if damped or joints.mode[r] == BOUNDED:
                mode[r] = RELEASED
            rows.lam[r] = 0.0
            rows.c[r] = 0.0 if own.unheld[r] else joints.phi[joints.which[r]]
        for i in range(shift.shape[0]):
            for m in range(6):
                shift[i, m] = 0.0
        tolerance = compiled_accuracy(largest, length)
        steps, left, _ = minimise(
            newton.bodies, piece.R, system, rows.lam, shift,
            newton.coupled, newton.workspace, newton.factor, effort.penalty, tolerance,
            0.0, effort.max_steps,
        )  # fmt: skip
        if left > tolerance:
            return done, False
        done += steps
        shift_poses(piece.bodies, shift, piece.x, piece.R, piece.omega, piece.L)
    return done, True


@jit
def close_joints(piece, joints, rows, own, newton, effort, length):
    """See `joint_drift.correct_joint_drift`; the scene has the size `length` [m].

    Returns (iterations, whether Newton's method reached its tolerance each time).
    """
    return close_joints_of(piece, joints, rows, own, newton, effort, length)


def no_joint_step() -> Any:
    """A bundle of no rows, of the types every call has."""
    f, flags, modes = np.zeros(0), np.zeros(0, np.bool_), np.zeros(0, np.int8)
    return bundle_joint_step(f, flags, f, modes, f, np.zeros((0, 6)), f, modes)


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    arrays: Any = no_piece(), no_joint_arrays(), no_row_arrays(), no_joint_step(), no_newton()
    effort: Any = Effort(0.0, 0.0, 1.0, 0, 0.0, 0.0, 1.0)
    warm(solve_joints, *arrays, effort, 0.0)
    warm(close_joints, *arrays, effort, 1.0)


warm_later(_register)
