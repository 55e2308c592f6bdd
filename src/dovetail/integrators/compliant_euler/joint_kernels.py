"""What the rows of joints ask of a step with compliant contacts, and joints closed after it.

Each is one call. Closing is Newton's method on the poses: displacements that leave velocities as
they are, solved for like velocities in a step of 1 s without contacts.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.contact.impulse.joint_kernels import (
    no_joint_arrays,
    placed_joints,
    rates_of_rotors,
    targets_of,
)
from dovetail.contact.impulse.records import RELEASED
from dovetail.contact.penalty.compliant.solve import solve_velocities
from dovetail.contact.penalty.compliant.step_kernels import couple, world_rows
from dovetail.contact.penalty.compliant.workspace import DRY
from dovetail.integrators.compliant_euler.kernels import NEEDS_ORDER, NO_LAWS, no_parts
from dovetail.integrators.shared.impulse_poses import DONE, shift_poses
from dovetail.multibody.constraints.bodies import ARMATURE, DAMPER, FRICTION, LIMIT
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import BoolArray, FloatArray, bundler
from dovetail.runtime.warmup import warm, warm_later

DRIFT = 1e-10  # of the scene's length: violations that are left
SOLVED = 1e-3  # of a violation: accuracy of its correction
MAX_CORRECTIONS = 6
LIMIT_SHARE = 0.2  # of the violation of a limit, corrected in each step


class JointWorkspace(NamedTuple):
    """What k joint rows need besides those of `JointArrays`."""

    unit: FloatArray  # (k,) [m] a length for angles, 1 for distances
    unheld: BoolArray  # (k,) rows that prescribe no position
    violation: FloatArray  # (k,) scratch
    multiplier: FloatArray  # (k,) scratch


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
def _violations(joints, workspace, share):
    """Set those of rows, of limits passed a share of it; returns the largest [m]."""
    largest = 0.0
    for k in range(joints.which.shape[0]):
        r = joints.which[k]
        off = 0.0 if workspace.unheld[k] else joints.phi[r]
        if joints.role[r] == LIMIT:
            off = share * min(off, 0.0)
        workspace.violation[k] = off
        largest = max(largest, abs(off * workspace.unit[k]))
    return largest


@jit
def close_joints(parts, joints, workspace, laws, joint_pairs, length, ordered):
    """Close the joints of a scene of the size `length` [m] at the poses of `parts`.

    `laws` are those of no contacts. Returns (code, iterations): DONE, or NEEDS_ORDER before
    anything has changed.
    """
    motion, system, work, bodies = parts.motion, parts.joints, parts.work, parts.bodies
    done = 0
    for k in range(system.multiplier.shape[0]):
        workspace.multiplier[k] = system.multiplier[k]
    for attempt in range(MAX_CORRECTIONS):
        placed_joints(joints, motion.x, motion.R)
        largest = _violations(joints, workspace, LIMIT_SHARE if attempt == 0 else 0.0)
        if largest <= DRIFT * length:
            break
        _, changed = couple(bodies, parts.rows, 0, joint_pairs, parts.coupled)
        if changed or not ordered:
            return NEEDS_ORDER, done
        world_rows(motion.R, joints.rows.body, joints.G, joints.which, system.body, system.J)
        for k in range(joints.which.shape[0]):
            role = joints.role[joints.which[k]]
            released = role == DAMPER or role == ARMATURE
            system.mode[k] = RELEASED if released else joints.mode[k]
            system.c[k], system.softness[k] = workspace.violation[k], 0.0
            system.multiplier[k] = 0.0
        for i in range(motion.u.shape[0]):
            for m in range(6):
                motion.u[i, m] = work.u[i, m] = 0.0
        iterations, _ = solve_velocities(
            1.0, bodies, motion.x, motion.R, parts.rows, 0, laws, parts.mu, system, parts.coupled,
            work, parts.factor, motion.u, SOLVED * largest,
        )  # fmt: skip
        done += iterations
        shift_poses(bodies, motion.u, motion.x, motion.R, motion.omega, motion.L)
    for k in range(system.multiplier.shape[0]):
        system.multiplier[k] = workspace.multiplier[k]
    return DONE, done


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    f, flags = np.zeros(0), np.zeros(0, np.bool_)
    parts, joints = no_parts(), no_joint_arrays()
    workspace: Any = bundle_workspace(f, flags, f, f)
    warm(ask_joints, parts, joints, 1.0)
    warm(close_joints, parts, joints, workspace, NO_LAWS, 0, 1.0, False)


warm_later(_register)
