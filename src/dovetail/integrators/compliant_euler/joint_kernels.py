"""What the rows of joints ask of a step with compliant contacts, and joints closed after it.

Each is one call. Closing is Newton's method on the poses: displacements that leave velocities as
they are, by the method of `contact.impulse.newton` for impulses.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.impulse.joint_kernels import (
    no_joint_arrays,
    placed_joints,
    rates_of_rotors,
    targets_of,
)
from dovetail.contact.impulse.newton.minimise import minimise, no_newton
from dovetail.contact.impulse.records import RELEASED, ImpulseSystem
from dovetail.contact.impulse.step_rows import joint_rows_of, no_row_arrays
from dovetail.contact.penalty.compliant.step_kernels import world_rows
from dovetail.contact.penalty.compliant.workspace import DRY
from dovetail.integrators.compliant_euler.kernels import no_parts
from dovetail.integrators.shared.impulse_poses import shift_poses
from dovetail.multibody.constraints.bodies import FRICTION, LIMIT
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import BoolArray, FloatArray, Int8Array, bundler
from dovetail.runtime.warmup import warm, warm_later

DRIFT = 1e-10  # of the scene's length: violations that are left
SOLVED = 1e-3  # of a violation: accuracy of its correction
LEFT_OPEN = 0.03  # of what DRIFT leaves: a correction need not be nearer
FIRST_WEIGHT, MAX_STEPS = 1e2, 30  # of Newton's method in one correction
MAX_CORRECTIONS = 6
LIMIT_SHARE = 0.2  # of the violation of a limit, corrected in each step


class JointWorkspace(NamedTuple):
    """What closing k joint rows of n bodies needs besides the rows."""

    unit: FloatArray  # (k,) [m] a length for angles, 1 for distances
    unheld: BoolArray  # (k,) rows that prescribe no position
    mode: Int8Array  # (k,) scratch
    rigid: FloatArray  # (k,) zeros: no row gives way
    shift: FloatArray  # (n, 6) [m, rad] scratch
    gap: FloatArray  # (0,) of no contacts
    active: Int8Array  # (0,) of no contacts


bundle_workspace = bundler(JointWorkspace)


@jit
def ask_joints(parts, joints, h):
    """What the rows of joints at their last pose ask of the velocities of a step of h [s]."""
    system, motion = parts.joints, parts.motion
    rates_of_rotors(joints, motion.v, motion.omega)
    targets_of(joints, h)
    world_rows(motion.R, joints.rows.body, joints.G, joints.which, system.body, system.J)
    for k in range(joints.which.shape[0]):
        role = joints.role[joints.which[k]]
        c = joints.c[k]
        system.c[k] = max(c, 0.0) if role == LIMIT else c  # passed: no further
        system.softness[k] = joints.softness[k]
        system.mode[k] = DRY if role == FRICTION else joints.mode[k]
        system.bound[k] = h * joints.friction[joints.which[k]]


@jit_in_place
def _ask_poses(joints, workspace, share, c):
    """What displacements must close, of limits passed a share of it; the largest violation [m]."""
    largest = 0.0
    for k in range(joints.which.shape[0]):
        r = joints.which[k]
        c[k] = 0.0 if workspace.unheld[k] else joints.phi[r]
        workspace.mode[k] = RELEASED if workspace.unheld[k] else joints.mode[k]
        if joints.role[r] == LIMIT:
            if c[k] > 0.0:
                continue
            c[k] *= share
        largest = max(largest, abs(c[k] * workspace.unit[k]))
    return largest


@jit
def close_joints(parts, joints, rows, workspace, newton, length):
    """Close the joints of a scene of the size `length` [m] at the poses of `parts`.

    Returns the iterations. Limits that contradict each other stay as near as they come.
    """
    motion, w, k = parts.motion, workspace, rows.which.shape[0]
    system = ImpulseSystem(
        rows.rows, k, rows.c, w.mode, joints.bound, w.rigid, w.unit, w.gap, w.gap, w.active, 0
    )
    done = 0
    for attempt in range(MAX_CORRECTIONS):
        placed_joints(joints, motion.x, motion.R)
        largest = _ask_poses(joints, w, LIMIT_SHARE if attempt == 0 else 0.0, rows.c)
        if largest <= DRIFT * length:
            break
        joint_rows_of(rows, motion.R)
        for r in range(k):
            rows.lam[r] = 0.0
        for i in range(w.shift.shape[0]):
            for m in range(6):
                w.shift[i, m] = 0.0
        steps, _, _ = minimise(
            newton.bodies, motion.R, system, rows.lam, w.shift, newton.coupled, newton.workspace,
            newton.factor, FIRST_WEIGHT, max(SOLVED * largest, LEFT_OPEN * DRIFT * length), 0.0,
            MAX_STEPS,
        )  # fmt: skip
        done += steps
        shift_poses(parts.bodies, w.shift, motion.x, motion.R, motion.omega, motion.L)
    return done


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    f, flags, modes = np.zeros(0), np.zeros(0, np.bool_), np.zeros(0, np.int8)
    parts, joints, rows = no_parts(), no_joint_arrays(), no_row_arrays()
    workspace: Any = bundle_workspace(f, flags, modes, f, np.zeros((0, 6)), f, modes)
    warm(ask_joints, parts, joints, 1.0)
    warm(close_joints, parts, joints, rows, workspace, no_newton(), 1.0)


warm_later(_register)
