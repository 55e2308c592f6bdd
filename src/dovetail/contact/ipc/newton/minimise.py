"""Newton's method on the group with a line search that never lets bodies meet.

Minimises the incremental potential of one step (`newton.potential`). Each iterate follows from the
one before by a constant twist per body along which the curved CCD has found no collision, so the
path along the iterates is free of collisions, whatever the step.
"""

import math
from typing import NamedTuple

from dovetail.contact.ipc.barrier.stiffness import (
    ACCELERATION,
    SPEED,
    TOO_CLOSE,
    raise_stiffness,
)
from dovetail.contact.ipc.candidates.distances import distances_at, update_distances
from dovetail.contact.ipc.candidates.lists import update_body_pairs
from dovetail.contact.ipc.islands.settled import (
    activate_touched,
    any_settled,
    begin_islands,
    end_search_step,
    find_islands,
    shorten_active,
)
from dovetail.contact.ipc.joints.direction import LARGEST_ROTATION as LARGEST_JOINTED_ANGLE
from dovetail.contact.ipc.joints.multipliers import update_multipliers
from dovetail.contact.ipc.joints.rows import any_rows
from dovetail.contact.ipc.line_search.nonmonotone import (
    allowed_increase,
    begin_history,
    forget_energies,
    record_increase,
)
from dovetail.contact.ipc.line_search.search import search
from dovetail.contact.ipc.line_search.step_size import MIN_GAP_FRACTION, collision_free_step_size
from dovetail.contact.ipc.newton.direction import (
    CONTACT_WISE,
    EXACT,
    LEAST_PIVOT,
    PAIR_WISE,
    newton_direction,
)
from dovetail.contact.ipc.newton.inertia_terms import position_rounding, rounding_work
from dovetail.contact.ipc.newton.rotation_trust_region import (
    LARGEST_ANGLE,
    damp_rotations,
    reset_rotation_limits,
    rotating_body,
    update_rotation_limits,
)
from dovetail.contact.ipc.poses import copy_poses, limit_rotation, set_path_lengths
from dovetail.contact.ipc.records import Poses
from dovetail.contact.ipc.status import StepStatus
from dovetail.runtime.jit import jit_in_place

REVERSED = 0.3  # of the collision-free step: a shorter one means that slipping contacts reversed
RELAXED = 0.5  # how fast their stiffening is taken back
ROUNDING = 1e-13  # of the energy
AT_REST = 1e-10  # of the energy: no search step is expected to lower it by less
BLIND_AFTER = 50  # iterations: after that slopes decide where rounding hides gains of energy
UNMOVED = 0.25  # of the rounding of positions: a direction that is no longer moves nothing
STALLED = 1e-6  # of a direction at rest: a shorter search step that lowers nothing is rounding
MAX_CONTACT_WISE = 300  # iterations with contact-wise projection; then pair-wise
MAX_MODE_WITHOUT_DESCENT = 8  # Hessian projection mode beyond which the search ends
CREEPS, CREPT = 1e-2, 8  # of directions whose gain rounding hides: so many shorter steps end it
LOST = 1e4  # times the fastest speed of the scene: a direction that is faster is of no use
LOST_AFTER = 64  # iterations with such directions, one after the other: then the search ends
FAR = 100.0  # times the tolerance: the speed of a direction that is far from the last one


class MinimiseOutcome(NamedTuple):
    """How a minimisation ended."""

    status: StepStatus
    iterations: int
    speed: float  # [m/s] of the fastest vertex in the last Newton direction
    least_distance: float  # [m]
    contacts: int
    projected_iterations: int  # in which the exact Hessian was not positive definite
    limiting_pair: int  # of bodies that limits the last search step, -1 if none


class StepSize(NamedTuple):
    """How far the search direction may be followed."""

    status: StepStatus
    t: float
    active_scale: float  # factor on the twists of active bodies, where others settle
    reached: float  # t of active bodies
    rotating: int  # body whose rotation limits the step, -1 if none


@jit_in_place
def minimise(
    bodies, lists, workspace, friction, start, barrier, h, tolerance, max_iterations, first_iterate
):  # fmt: skip
    """Minimise from workspace.iterate, which must be free of intersections.

    Stops when no vertex moves faster than `tolerance` [m/s] in the full Newton direction (the
    reference's rule), after taking that step. Iterates are kept from number `first_iterate` on.
    Afterwards no island is settled, and distances are those of the iterate.
    """
    progress = workspace.progress[0]
    begin_islands(bodies, lists, workspace)
    status = _descend(
        bodies, lists, workspace, friction, start, barrier, h, tolerance, max_iterations,
        first_iterate,
    )  # fmt: skip
    if any_settled(workspace):
        begin_islands(bodies, lists, workspace)
        fits, least = distances_at(bodies, lists, workspace, workspace.iterate, barrier)
        progress.least_squared = least
        if not fits:
            status = StepStatus.LISTS_FULL
    return MinimiseOutcome(
        status, progress.iterations, progress.speed, math.sqrt(progress.least_squared),
        progress.contacts, progress.projected_iterations, progress.limiting_pair,
    )  # fmt: skip


@jit_in_place
def _descend(
    bodies, lists, workspace, friction, start, barrier, h, tolerance, max_iterations, first_iterate
):  # fmt: skip
    """The iterations of `minimise`; what they report is in workspace.progress."""
    iterate, trial, history = workspace.iterate, workspace.trial, workspace.energy_history
    progress, joints, stiffening = workspace.progress[0], workspace.joints, friction.stiffening
    iterates, reach = workspace.iterates, barrier.dmin + barrier.dhat
    progress.iterations, progress.projected_iterations, progress.contacts = 0, 0, 0
    progress.directions, progress.limiting_pair = 0, -1
    progress.speed, progress.least_squared = math.inf, 0.0
    stiffening[0] = 0.0
    joints.multipliers.updates[0] = 0
    jointed = any_rows(joints)
    previous_least, next_mode, lost, crept = math.inf, EXACT, 0, 0
    scales = lists.scales.values
    fastest = LOST * (scales[SPEED] + h * scales[ACCELERATION] + tolerance)
    begin_history(history, friction.contacts.n_contacts[0] == 0)
    reset_rotation_limits(workspace)
    copy_poses(iterate, trial)
    copy_poses(iterate, Poses(iterates.x[first_iterate], iterates.R[first_iterate]))
    fits, least = distances_at(bodies, lists, workspace, iterate, barrier)
    if not fits:
        return StepStatus.LISTS_FULL
    progress.least_squared = least
    while progress.iterations < max_iterations:
        direction = newton_direction(bodies, lists, workspace, friction, start, barrier, next_mode)
        progress.contacts = max(progress.contacts, direction.contacts)
        progress.projected_iterations += 1 if direction.mode > EXACT else 0
        if direction.status != StepStatus.OK:
            return direction.status
        if not math.isfinite(direction.descent):
            return StepStatus.NOT_FINITE
        moved, some_settle = find_islands(
            bodies, lists, workspace, friction, start, barrier, direction.n_linked, h * tolerance
        )
        progress.speed = moved / h
        converged = progress.speed <= tolerance
        if converged and not jointed and moved <= UNMOVED * position_rounding(bodies, iterate):
            progress.directions += 1
            return StepStatus.CONVERGED
        lost = lost + 1 if progress.speed > fastest else 0
        if lost > LOST_AFTER:
            return StepStatus.TOO_MANY_ITERATIONS
        descent, energy = direction.descent, direction.energy
        if not converged and direction.contacts > 0 and not jointed:
            descent = damp_rotations(
                bodies, workspace, direction.n_linked, direction.shift, LEAST_PIVOT, descent
            )
        limit_rotation(
            bodies.slot, workspace.twist, LARGEST_JOINTED_ANGLE if jointed else LARGEST_ANGLE
        )
        size = _step_size(bodies, lists, workspace, barrier, some_settle)
        if size.status != StepStatus.OK:
            return size.status
        increase = ROUNDING * abs(energy)
        if converged:  # what the last step gains is less than the rounding of the energy
            increase = max(increase, min(-descent, AT_REST * abs(energy)))
        if size.reached < 1.0 and progress.speed > FAR * tolerance:
            increase += allowed_increase(history)
        slope = 0.0
        if progress.iterations >= BLIND_AFTER and not (converged or jointed):
            hidden = ROUNDING * abs(energy) + rounding_work(bodies, workspace)
            if -descent <= hidden:
                slope, increase = descent, increase + hidden
        step = search(
            bodies, lists, workspace, friction, start, barrier, size.t, energy, increase, slope
        )
        if step.t < 0.0:
            return StepStatus.LISTS_FULL
        if not step.t > 0.0:
            at_rest = slope == 0.0 and -descent <= AT_REST * abs(energy)
            multipliers_converged = not at_rest or update_multipliers(joints, joints.iterate.phi)
            if multipliers_converged and (at_rest or direction.mode >= MAX_MODE_WITHOUT_DESCENT):
                ended = at_rest or converged
                return StepStatus.CONVERGED if ended else StepStatus.NO_DESCENT
            next_mode = direction.mode + 1 if multipliers_converged else EXACT
            if not multipliers_converged:
                forget_energies(history)
            fits, _ = update_distances(bodies, lists, workspace, iterate, reach, barrier.dhat)
            if not fits:
                return StepStatus.LISTS_FULL
            continue
        stalled = step.t < STALLED and step.energy >= energy
        converged = converged or (stalled and -descent <= AT_REST * abs(energy))
        hidden_gain = slope != 0.0 and -descent <= ROUNDING * abs(energy)
        crept = crept + 1 if step.t < CREEPS and hidden_gain else 0
        converged = converged or crept > CREPT
        settles = some_settle and step.t >= 1.0 and not jointed
        t = step.t * size.active_scale
        update_rotation_limits(workspace, size.rotating, t)
        # Where it was not positive definite far from the end, it will not be in the next iteration.
        next_mode = EXACT
        if direction.mode > EXACT and progress.speed > FAR * tolerance:
            next_mode = CONTACT_WISE if progress.iterations < MAX_CONTACT_WISE else PAIR_WISE
        stiffening[0] = 1.0 if t < REVERSED * size.reached else RELAXED * stiffening[0]
        if stiffening[0] < 0.1:
            stiffening[0] = 0.0
        copy_poses(trial, iterate)
        record_increase(history, progress.iterations, step.energy - energy)
        progress.iterations += 1
        progress.directions = progress.iterations
        number = first_iterate + progress.iterations
        if number >= iterates.x.shape[0]:
            return StepStatus.ITERATES_FULL
        copy_poses(iterate, Poses(iterates.x[number], iterates.R[number]))
        least = step.least_squared
        gap = math.sqrt(least) - barrier.dmin
        closer = least < previous_least and step.energy <= energy  # not through a barrier
        if gap < TOO_CLOSE * barrier.dhat and (closer or converged):
            if raise_stiffness(bodies, lists, workspace, barrier):
                converged = settles = False
                forget_energies(history)
        end_search_step(workspace, settles)
        if any_settled(workspace) and activate_touched(lists, workspace, reach):
            converged = False
            fits, least = distances_at(bodies, lists, workspace, iterate, barrier)
            if not fits:
                return StepStatus.LISTS_FULL
        progress.least_squared = previous_least = least
        if converged:
            if update_multipliers(joints, joints.trial.phi):
                return StepStatus.CONVERGED
            forget_energies(history)
    return StepStatus.TOO_MANY_ITERATIONS


@jit_in_place
def _step_size(bodies, lists, workspace, barrier, some_settle):
    """How far the twists can be followed; settling islands take their whole step where they can."""
    iterate, twist, progress = workspace.iterate, workspace.twist, workspace.progress[0]
    path_length, counters = workspace.path_length, lists.counters[0]
    dmin, dhat, reach = barrier.dmin, barrier.dhat, barrier.dmin + barrier.dhat
    set_path_lengths(bodies.slot, bodies.geometry.core_radius, twist, path_length)
    sweeps = counters.sweeps
    fits = update_body_pairs(bodies, lists, iterate, path_length, reach)
    if fits and counters.sweeps != sweeps:
        fits, _ = update_distances(bodies, lists, workspace, iterate, reach, dhat)
    if not fits:
        return StepSize(StepStatus.LISTS_FULL, 0.0, 1.0, 0.0, -1)
    t, limiting_pair = collision_free_step_size(
        bodies, lists, workspace, iterate, twist, dmin, reach, MIN_GAP_FRACTION
    )
    progress.limiting_pair = limiting_pair
    if not t > 0.0:
        return StepSize(StepStatus.TOUCHING, t, 1.0, t, -1)
    rotating = rotating_body(lists, workspace, limiting_pair, reach)
    if not some_settle or t >= 1.0:
        return StepSize(StepStatus.OK, t, 1.0, t, rotating)
    active_scale = t
    shorten_active(workspace.islands.state, twist, active_scale)
    t, _ = collision_free_step_size(
        bodies, lists, workspace, iterate, twist, dmin, reach, MIN_GAP_FRACTION
    )
    status = StepStatus.OK if t > 0.0 else StepStatus.TOUCHING
    return StepSize(status, t, active_scale, active_scale * t, rotating)
