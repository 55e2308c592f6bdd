"""What a piece of a step computes before and after its impulses, in compiled code."""

from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.narrow_phase.contact_points import contact_points
from dovetail.contact.impulse.joint_kernels import (
    efforts_of,
    no_joint_arrays,
    placed_joints,
    targets_of,
)
from dovetail.contact.impulse.records import RELEASED
from dovetail.contact.impulse.step_rows import contact_rows_of, joint_rows_of, no_row_arrays
from dovetail.integrators.shared.impulse_poses import apply_loads, drift
from dovetail.integrators.shared.search_again import LITTLE, WIDER
from dovetail.linalg.vec3 import load3, load33, matvec, norm
from dovetail.multibody.body_arrays import NO_BODIES, BodyArrays, per_mass
from dovetail.multibody.loads.wrenches import NO_LOADS, CompiledLoads, position_wrenches
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import BoolArray, FloatArray, bundler
from dovetail.runtime.warmup import warm, warm_later


class PieceArrays(NamedTuple):
    """The state of n bodies, and what acts on them."""

    bodies: BodyArrays
    loads: CompiledLoads
    x: FloatArray  # (n, 3) [m]
    R: FloatArray  # (n, 3, 3)
    v: FloatArray  # (n, 3) [m/s]
    omega: FloatArray  # (n, 3) [rad/s] body axes
    L: FloatArray  # (n, 3) [N m s] angular momenta, world axes
    u: FloatArray  # (n, 6) velocities, spins in world axes
    loaded: FloatArray  # (n, 6) velocities after the loads
    motion: FloatArray  # (n, 6) [m, rad] that they lead to in the piece
    force: FloatArray  # (n, 3) [N] on bodies that are awake
    torque: FloatArray  # (n, 3) [N m] on bodies that are awake
    all_loads: FloatArray  # (n, 6) forces and torques, those of sleeping bodies too
    radius: FloatArray  # (n,) [m] largest distance of a point from the centre of mass
    displacement: FloatArray  # (n,) [m] how far a point may move in the piece
    least: FloatArray  # (n,) [m] at least that, as a solution of the piece has shown
    asleep: BoolArray  # (n,)
    awake: BoolArray  # (n,) not asleep, or moved by others


bundle_piece = bundler(PieceArrays)


@jit_in_place
def _point_speed(piece, i):
    """[m/s] bound on the speed of any point of body i."""
    u = piece.u
    spin = norm((u[i, 3], u[i, 4], u[i, 5]))
    return norm((u[i, 0], u[i, 1], u[i, 2])) + piece.radius[i] * spin


@jit_in_place
def _load_speed(piece, i, h):
    """[m/s] what forces add to the speed of body i in h [s]."""
    return h * norm(per_mass(piece.bodies, i, load3(piece.force, i)))


@jit_in_place
def begin_of(piece, joints):
    """See `begin`."""
    u = piece.u
    for i in range(u.shape[0]):
        spin = matvec(load33(piece.R, i), load3(piece.omega, i))
        for k in range(3):
            u[i, k], u[i, 3 + k] = piece.v[i, k], spin[k]
    placed_joints(joints, piece.x, piece.R)
    position_wrenches(piece.loads, piece.x, piece.R, piece.force, piece.torque)


@jit
def begin(piece, joints):
    """Velocities u, rows of joints, and loads that depend on positions, at the current state."""
    begin_of(piece, joints)


@jit_in_place
def finish_loads_of(piece, joints):
    """See `finish_loads`."""
    force, torque = piece.force, piece.torque
    efforts_of(joints, piece.R, force, torque)
    for i in range(force.shape[0]):
        for k in range(3):
            piece.all_loads[i, k], piece.all_loads[i, 3 + k] = force[i, k], torque[i, k]
            if piece.asleep[i]:
                force[i, k], torque[i, k] = 0.0, 0.0


@jit
def finish_loads(piece, joints):
    """Efforts of joints added to the loads; those of sleeping bodies do not act."""
    finish_loads_of(piece, joints)


@jit_in_place
def reach_of(piece, h):
    """See `set_reach`."""
    u, some = piece.u, False
    for i in range(u.shape[0]):
        own = h * (_point_speed(piece, i) + _load_speed(piece, i, 2.0 * h))
        piece.displacement[i] = max(own, piece.least[i])
        some = some or piece.asleep[i]
        piece.awake[i] = piece.bodies.dynamic[i] and not piece.asleep[i]
        for k in range(6):
            piece.awake[i] = piece.awake[i] or u[i, k] != 0.0
            piece.loaded[i, k] = u[i, k]
    apply_loads(piece.bodies, piece.R, piece.L, piece.v, h, piece.force, piece.torque, piece.loaded)
    for i in range(u.shape[0]):
        for k in range(6):
            piece.motion[i, k] = h * piece.loaded[i, k]
    return some


@jit
def set_reach(piece, h):
    """Velocities after the loads of h [s], how far points may move; whether any body sleeps."""
    return reach_of(piece, h)


@jit
def moved_farther(piece, h):
    """Whether bodies move farther in h [s] with the velocities u than contacts were sought.

    They were struck or pulled in the piece. How far is written into `piece.least` for those.
    """
    some = False
    for i in range(piece.u.shape[0]):
        moved = h * _point_speed(piece, i)
        most = WIDER * piece.displacement[i] + LITTLE * piece.radius[i]
        if piece.bodies.dynamic[i] and moved > most:
            piece.least[i], some = WIDER * moved, True
    return some


@jit_in_place
def rows_of(piece, rows, points):
    """See `set_rows`."""
    joint_rows_of(rows, piece.R)
    contact_rows_of(rows, piece.x, piece.R, piece.loaded, points)


@jit
def set_rows(piece, rows, points):
    """Rows of joints and contacts, slip being that of the velocities after the loads."""
    rows_of(piece, rows, points)


@jit_in_place
def begin_solve_of(piece, joints, rows, gap, h, joint_force):
    """See `begin_solve`."""
    speed = 0.0
    for i in range(piece.u.shape[0]):
        speed = max(speed, _point_speed(piece, i) + _load_speed(piece, i, h))
    targets_of(joints, h)
    apply_loads(piece.bodies, piece.R, piece.L, piece.v, h, piece.force, piece.torque, piece.u)
    n = joints.which.shape[0]
    for k in range(n):
        rows.c[k] = joints.c[k]
        rows.lam[k] = 0.0 if joints.mode[k] == RELEASED else h * joint_force[k]
    for k in range(gap.shape[0]):
        rows.c[n + 3 * k] = max(gap[k], 0.0) / h
    return speed if speed != 0.0 else 1.0


@jit
def begin_solve(piece, joints, rows, gap, h, joint_force):
    """Velocities u after the loads of h [s], biases of all rows, first impulses of joints.

    gap (contacts,) [m]; `joint_force` (k,) [N or N m] is that of the last piece. Returns the
    largest speed [m/s] that is known of before, 1 if nothing moves.
    """
    return begin_solve_of(piece, joints, rows, gap, h, joint_force)


@jit
def move(piece, h, alone, shift):
    """See `impulse_poses.drift`."""
    return drift(
        h, piece.bodies, piece.u, alone, piece.loads.force, shift, piece.x, piece.R, piece.v,
        piece.omega, piece.L,
    )  # fmt: skip


def no_piece() -> Any:
    """A bundle of no bodies, of the types every call has."""
    f, x, R, u = np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 6))
    flags = np.zeros(0, np.bool_)
    return bundle_piece(NO_BODIES, NO_LOADS, x, R, x, x, x, u, u, u, x, x, u, f, f, f, flags, flags)


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    f, u, flags = np.zeros(0), np.zeros((0, 6)), np.zeros(0, np.bool_)
    piece, joints, rows = no_piece(), no_joint_arrays(), no_row_arrays()
    warm(begin, piece, joints)
    warm(finish_loads, piece, joints)
    warm(set_reach, piece, 0.0)
    warm(moved_farther, piece, 0.0)
    warm(set_rows, piece, rows, contact_points(0))
    warm(begin_solve, piece, joints, rows, f, 0.0, f)
    warm(move, piece, 0.0, flags, u)


warm_later(_register)
