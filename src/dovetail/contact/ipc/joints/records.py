"""What the joints of a solve read and write, as arrays: r rows among n bodies."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.linalg.block_cholesky.row_pairs import row_pairs
from dovetail.multibody.constraints.rows import bundle_rows, no_rows
from dovetail.runtime.records import (
    BoolArray,
    ByteArray,
    FloatArray,
    Int32Array,
    Int64Array,
    bundler,
)

UNUSED = -1  # role of a row that the step takes into account otherwise


class JointRows(NamedTuple):
    """Constant during a step."""

    equations: Any  # bundle of `constraints.rows.Rows`
    role: Int64Array  # (r,) JOINT, MOTOR, LIMIT, ... of `constraints.bodies`, or UNUSED
    side: FloatArray  # (r,) +1 or -1: the side of a LIMIT
    damping: FloatArray  # (r,) [N s/m or N m s/rad]
    stiffness: FloatArray  # (r,) [N/m or N m/rad]
    rest: FloatArray  # (r,) [m or rad]
    effort: FloatArray  # (r,) [N or N m]
    armature: FloatArray  # (r,) [kg or kg m^2]
    friction: FloatArray  # (r,) [N or N m]
    unit: FloatArray  # (r,) [m/m or m/rad] what makes phi a length
    pairs: Int32Array  # (p, 2) slots of two bodies that a joint connects, each pair once
    pair_of: Int64Array  # (r, s) pairs of two sides of a row, -1 without; see `RowPairs`
    swapped: BoolArray  # (r, s) where the second side is the first of its pair
    jointed: ByteArray  # (n,) 1 for bodies with rows
    length: FloatArray  # (1,) [m] size of the scene


class RowValues(NamedTuple):
    """Rows at a pose."""

    phi: FloatArray  # (r,) [m or rad]
    angle: FloatArray  # (r,) [rad]
    G: FloatArray  # (r, k, 6) Jacobian in world twists, zero for what cannot move


class StepStart(NamedTuple):
    """Rows at the start of the step."""

    phi: FloatArray  # (r,)
    angle: FloatArray  # (r,) [rad]
    rate: FloatArray  # (r,) [m/s or rad/s] of an ARMATURE
    moved: FloatArray  # (r,) [m or rad] change of phi in the step before
    rate_before: FloatArray  # (r,) [m/s or rad/s] `rate` there
    reference: FloatArray  # (r,) [m or rad] what dampers are measured from, see `newton.two_step`
    speed: FloatArray  # (r,) [m/s or rad/s] and rotors
    time: FloatArray  # (r,) [s] for which
    gain: FloatArray  # (r,) how much of the impulse of the step before acts again, likewise
    h: FloatArray  # (1,) [s]
    previous_h: FloatArray  # (1,) [s] of the step before, 0 for none


class Multipliers(NamedTuple):
    """Augmented Lagrangian: h^2 times the forces along the rows, and how they converge."""

    value: FloatArray  # (r,) l
    previous: FloatArray  # (r,) of the step before
    penalty: FloatArray  # (r,) W of equations, K of motors and limits
    residual: FloatArray  # (1,) [m] of motors and limits at the last update
    updates: Int64Array  # (1,) in this solve
    stalled: Int64Array  # (1,) updates one after the other without progress
    blocked: Int64Array  # (1,) 1 where updates were given up


class JointArrays(NamedTuple):
    """Joints of one run."""

    rows: JointRows
    iterate: RowValues
    trial: RowValues  # of the pose tried last
    start: StepStart
    multipliers: Multipliers
    known: ByteArray  # (1,) of which pose the rows of the iterate are, see `rows`
    block: FloatArray  # (6 k, 6 k) workspace: Hessian of a coupling, or of the rows of one pair
    displacement: FloatArray  # (n, 6) workspace: twists from the iterate to the trial pose


bundle_joints = bundler(JointArrays)


def joint_arrays(rows: JointRows, width: int = 2) -> JointArrays:
    """Arrays for these rows of up to `width` bodies, at rest and without multipliers."""
    r, n = len(rows.role), len(rows.jointed)
    return JointArrays(
        rows,
        _row_values(r, width),
        _row_values(r, width),
        StepStart(
            np.zeros(r), np.zeros(r), np.zeros(r), np.zeros(r), np.zeros(r), np.zeros(r),
            np.zeros(r), np.ones(r), np.zeros(r), np.zeros(1), np.zeros(1),
        ),
        Multipliers(
            np.zeros(r), np.zeros(r), np.zeros(r), np.zeros(1), np.zeros(1, np.int64),
            np.zeros(1, np.int64), np.zeros(1, np.int64),
        ),
        np.zeros(1, np.uint8),
        np.zeros((6 * width, 6 * width)),
        np.zeros((n, 6)),
    )  # fmt: skip


def _row_values(r: int, width: int) -> RowValues:
    return RowValues(np.zeros(r), np.zeros(r), np.zeros((r, width, 6)))


def no_joints(n: int) -> JointArrays:
    """No joints among n bodies, of the types every call has."""
    none, pairs = np.zeros(0), row_pairs(np.zeros((0, 2), np.int64), np.zeros(n, np.bool_))
    return joint_arrays(
        JointRows(
            bundle_rows(*no_rows()), np.zeros(0, np.int64), none, none, none, none, none, none,
            none, none, *pairs,
            np.zeros(n, np.uint8), np.zeros(1),
        )
    )  # fmt: skip
