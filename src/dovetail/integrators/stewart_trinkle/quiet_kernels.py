"""A step of bodies with joints that nothing touches, from its rows to its end, in one call.

It is what the pieces of `piece_stepper` do then, in the same order. Where a part of it does not
reach its tolerance, it ends there and the caller goes on in the longer way.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.impulse.joint_kernels import no_joint_arrays
from dovetail.contact.impulse.newton.minimise import no_newton
from dovetail.contact.impulse.step_rows import no_row_arrays
from dovetail.integrators.shared.impulse_poses import DONE, drift
from dovetail.integrators.shared.joint_kernels import observe_end_of, sum_rows
from dovetail.integrators.shared.warmup import no_observed
from dovetail.integrators.stewart_trinkle.jointed_kernels import (
    Effort,
    close_joints_of,
    no_joint_step,
    solve_joints_of,
)
from dovetail.integrators.stewart_trinkle.piece_kernels import no_piece
from dovetail.integrators.stewart_trinkle.rest_kernels import count_rest
from dovetail.multibody.constraints.bodies import EFFORT
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import BoolArray, FloatArray, Int64Array, bundler
from dovetail.runtime.warmup import warm, warm_later

STEPPED, UNSOLVED, POSE_FAILED, OPEN = 0, 1, 2, 3  # how far a step came


class QuietArrays(NamedTuple):
    """What such a step of n bodies and r joint rows needs besides the problem."""

    single: BoolArray  # (n,) bodies that move and have no joints
    alone: BoolArray  # (n,) workspace: those of them that are awake
    amount: FloatArray  # (r,) [N or N m] workspace: forces along all rows
    may_sleep: BoolArray  # (n,)
    still: FloatArray  # (n,) [s] at rest
    steps: Int64Array  # (n,) at rest
    ready: BoolArray  # (n,) to sleep


bundle_quiet = bundler(QuietArrays)


@jit_in_place
def forces_along(joints, solved, amount):
    """Forces `amount` (r,) along all rows, `solved` (k,) those of rows that are solved for."""
    for r in range(amount.shape[0]):
        amount[r] = 0.0
    for k in range(joints.which.shape[0]):
        amount[joints.which[k]] = solved[k]
    for r in range(amount.shape[0]):
        if joints.role[r] == EFFORT:
            stretch = joints.phi[r] - joints.rest[r]
            amount[r] = joints.effort[r] - joints.stiffness[r] * stretch


@jit_in_place
def _quiet_step(piece, joints, rows, own, newton, effort, quiet, seen, h):
    """See `quiet_step`."""
    steps, left, row, speed = solve_joints_of(piece, joints, rows, own, newton, effort, h)
    if not left <= (effort.fixed_enough or effort.enough * speed):
        return UNSOLVED, steps, left, row, speed, 0, DONE, -1
    for k in range(own.force.shape[0]):
        own.force[k] = rows.lam[k] / h
    forces_along(joints, own.force, quiet.amount)
    sum_rows(
        h, quiet.amount, joints.G, piece.R, seen.rows, seen.joints, seen.bodies, seen.sides,
        seen.points, seen.impulse[0], seen.impulse[1],
    )  # fmt: skip
    for i in range(quiet.alone.shape[0]):
        quiet.alone[i] = quiet.single[i] and not piece.asleep[i]
        for k in range(6):
            own.shift[i, k] = 0.0
    code, body = drift(
        h, piece.bodies, piece.u, quiet.alone, piece.loads.force, own.shift, piece.x, piece.R,
        piece.v, piece.omega, piece.L,
    )  # fmt: skip
    if code != DONE:
        return POSE_FAILED, steps, left, row, speed, 0, code, body
    fits, closed = close_joints_of(piece, joints, rows, own, newton, effort, effort.length)
    if not closed:
        return OPEN, steps, left, row, speed, fits, code, -1
    count_rest(
        piece.u, piece.all_loads, piece.bodies.inverse_mass, piece.radius, quiet.may_sleep,
        piece.asleep, h, quiet.still, quiet.steps, quiet.ready,
    )  # fmt: skip
    observe_end_of(seen, piece.x, piece.R, piece.v, piece.omega, joints.angle)
    return STEPPED, steps, left, row, speed, fits, code, -1


@jit
def quiet_step(piece, joints, rows, own, newton, effort, quiet, seen, h):
    """Impulses of joints, poses, joints closed again, and what is observed after h [s].

    Returns (how far it came, steps of Newton's method, residual [m/s], its row, largest speed
    [m/s], iterations that closed the joints, the outcome of `drift`, its body).
    """
    return _quiet_step(piece, joints, rows, own, newton, effort, quiet, seen, h)


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    f, flags = np.zeros(0), np.zeros(0, np.bool_)
    effort: Any = Effort(0.0, 0.0, 1.0, 0, 0.0, 0.0, 1.0)
    warm(
        quiet_step, no_piece(), no_joint_arrays(), no_row_arrays(), no_joint_step(), no_newton(),
        effort, bundle_quiet(flags, flags, f, flags, f, np.zeros(0, np.int64), flags),
        no_observed(), 0.0,
    )  # fmt: skip


warm_later(_register)
