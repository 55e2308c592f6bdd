"""One implicit Euler step of bodies in contact, free of intersections, as one compiled call.

    x^ = x + h v + h^2 f/m,   R^ = R + h R',   then minimise (`friction.lagging`),
    v <- (x_1 - x_0)/h,       R' <- (R_1 - R_0)/h.
Ferguson et al., Rigid IPC (2021), eqs. 7-9. The rate R' is kept as a matrix, as there.
"""

import math
from typing import NamedTuple

from dovetail.collision.distance.derivatives import GRADIENT_ONLY
from dovetail.contact.ipc.barrier.function import Barrier, with_stiffness
from dovetail.contact.ipc.barrier.stiffness import begin_stiffness_scales
from dovetail.contact.ipc.candidates.distances import distances_at
from dovetail.contact.ipc.friction.lagging import (
    end_friction,
    minimise_with_friction,
    report_no_friction,
)
from dovetail.contact.ipc.islands.settled import begin_islands
from dovetail.contact.ipc.islands.sleeping import (
    ASLEEP,
    all_asleep,
    fall_asleep,
    put_to_rest,
    wake_changed,
    wake_touched,
)
from dovetail.contact.ipc.joints.multipliers import begin_joints, end_joints
from dovetail.contact.ipc.joints.rows import any_rows
from dovetail.contact.ipc.newton.inertia import set_inertia_terms
from dovetail.contact.ipc.newton.minimise import MinimiseOutcome
from dovetail.contact.ipc.newton.potential import differentiate
from dovetail.contact.ipc.newton.system import fix_unknowns
from dovetail.contact.ipc.poses import copy_poses, set_velocities, twists_between
from dovetail.contact.ipc.records import Poses
from dovetail.contact.ipc.status import StepStatus
from dovetail.linalg.vec3 import load3, load33, matvec, norm
from dovetail.runtime.jit import jit

FORCE_AT_HALF = 4.33  # |dB/dD| dhat at D = dhat/2
ENERGY_AT_TENTH = 9.0  # 2 B at D = dhat/10
MAX_SHIFT = 10.0  # dhat: faster bodies are left to the stiffness scales, see `least_stiffness`
RANGE = 100.0  # of the least stiffness, within which it follows the forces
BALANCED = 1.02  # times the previous stiffness, or its inverse: forces that it balances
NEARLY_BALANCED = 2.0  # the same with momentum: beyond, the stiffness follows even so


class StepOutcome(NamedTuple):
    """How one step was solved."""

    status: StepStatus
    iterations: int
    speed: float  # [m/s] of the fastest vertex in the last Newton direction
    stiffness: float  # [m^2] h^2 kappa per stiffness scale, see `barrier.stiffness`
    least_distance: float  # [m], inf where nothing is near
    contacts: int
    projected_iterations: int  # in which the exact Hessian was not positive definite
    limiting_pair: int  # of bodies that limits the last search step, -1 if none
    tolerance: float  # [m/s]


@jit
def step_outcome(solved, stiffness, tolerance):
    """A step that ended as its minimisation did."""
    return StepOutcome(
        solved.status, solved.iterations, solved.speed, stiffness, solved.least_distance,
        solved.contacts, solved.projected_iterations, solved.limiting_pair, tolerance,
    )  # fmt: skip


@jit
def unsolved(status):
    """A minimisation that did not take place."""
    return MinimiseOutcome(status, 0, 0.0, math.inf, 0, 0, -1)


@jit
def predict(bodies, workspace, motion, h):
    """x^, R^ and h^2 torque of dynamic bodies; the targets of driven ones are there already."""
    slot, dynamic, free, mass = bodies.slot, bodies.dynamic, bodies.free, bodies.mass
    x, R, v, rate = motion.x, motion.R, motion.v, motion.rate
    force, torque, impulse = motion.force, motion.torque, workspace.impulse
    x_hat, R_hat = workspace.predicted.x, workspace.predicted.R
    for i in range(slot.shape[0]):
        if slot[i] < 0 or dynamic[i] == 0:
            continue
        for r in range(3):
            x_hat[i, r] = x[i, r]
            if free[i, r] != 0:
                x_hat[i, r] += h * v[i, r] + h * h * force[i, r] / mass[i]
            impulse[i, r] = h * h * torque[i, r]
            for c in range(3):
                R_hat[i, r, c] = R[i, r, c] + h * rate[i, r, c]


@jit
def motion_scales(bodies, motion):
    """Largest acceleration [m/s^2] and largest speed [m/s] of bodies that move."""
    slot, dynamic, mass = bodies.slot, bodies.dynamic, bodies.mass
    radius, free = bodies.geometry.radius, bodies.free
    v, omega, force = motion.v, motion.omega, motion.force
    acceleration, speed = 0.0, 0.0
    for i in range(slot.shape[0]):
        if slot[i] < 0:
            continue
        speed = max(speed, norm(load3(v, i)) + radius[i] * norm(load3(omega, i)))
        if dynamic[i] == 0:
            continue
        f = (free[i, 0] * force[i, 0], free[i, 1] * force[i, 1], free[i, 2] * force[i, 2])
        acceleration = max(acceleration, norm(f) / mass[i])
    return acceleration, speed


@jit
def velocity_tolerance(tolerance, relative_tolerance, acceleration, speed, h, dhat):
    """[m/s] `tolerance`; 0: the relative one, of the speeds that matter; < 0: the smaller one."""
    if tolerance > 0.0:
        return tolerance
    relative = relative_tolerance * max(max(h * acceleration, 0.01 * speed), 0.01 * dhat / h)
    return relative if tolerance == 0.0 else min(-tolerance, relative)


@jit
def least_stiffness(acceleration, speed, h, dhat):
    """w [m^2] that stops at half of dhat what forces move, at a tenth of it what flies.

    A weaker barrier would let fast bodies pass each other at gaps of almost nothing.
    """
    shift = max(max(h * h * acceleration, h * speed), 1e-3 * dhat)
    return shift * max(dhat / FORCE_AT_HALF, min(shift / ENERGY_AT_TENTH, MAX_SHIFT * dhat))


@jit
def _clamped(low, value, high):
    return min(max(value, low), high)


@jit
def _within(factor, a, b):
    """Whether two positive numbers differ by no more than a factor."""
    return a <= factor * b and b <= factor * a


@jit
def balanced_stiffness(bodies, lists, workspace, friction, motion, barrier, h, least, previous):
    """w = h^2 kappa / scale [m^2], between the least and RANGE times it.

    Within that range it balances the forces there are, -gB.gE / gB.gB (Li et al. 2020,
    supplement), products weighted by the inverse masses so that forces and torques can be added.
    The `previous` one is kept where it balances the loads and is about right for what moves, too.
    One that followed every change would follow its own: friction bears some of the weight where
    normals are slanted, which the forces do not say, and bodies at rest would sink on ever softer
    contacts; and one that followed their last motions (without gE's part h v, `h` being 0 where
    that is not known) would keep them going.
    """
    v, omega, start = motion.v, motion.omega, Poses(motion.x, motion.R)
    if least == 0.0:
        return least
    system, twist, owner = workspace.system, workspace.twist, bodies.owner
    gradient, diagonal, right = system.gradient, system.diagonal, system.right
    set_inertia_terms(
        bodies.mass, bodies.J, bodies.slot, start, workspace.predicted, start.R,
        workspace.impulse, gradient, diagonal, False,
    )  # fmt: skip
    fix_unknowns(system, 0, owner, bodies.free, workspace.islands.state)
    for k in range(owner.shape[0]):
        for r in range(6):
            right[k, r] = gradient[k, r]
            twist[owner[k], r] = diagonal[k, r, r]
    unit = barrier.dhat * barrier.dhat  # not 1 m^2, which would round differently in other units
    _, contacts, _ = differentiate(
        bodies, lists, workspace, friction, start, with_stiffness(barrier, unit), GRADIENT_ONLY,
        False,
    )  # fmt: skip
    if contacts == 0:
        return least
    both, size, moving = 0.0, 0.0, 0.0
    for k in range(owner.shape[0]):
        i = owner[k]
        spin = matvec(load33(start.R, i), load3(omega, i))
        for r in range(6):
            pushed, inertia = gradient[k, r] - right[k, r], twist[i, r]
            both += pushed * right[k, r] / inertia
            size += pushed * pushed / inertia
            moving += pushed * (v[i, r] if r < 3 else spin[r - 3])
    if not size > 0.0 or not math.isfinite(size):
        return least
    most = RANGE * least
    wanted = _clamped(least, -both / size * unit, most)
    without_motion = _clamped(least, -(both + h * moving) / size * unit, most)
    keep = least <= previous <= most and _within(BALANCED, without_motion, previous)
    return previous if keep and _within(NEARLY_BALANCED, wanted, previous) else wanted


@jit
def step(
    parts, h, dhat, dmin, previous_stiffness, tolerance, relative_tolerance, max_iterations,
    fixed_targets,
):  # fmt: skip
    """Advance by h [s]; the motion changes only when the step converged.

    `tolerance` [m/s] is that of `velocity_tolerance`. With `fixed_targets` the caller has set where
    bodies would be without contact, workspace.predicted, and velocities stay as they are.
    `previous_stiffness` [m^2] is that of the step before, in this step's h^2; 0 for none.
    """
    bodies, lists, workspace = parts.bodies, parts.lists, parts.workspace
    motion, friction = parts.motion, parts.friction
    start, iterate = Poses(motion.x, motion.R), workspace.iterate
    if fixed_targets:
        impulse = workspace.impulse
        for i in range(impulse.shape[0]):
            impulse[i, 0] = impulse[i, 1] = impulse[i, 2] = 0.0
    else:
        wake_changed(lists, motion, h)
        if all_asleep(bodies, motion):
            report_no_friction(friction.report)
            return step_outcome(unsolved(StepStatus.CONVERGED), previous_stiffness, tolerance)
        predict(bodies, workspace, motion, h)
    acceleration, speed = motion_scales(bodies, motion)
    tolerance = velocity_tolerance(tolerance, relative_tolerance, acceleration, speed, h, dhat)
    least = least_stiffness(acceleration, speed, h, dhat)
    barrier, jointed = Barrier(dhat, dmin, 0.0), any_rows(workspace.joints)
    solved, again = unsolved(StepStatus.LISTS_FULL), True
    while again:
        copy_poses(start, iterate)
        begin_islands(bodies, lists, workspace)
        if not distances_at(bodies, lists, workspace, start, barrier)[0]:
            return step_outcome(unsolved(StepStatus.LISTS_FULL), 0.0, tolerance)
        if wake_touched(lists, workspace, motion, dmin + dhat):
            continue
        if jointed:
            begin_joints(workspace.joints, bodies, start.x, start.R, h)
        begin_stiffness_scales(bodies, lists, workspace, motion.stiffness_scale, barrier)
        friction.contacts.n_contacts[0] = 0
        stiffness = balanced_stiffness(
            bodies, lists, workspace, friction, motion, barrier, 0.0 if fixed_targets else h,
            least, previous_stiffness,
        )  # fmt: skip
        barrier = with_stiffness(barrier, stiffness)
        solved = minimise_with_friction(
            bodies, lists, workspace, friction, start, barrier, h, tolerance, max_iterations
        )
        again = False
        if solved.status == StepStatus.CONVERGED and motion.sleep_counts[ASLEEP] > 0:
            if not distances_at(bodies, lists, workspace, iterate, barrier)[0]:
                return step_outcome(unsolved(StepStatus.LISTS_FULL), 0.0, tolerance)
            again = wake_touched(lists, workspace, motion, dmin + dhat)
    if solved.status != StepStatus.CONVERGED:
        return step_outcome(solved, barrier.stiffness, tolerance)
    if not fixed_targets:
        put_to_rest(bodies, lists, workspace, motion, h, solved.iterations)
    status = end_friction(bodies, lists, workspace, friction, start, barrier, h)
    if status != StepStatus.CONVERGED:
        return step_outcome(unsolved(status), barrier.stiffness, tolerance)
    if not fixed_targets:
        fall_asleep(bodies, workspace, motion, h)
        twists_between(bodies.slot, start, iterate, workspace.twist)
        set_velocities(
            bodies.slot, h, start.R, iterate.R, workspace.twist, motion.v, motion.omega, motion.rate
        )
    copy_poses(iterate, start)
    scale, kept = workspace.stiffness_scale, motion.stiffness_scale
    for i in range(scale.shape[0]):
        kept[i] = scale[i]
    if jointed:
        end_joints(workspace.joints, bodies, start.x, start.R)
    return step_outcome(solved, barrier.stiffness, tolerance)
