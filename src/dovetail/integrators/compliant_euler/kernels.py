"""The step with compliant contacts in two compiled calls: before contacts are found, and after."""

import math
from typing import Any, NamedTuple

import numpy as np

from dovetail.collision.field_contacts.rows import ContactRows, empty_contacts
from dovetail.contact.penalty.compliant.contact_impulse import CREEP
from dovetail.contact.penalty.compliant.records import N_COMPLIANT
from dovetail.contact.penalty.compliant.solve import solve_velocities
from dovetail.contact.penalty.compliant.step_kernels import (
    couple,
    end_gaps,
    friction_at_slip,
    point_speeds,
    store_energy,
)
from dovetail.contact.penalty.compliant.workspace import (
    Coupling,
    JointSystem,
    SolveWorkspace,
    coupling,
    no_joints,
    solve_workspace,
)
from dovetail.integrators.shared.impulse_poses import apply_loads, drift
from dovetail.integrators.shared.search_again import LITTLE, WIDER
from dovetail.linalg.block_cholesky.factor import factor_workspace
from dovetail.linalg.block_cholesky.workspace import BlockFactor
from dovetail.linalg.vec3 import load3, load33, matvec
from dovetail.multibody.body_arrays import NO_BODIES, BodyArrays
from dovetail.multibody.loads.wrenches import NO_LOADS, CompiledLoads, position_wrenches
from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import BoolArray, FloatArray, bundler
from dovetail.runtime.warmup import warm, warm_later

NEEDS_ORDER, NEEDS_PAIRS, MOVES_FARTHER = -1, -2, -3  # besides the codes of `drift`


class BodyMotion(NamedTuple):
    """The state of n bodies, and what acts on them in a step."""

    x: FloatArray  # (n, 3) [m]
    R: FloatArray  # (n, 3, 3)
    v: FloatArray  # (n, 3) [m/s]
    omega: FloatArray  # (n, 3) [rad/s] body axes
    L: FloatArray  # (n, 3) [N m s] world axes
    u: FloatArray  # (n, 6) velocities, world axes
    force: FloatArray  # (n, 3) [N]
    torque: FloatArray  # (n, 3) [N m]
    speeds: FloatArray  # (n, 3) [m/s] of any point at most, added by loads in the step; spin
    reach: FloatArray  # (n, 2) [m, rad] how far contacts were sought for points that move so far
    expected: FloatArray  # (n, 6) [m, rad] displacement if nothing touches; nan where something did
    shift: FloatArray  # (n, 6) [m, rad] displacement besides h u
    radius: FloatArray  # (n,) [m] of each body about its centre of mass
    free: BoolArray  # (n,) bodies that move and have no joints
    alone: BoolArray  # (n,) those of them that nothing touches


class StepParts(NamedTuple):
    """All that a step reads and writes."""

    bodies: BodyArrays
    loads: CompiledLoads
    motion: BodyMotion
    joints: JointSystem
    coupled: Coupling
    work: SolveWorkspace
    factor: BlockFactor
    rows: ContactRows
    mu: FloatArray  # (c,) friction coefficients of the contacts
    gaps: FloatArray  # (c,) [m] at the end of the step


bundle_parts = bundler(StepParts)


@jit
def begin_step(parts, h, with_loads):
    """Wrenches of the compiled loads if so, velocities u and bounds of speeds.

    Returns the largest speed [m/s] of any point that the step can know of.
    """
    motion, bodies = parts.motion, parts.bodies
    if with_loads:
        position_wrenches(parts.loads, motion.x, motion.R, motion.force, motion.torque)
    u = motion.u
    for i in range(u.shape[0]):
        spin = matvec(load33(motion.R, i), load3(motion.omega, i))
        for m in range(3):
            u[i, m], u[i, 3 + m] = motion.v[i, m], spin[m]
    return _speeds(bodies, motion, h)


@jit
def _speeds(bodies, motion, h):
    point_speeds(motion.u, motion.radius, bodies.inverse_mass, motion.force, h, motion.speeds)
    largest, u, expected = 0.0, motion.u, motion.expected
    for i in range(u.shape[0]):
        largest = max(largest, motion.speeds[i, 0] + motion.speeds[i, 1])
        for k in range(3):
            gained = h * bodies.inverse_mass[i, k] * motion.force[i, k]
            expected[i, k], expected[i, 3 + k] = h * (u[i, k] + gained), h * u[i, 3 + k]
        if bodies.dynamic[i] and not motion.alone[i]:
            expected[i, 0] = math.nan
    return largest


@jit_in_place
def _moves_farther(motion, h):
    """Whether a body moves farther with u in h [s] than `reach` says, which then says it."""
    u, some = motion.u, False
    for i in range(u.shape[0]):
        angular = math.sqrt(u[i, 3] ** 2 + u[i, 4] ** 2 + u[i, 5] ** 2)
        linear = math.sqrt(u[i, 0] ** 2 + u[i, 1] ** 2 + u[i, 2] ** 2)
        moved = h * (linear + motion.radius[i] * angular)
        if moved > WIDER * motion.reach[i, 0] + LITTLE * motion.radius[i]:
            motion.reach[i, 0], motion.reach[i, 1] = WIDER * moved, h * angular
            some = True
    return some


@jit_in_place
def _limit_creep(motion, work):
    """Friction that sticks creeps no faster than a share of what loads add to speeds in a step."""
    largest = 0.0
    for i in range(motion.u.shape[0]):
        largest = max(largest, motion.speeds[i, 1])
    work.creep[0] = CREEP * largest if largest > 0.0 else np.inf


@jit
def bound_speeds(parts, h):
    """Bounds of speeds once more, where u or the wrenches have changed; the largest."""
    return _speeds(parts.bodies, parts.motion, h)


@jit
def finish_step(
    parts, laws, elastic, count, joint_pairs, h, tolerance, ordered, with_curves, seek
):  # fmt: skip
    """Velocities u at the end of a step of h [s] with `count` contacts, then the poses.

    `elastic` are the energies of pairs (`store_energy`); `with_curves`: mu is set already. Returns
    (code, body, iterations, last change [m/s]); NEEDS_ORDER and NEEDS_PAIRS before anything has
    changed. MOVES_FARTHER, nothing having changed, if `seek` and a body moves farther than contacts
    were sought, as it was struck or pulled in the step: `motion.reach` is how far.
    """
    bodies, motion, joints, work = parts.bodies, parts.motion, parts.joints, parts.work
    rows, mu, coupled = parts.rows, parts.mu, parts.coupled
    u, x, R = motion.u, motion.x, motion.R
    rigid = count > 0 or joints.c.shape[0] > 0
    iterations, change = 0, 0.0
    if rigid:
        pairs, changed = couple(bodies, rows, count, joint_pairs, coupled)
        if pairs < 0:
            return NEEDS_PAIRS, -1, 0, 0.0
        if changed or not ordered:
            return NEEDS_ORDER, -1, 0, 0.0
        if not with_curves:
            friction_at_slip(rows, count, laws, x, u, mu, mu)
    for i in range(u.shape[0]):
        for m in range(6):
            work.u[i, m] = u[i, m]
    apply_loads(bodies, R, motion.L, motion.v, h, motion.force, motion.torque, u)
    for i in range(u.shape[0]):
        motion.alone[i] = motion.free[i]
    if rigid:
        _limit_creep(motion, work)
        iterations, change = solve_velocities(
            h, bodies, x, R, rows, count, laws, mu, joints, coupled, work, parts.factor, u,
            tolerance,
        )  # fmt: skip
        if seek and _moves_farther(motion, h):
            for i in range(u.shape[0]):
                for m in range(6):
                    u[i, m] = work.u[i, m]
            return MOVES_FARTHER, -1, iterations, change
        for c in range(count):
            if work.lam[c, 0] != 0.0 or work.lam[c, 1] != 0.0 or work.lam[c, 2] != 0.0:
                motion.alone[rows.point_body[c]] = False
                motion.alone[rows.field_body[c]] = False
        end_gaps(h, rows, count, x, u, motion.shift, parts.gaps)
    store_energy(h, rows, count, laws, parts.gaps, elastic)
    code, body = drift(
        h, bodies, u, motion.alone, parts.loads.force, motion.shift, x, R, motion.v, motion.omega,
        motion.L,
    )  # fmt: skip
    return code, body, iterations, change


_x, _R, _u, _flags = np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 6)), np.zeros(0, np.bool_)
_motion = BodyMotion(
    _x, _R, _x, _x, _x, _u, _x, _x, _x, np.zeros((0, 2)), _u, _u, np.zeros(0), _flags, _flags
)
NO_LAWS = read_only(np.zeros((0, N_COMPLIANT)))
NO_ENERGIES = np.zeros((3, 0))
_parts = (
    NO_BODIES, NO_LOADS, _motion, no_joints(), coupling(0, 0, 0), solve_workspace(0, 0, 0),
    factor_workspace(0, 0), empty_contacts(0), np.zeros(0), np.zeros(0),
)  # fmt: skip


def no_parts() -> Any:
    """A bundle of no bodies, of the types every call has."""
    return bundle_parts(*_parts)


def _register() -> None:
    parts = no_parts()
    warm(begin_step, parts, 1.0, True)
    warm(bound_speeds, parts, 1.0)
    warm(finish_step, parts, NO_LAWS, NO_ENERGIES, 0, 0, 1.0, 0.0, False, False, False)


warm(bundle_parts, *_parts)
warm_later(_register)
