"""A piece of a step of bodies with joints that touch something: its impulses, and its end.

Two calls do what `piece_stepper` does, in the same order, where all rows are of one island and
nothing bounces. Where a part of it does not reach its tolerance, the caller goes the longer way.
"""

from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.narrow_phase.contact_points import contact_points
from dovetail.contact.impulse.contact_matching import (
    in_order,
    match_impulses,
    no_solved_contacts,
    solved_contacts,
)
from dovetail.contact.impulse.joint_kernels import no_joint_arrays, rates_of_rotors
from dovetail.contact.impulse.newton.minimise import minimise, no_newton
from dovetail.contact.impulse.records import ImpulseSystem, bundle_contacts
from dovetail.contact.impulse.rows import apply_impulses
from dovetail.contact.impulse.solver import NEAR_AIM
from dovetail.contact.impulse.step_rows import no_row_arrays
from dovetail.integrators.shared.impulse_poses import DONE, drift
from dovetail.integrators.shared.joint_kernels import observe_end_of, sum_rows
from dovetail.integrators.shared.warmup import no_observed
from dovetail.integrators.stewart_trinkle.contact_kernels import (
    end_gaps_of,
    friction_at_slip_of,
    mark_free_bodies_of,
)
from dovetail.integrators.stewart_trinkle.jointed_kernels import (
    Effort,
    close_joints_of,
    no_joint_step,
)
from dovetail.integrators.stewart_trinkle.piece_kernels import begin_solve_of, no_piece
from dovetail.integrators.stewart_trinkle.quiet_kernels import (
    OPEN,
    POSE_FAILED,
    STEPPED,
    QuietArrays,
    bundle_quiet,
    forces_along,
)
from dovetail.integrators.stewart_trinkle.rest_kernels import count_rest
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import BoolArray, FloatArray, Int8Array, Int64Array, bundler
from dovetail.runtime.warmup import warm, warm_later

READY = 4  # as the results of `quiet_kernels.quiet_step`: stepped, and bodies may fall asleep


class TouchedWorkspace(NamedTuple):
    """Workspace for up to m contacts, and how the Newton's method of `solver` starts."""

    mu: FloatArray  # (m,)
    active: Int8Array  # (m,) ones
    order: Int64Array  # (m,) 0, 1, ...
    taken: BoolArray  # (m,)
    cold: FloatArray  # (1,) the first weight where no impulse is known
    facets: Int64Array  # (1,) corners of the friction pyramid's base, 0 for the round cone


bundle_touched = bundler(TouchedWorkspace)


@jit_in_place
def _solve_touched(
    piece, joints, rows, own, newton, effort, space, contacts, old, near, alone, h,
):  # fmt: skip
    """See `solve_touched`."""
    n_joint, count = rows.which.shape[0], contacts.gap.shape[0]
    rates_of_rotors(joints, piece.v, piece.omega)
    mu = space.mu[:count]
    friction_at_slip_of(rows, contacts, piece.u, mu)
    speed = begin_solve_of(piece, joints, rows, contacts.gap, h, own.force)
    known = old.gap.shape[0]
    if not in_order(old.body, piece.u.shape[0]):
        return 0, np.inf, -1, speed, False
    if known:
        for k in range(known):
            space.taken[k] = False
        match_impulses(
            old, space.order[:known], space.taken[:known], contacts, contacts.body_size, near,
            piece.x, piece.R, n_joint, rows.rows.J, h / old.h[0], rows.lam,
        )  # fmt: skip
    unknown = True
    for r in range(n_joint, n_joint + 3 * count):
        unknown = unknown and rows.lam[r] == 0.0
    apply_impulses(rows.rows.body, rows.rows.WJ, n_joint + 3 * count, 1.0, rows.lam, piece.u)
    system = ImpulseSystem(
        rows.rows, n_joint, rows.c, joints.mode, joints.bound, joints.softness, own.unit, mu,
        rows.rho[:count], space.active[:count], space.facets[0],
    )  # fmt: skip
    aim = effort.fixed_aim or effort.aim * speed
    near = min(NEAR_AIM * aim, effort.fixed_enough or effort.enough * speed)
    steps, left, row = minimise(
        newton.bodies, piece.R, system, rows.lam, piece.u, newton.coupled, newton.workspace,
        newton.factor, space.cold[0] if unknown else effort.penalty,
        aim, near, effort.max_steps,
    )  # fmt: skip
    overlap = mark_free_bodies_of(piece, rows, contacts, contacts.body_size, h, alone)
    return steps, left, row, speed, overlap


@jit
def solve_touched(
    piece, joints, rows, own, newton, effort, space, contacts, old, near, alone, h,
):  # fmt: skip
    """Velocities piece.u and impulses of all rows after a piece of h [s].

    `old` (SolvedContacts) has the impulses of the last piece, matched nearer than `near` of a body.
    `alone` (n,) loses the bodies that impulses act on. Returns (steps, residual [m/s], its row,
    largest speed before [m/s], whether bodies overlap too far); the residual is inf where the old
    contacts are not in order.
    """
    return _solve_touched(
        piece, joints, rows, own, newton, effort, space, contacts, old, near,
        alone, h,
    )  # fmt: skip


@jit_in_place
def _end_touched(
    piece, joints, rows, own, newton, effort, quiet, seen, contacts, alone, place, impulse,
    h,
):  # fmt: skip
    """See `end_touched`."""
    for k in range(own.force.shape[0]):
        own.force[k] = rows.lam[k] / h
    forces_along(joints, own.force, quiet.amount)
    sum_rows(
        h, quiet.amount, joints.G, piece.R, seen.rows, seen.joints, seen.bodies, seen.sides,
        seen.points, seen.impulse[0], seen.impulse[1],
    )  # fmt: skip
    for i in range(own.shift.shape[0]):
        for k in range(6):
            own.shift[i, k] = 0.0
    end_gaps_of(piece, rows, contacts.gap, h, alone, own.shift)
    solved_contacts(
        contacts, contacts.body_size, piece.x, piece.R, rows.which.shape[0], rows.rows.J, rows.lam,
        place, impulse,
    )  # fmt: skip
    code, body = drift(
        h, piece.bodies, piece.u, alone, piece.loads.force, own.shift, piece.x, piece.R, piece.v,
        piece.omega, piece.L,
    )  # fmt: skip
    if code != DONE:
        return POSE_FAILED, 0, code, body
    fits, closed = close_joints_of(piece, joints, rows, own, newton, effort, effort.length)
    if not closed:
        return OPEN, fits, code, -1
    ready = count_rest(
        piece.u, piece.all_loads, piece.bodies.inverse_mass, piece.radius, quiet.may_sleep,
        piece.asleep, h, quiet.still, quiet.steps, quiet.ready,
    )  # fmt: skip
    observe_end_of(seen, piece.x, piece.R, piece.v, piece.omega, joints.angle)
    return READY if ready else STEPPED, fits, code, -1


@jit
def end_touched(
    piece, joints, rows, own, newton, effort, quiet, seen, contacts, alone, place, impulse,
    h,
):  # fmt: skip
    """The solved piece of h [s] to its end: reactions, gaps, poses, joints closed again.

    `place` and `impulse` (contacts, 3) are those of `SolvedContacts`. Returns (STEPPED, READY, OPEN
    or POSE_FAILED; iterations that closed the joints, the outcome of `drift`, its body).
    """
    return _end_touched(
        piece, joints, rows, own, newton, effort, quiet, seen, contacts, alone, place, impulse,
        h,
    )  # fmt: skip


def _register() -> None:
    """Bundles are made by kernels themselves, so nothing of this runs at import."""
    f, flags, i64 = np.zeros(0), np.zeros(0, np.bool_), np.zeros(0, np.int64)
    rows, sizes = np.zeros((0, 3)), np.zeros((0, 2))
    effort: Any = Effort(0.0, 0.0, 1.0, 0, 0.0, 0.0, 1.0)
    problem = no_piece(), no_joint_arrays(), no_row_arrays(), no_joint_step(), no_newton(), effort
    space = bundle_touched(f, np.zeros(0, np.int8), i64, flags, f, i64)
    contacts = bundle_contacts(*contact_points(0), f, f, f, f, f, sizes)
    warm(
        solve_touched, *problem, space, contacts, no_solved_contacts(), 0.0,
        flags, 0.0,
    )  # fmt: skip
    quiet = bundle_quiet(*QuietArrays(flags, flags, f, flags, f, i64, flags))
    warm(end_touched, *problem, quiet, no_observed(), contacts, flags, rows, rows, 0.0)


warm_later(_register)
