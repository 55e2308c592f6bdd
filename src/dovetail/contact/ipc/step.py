"""One implicit Euler step of bodies in contact, free of intersections, as one compiled call.

    x^ = x + h v + h^2 f/m,   R^ = R + h R',   then minimise (`friction.lagging`),
    v <- (x_1 - x_0)/h,       R' <- (R_1 - R_0)/h.
Ferguson et al., Rigid IPC (2021), eqs. 7-9. The rate R' is kept as a matrix, as there. Round bodies
have R^ from `newton.free_rotation`: they roll, and must not lose spin. What flies at the start of
the step does so to second order (`newton.flight`), and so do mechanisms (`newton.two_step`).
"""

import math
from typing import NamedTuple

from dovetail.contact.ipc.barrier.balanced_start import begin_barriers
from dovetail.contact.ipc.barrier.clearance import NONE, list_pairs_ahead
from dovetail.contact.ipc.barrier.function import Barrier
from dovetail.contact.ipc.barrier.memory import remember_pairs
from dovetail.contact.ipc.barrier.stiffness import set_motion_scales, tolerance_for_pairs
from dovetail.contact.ipc.candidates.distances import distances_at
from dovetail.contact.ipc.friction.lagging import (
    any_friction,
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
from dovetail.contact.ipc.newton.flight import (
    find_flying,
    find_touched,
    predict_flight,
    set_flight_velocities,
)
from dovetail.contact.ipc.newton.free_rotation import free_rotation
from dovetail.contact.ipc.newton.minimise import MinimiseOutcome
from dovetail.contact.ipc.newton.smooth_steps import (
    any_slides_on,
    any_steps_so,
    end_two_steps,
    refuse_pressed,
    refuse_rough,
    refuse_unsolved,
)
from dovetail.contact.ipc.newton.two_step import predict_two_steps
from dovetail.contact.ipc.poses import copy_poses, set_velocities, twists_between
from dovetail.contact.ipc.records import Poses
from dovetail.contact.ipc.status import StepStatus
from dovetail.linalg.vec3 import load3, load33, store33
from dovetail.runtime.jit import apart, jit, jit_in_place

# Of the tolerance of a step, or of the default one, where what touches steps over two: errors add
# up. The latter is above rounding, a hundredth of what somebody asks for need not be.
OVER_TWO = 0.01


class StepOutcome(NamedTuple):
    """How one step was solved."""

    status: StepStatus
    iterations: int
    speed: float  # [m/s] of the fastest vertex in the last Newton direction
    least_distance: float  # [m], inf where nothing is near
    contacts: int
    projected_iterations: int  # in which the exact Hessian was not positive definite
    limiting_pair: int  # of bodies that limits the last search step, -1 if none
    tolerance: float  # [m/s]
    unresolved: int  # a n + b of bodies that pass with too small a clearance, or -1


@jit_in_place
def step_outcome(solved, tolerance, unresolved):
    """A step that ended as its minimisation did."""
    return StepOutcome(
        solved.status, solved.iterations, solved.speed, solved.least_distance, solved.contacts,
        solved.projected_iterations, solved.limiting_pair, tolerance, unresolved,
    )  # fmt: skip


@jit_in_place
def unsolved(status):
    """A minimisation that did not take place."""
    return MinimiseOutcome(status, 0, 0.0, math.inf, 0, 0, -1)


@jit_in_place
def predict(bodies, workspace, motion, h):
    """x^, R^ and h^2 torque of dynamic bodies; the targets of driven ones are there already."""
    slot, dynamic, free, mass = bodies.slot, bodies.dynamic, bodies.free, bodies.mass
    x, R, v, rate = motion.x, motion.R, motion.v, motion.rate
    force, torque, impulse = motion.force, motion.torque, workspace.impulse
    rounding, solids = bodies.geometry.rounding, bodies.geometry.features.solids
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
        if rounding[i] > 0.0 or (solids.shape[0] > 0 and solids[i, 0] > 0.0):
            rotated = free_rotation(load33(bodies.J, i), load33(R, i), load3(motion.omega, i), h)
            store33(R_hat, i, rotated)


@jit_in_place
def velocity_tolerance(tolerance, relative_tolerance, acceleration, speed, h, dhat):
    """[m/s] `tolerance`; 0: the relative one, of the speeds that matter; < 0: the smaller one."""
    if tolerance > 0.0:
        return tolerance
    relative = relative_tolerance * max(max(h * acceleration, 0.01 * speed), 0.01 * dhat / h)
    return relative if tolerance == 0.0 else min(-tolerance, relative)


@jit
def step(
    parts, h, dhat, dmin, tolerance, relative_tolerance, max_iterations, fixed_targets
):  # fmt: skip
    """Advance by h [s]; the motion changes only when the step converged.

    `tolerance` [m/s] is that of `velocity_tolerance`. With `fixed_targets` the caller has set where
    bodies would be without contact, workspace.predicted, and velocities stay as they are. Returns
    the numbers of a `StepOutcome`: to make one in Python costs less than to have one made.
    """
    made = advance(
        parts, h, dhat, dmin, tolerance, relative_tolerance, max_iterations, fixed_targets
    )  # fmt: skip
    return (
        made.status.value, made.iterations, made.speed, made.least_distance, made.contacts,
        made.projected_iterations, made.limiting_pair, made.tolerance, made.unresolved,
    )  # fmt: skip


@apart
@jit_in_place
def advance(
    parts, h, dhat, dmin, tolerance, relative_tolerance, max_iterations, fixed_targets
):  # fmt: skip
    """As `step`, without counting references (`runtime.records`)."""
    bodies, lists, workspace = parts.bodies, parts.lists, parts.workspace
    motion, friction = parts.motion, parts.friction
    start, iterate = Poses(motion.x, motion.R), workspace.iterate
    if fixed_targets:
        impulse, weight = workspace.impulse, workspace.two_step.weight
        for i in range(impulse.shape[0]):
            impulse[i, 0] = impulse[i, 1] = impulse[i, 2] = 0.0
            weight[i] = 1.0
    else:
        wake_changed(lists, motion, h)
        if all_asleep(bodies, motion):
            report_no_friction(friction.report)
            return step_outcome(unsolved(StepStatus.CONVERGED), tolerance, NONE)
    acceleration, speed = set_motion_scales(bodies, lists.scales, motion, h, dhat)
    relative = velocity_tolerance(0.0, relative_tolerance, acceleration, speed, h, dhat)
    tolerance = velocity_tolerance(tolerance, relative_tolerance, acceleration, speed, h, dhat)
    barrier, jointed = Barrier(dhat, dmin, h * h, 0.0), any_rows(workspace.joints)
    solved, again, unresolved = unsolved(StepStatus.LISTS_FULL), True, NONE
    while again:
        copy_poses(start, iterate)
        begin_islands(bodies, lists, workspace)
        if not list_pairs_ahead(bodies, lists, workspace, motion, start, barrier, h):
            return step_outcome(unsolved(StepStatus.LISTS_FULL), tolerance, NONE)
        if not distances_at(bodies, lists, workspace, start, barrier)[0]:
            return step_outcome(unsolved(StepStatus.LISTS_FULL), tolerance, NONE)
        if wake_touched(lists, workspace, motion, dmin + dhat):
            continue
        if jointed:
            begin_joints(workspace.joints, bodies, start.x, start.R, h)
        unresolved = begin_barriers(bodies, lists, workspace, motion, barrier, h)
        if not fixed_targets:
            predict(bodies, workspace, motion, h)
            find_flying(bodies, lists, workspace)
            predict_flight(bodies, workspace, motion, h)
            if refuse_pressed(bodies, lists, workspace):
                return step_outcome(unsolved(StepStatus.REFUSED), tolerance, NONE)
            predict_two_steps(bodies, workspace, motion, h)
        needed = tolerance
        slides_on = not fixed_targets and any_slides_on(workspace.two_step)
        if not any_friction(friction.laws.laws):  # lagging does not end at less
            needed = tolerance_for_pairs(lists, tolerance, dhat, h)
        elif slides_on:
            needed = min(tolerance, OVER_TWO * max(tolerance, relative))
        friction.contacts.n_contacts[0] = 0
        raised = workspace.raised
        for i in range(raised.shape[0]):
            raised[i] = 0
        solved = minimise_with_friction(
            bodies, lists, workspace, friction, start, barrier, h, needed, max_iterations
        )
        again, status = False, solved.status
        if slides_on and (
            status == StepStatus.TOO_MANY_ITERATIONS or status == StepStatus.NO_DESCENT
        ):
            refuse_unsolved(workspace.two_step)
            return step_outcome(unsolved(StepStatus.REFUSED), tolerance, NONE)
        if solved.status == StepStatus.CONVERGED and motion.sleep_counts[ASLEEP] > 0:
            if not distances_at(bodies, lists, workspace, iterate, barrier)[0]:
                return step_outcome(unsolved(StepStatus.LISTS_FULL), tolerance, NONE)
            again = wake_touched(lists, workspace, motion, dmin + dhat)
    if solved.status != StepStatus.CONVERGED:
        return step_outcome(solved, tolerance, unresolved)
    if not fixed_targets and any_steps_so(workspace.two_step):
        if not distances_at(bodies, lists, workspace, iterate, barrier)[0]:
            return step_outcome(unsolved(StepStatus.LISTS_FULL), tolerance, NONE)
        if refuse_rough(bodies, lists, workspace, motion, dmin, h, tolerance):
            return step_outcome(unsolved(StepStatus.REFUSED), tolerance, NONE)
    if not fixed_targets:
        put_to_rest(bodies, lists, workspace, motion, h, solved.iterations)
    status = end_friction(bodies, lists, workspace, friction, start, barrier, h)
    if status != StepStatus.OK:
        return step_outcome(unsolved(status), tolerance, NONE)
    if not remember_pairs(bodies, lists, workspace, barrier):
        return step_outcome(unsolved(StepStatus.LISTS_FULL), tolerance, NONE)
    if not fixed_targets:
        fall_asleep(bodies, workspace, motion, h)
        find_touched(lists, workspace, dmin)
        set_flight_velocities(bodies, workspace, motion, h)
        end_two_steps(bodies, lists, workspace, motion, dmin, h, tolerance)
        twists_between(bodies.slot, start, iterate, workspace.twist)
        set_velocities(
            bodies.slot, workspace.flies, h, start.R, iterate.R, workspace.twist, motion.v,
            motion.omega, motion.rate,
        )  # fmt: skip
    copy_poses(iterate, start)
    if jointed:
        end_joints(workspace.joints, start.x, start.R)
    return step_outcome(solved, tolerance, unresolved)
