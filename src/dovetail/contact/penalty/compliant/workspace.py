"""Workspace of a step with compliant contacts."""

from typing import NamedTuple

import numpy as np

from dovetail.runtime.records import FloatArray, Int8Array, Int32Array, Int64Array

# modes of joint rows: those of `impulse.records`, and dry friction
BILATERAL, UNILATERAL, RELEASED, DRY = 0, 1, 2, 3


class SolveWorkspace(NamedTuple):
    """Arrays for n bodies, c contacts and m pairs of bodies."""

    mass: FloatArray  # (n, 6, 6)
    radius: FloatArray  # (n,) [m] that turns spins into speeds
    u_free: FloatArray  # (n, 6) velocities without impulses
    u: FloatArray  # (n, 6) the iterate
    u_end: FloatArray  # (n, 6) velocities that the impulses of the iterate cause
    step: FloatArray  # (n, 6)
    negative_gradient: FloatArray  # (n, 6)
    impulse: FloatArray  # (n, 6) on each body
    diagonal: FloatArray  # (n, 6, 6) blocks of the matrix
    block: FloatArray  # (m, 6, 6)
    scale: FloatArray  # (c,) [1/kg]
    bound: FloatArray  # (c,) [N s] of friction
    velocity: FloatArray  # (c, 3) [m/s] of the point body relative to the field body
    change: FloatArray  # (c, 3) of it by the step
    lam: FloatArray  # (c, 3) [N s] on the point body
    derivative: FloatArray  # (c, 3) [kg] along normal, slip, across both
    direction: FloatArray  # (c, 3) of slip
    J: FloatArray  # (3, 6)
    K: FloatArray  # (3, 6)
    CB: FloatArray  # (3, 6)
    rows: FloatArray  # (k, 6) of a joint row, one for each of its k bodies
    creep: FloatArray  # (1,) [m/s] of contacts that stick, at most


class JointSystem(NamedTuple):
    """r rows: J u + c + s lambda = 0 of joints, motors and dampers, lambda >= 0 of limits.

    Dry friction has |lambda| <= bound, against J u.
    """

    body: Int32Array  # (r, k) -1: the ground, or no body
    J: FloatArray  # (r, 6 k) world axes
    c: FloatArray  # (r,)
    mode: Int8Array  # (r,) BILATERAL, UNILATERAL, RELEASED or DRY
    softness: FloatArray  # (r,)
    unit: FloatArray  # (r,) [m] a length for angles, 1 for distances
    bound: FloatArray  # (r,) [N s or N m s] of dry friction
    weight: FloatArray  # (r,) w of lambda = l - w (J u + c); of dry friction J M^-1 J^T
    multiplier: FloatArray  # (r,)
    lam: FloatArray  # (r,)
    rate: FloatArray  # (r,)
    change: FloatArray  # (r,)
    derivative: FloatArray  # (r,)


class Coupling(NamedTuple):
    """Which pairs of moving bodies contacts and joints couple: the blocks of the matrix."""

    count: Int64Array  # type: ignore[assignment]  # (1,) pairs
    pair: Int32Array  # (m, 2) smaller number first
    of_contact: Int32Array  # (c,) block of each contact, -1 where one body moves only
    of_row: Int32Array  # (r, k (k - 1) / 2) of each joint row, see `RowPairs`


def solve_workspace(n: int, c: int, m: int, width: int = 2) -> SolveWorkspace:
    """Arrays for n bodies, c contacts, m pairs and joint rows of `width` bodies."""
    return SolveWorkspace(
        mass=np.zeros((n, 6, 6)), radius=np.zeros(n), u_free=np.zeros((n, 6)),
        u=np.zeros((n, 6)), u_end=np.zeros((n, 6)), step=np.zeros((n, 6)),
        negative_gradient=np.zeros((n, 6)), impulse=np.zeros((n, 6)),
        diagonal=np.zeros((n, 6, 6)), block=np.zeros((m, 6, 6)), scale=np.zeros(c),
        bound=np.zeros(c), velocity=np.zeros((c, 3)), change=np.zeros((c, 3)),
        lam=np.zeros((c, 3)), derivative=np.zeros((c, 3)), direction=np.zeros((c, 3)),
        J=np.zeros((3, 6)), K=np.zeros((3, 6)), CB=np.zeros((3, 6)),
        rows=np.zeros((width, 6)), creep=np.full(1, np.inf),
    )  # fmt: skip


def joint_system(body: Int32Array, mode: Int8Array, unit: FloatArray) -> JointSystem:
    """Rows between the bodies (r, k); `mode` is copied, for it changes within a step."""
    r = len(body)
    return JointSystem(
        np.ascontiguousarray(body, np.int32), np.zeros((r, 6 * body.shape[1])), np.zeros(r),
        np.array(mode, np.int8), np.zeros(r), np.ascontiguousarray(unit, np.float64),
        *(np.zeros(r) for _ in range(7)),
    )  # fmt: skip


def no_joints() -> JointSystem:
    return joint_system(np.zeros((0, 2), np.int32), np.zeros(0, np.int8), np.zeros(0))


def coupling(c: int, r: int, m: int, row_pairs: int = 1) -> Coupling:
    """Capacity for c contacts, r rows with up to `row_pairs` pairs of bodies, and m pairs."""
    return Coupling(
        np.zeros(1, np.int64), np.zeros((m, 2), np.int32), np.full(c, -1, np.int32),
        np.full((r, row_pairs), -1, np.int32),
    )  # fmt: skip
