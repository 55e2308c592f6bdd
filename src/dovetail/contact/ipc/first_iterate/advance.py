"""Follow a twist from the iterate as far as CCD finds it free."""

import math

from dovetail.contact.ipc.candidates.distances import distances_at
from dovetail.contact.ipc.candidates.lists import update_body_pairs
from dovetail.contact.ipc.friction.coefficients import any_friction
from dovetail.contact.ipc.line_search.step_size import MIN_GAP_FRACTION, collision_free_step_size
from dovetail.contact.ipc.newton.potential import energy_at
from dovetail.contact.ipc.newton.rotation_trust_region import LARGEST_ANGLE
from dovetail.contact.ipc.poses import (
    copy_poses,
    limit_rotation,
    move,
    set_path_lengths,
    twists_between,
)
from dovetail.contact.ipc.status import StepStatus
from dovetail.runtime.jit import jit_in_place

LEAST = 0.1  # of the path: shorter moves would use up a gap, one after the other
MAX_HALVINGS = 5  # of a move that raises the energy


@jit_in_place
def advance(bodies, lists, workspace, friction, start, barrier):
    """Go from the iterate towards the trial pose, as far as the direct path is free.

    Without friction also as far as the energy does not rise. Returns (status, part or 0).
    """
    iterate, trial, twist = workspace.iterate, workspace.trial, workspace.twist
    slot, path_length = bodies.slot, workspace.path_length
    reach = barrier.dmin + barrier.dhat
    twists_between(slot, iterate, trial, twist)
    limit_rotation(slot, twist, LARGEST_ANGLE)
    set_path_lengths(slot, bodies.geometry.core_radius, twist, path_length)
    if not update_body_pairs(bodies, lists, iterate, path_length, reach):
        return StepStatus.LISTS_FULL, 0.0
    if not distances_at(bodies, lists, workspace, iterate, barrier)[0]:
        return StepStatus.LISTS_FULL, 0.0
    friction.contacts.n_contacts[0] = 0
    energy = math.inf
    if not any_friction(friction.laws.laws):
        energy = energy_at(bodies, lists, workspace, friction, iterate, start, barrier)
    t, pair = collision_free_step_size(
        bodies, lists, workspace, iterate, twist, barrier.dmin, reach, MIN_GAP_FRACTION
    )
    workspace.progress[0].limiting_pair = pair
    if not t > LEAST:
        return StepStatus.OK, 0.0
    copy_poses(iterate, trial)  # of bodies that do not move, too
    for _ in range(MAX_HALVINGS):
        move(slot, iterate, twist, t, trial)
        if not distances_at(bodies, lists, workspace, trial, barrier)[0]:
            return StepStatus.LISTS_FULL, 0.0
        if energy_at(bodies, lists, workspace, friction, trial, start, barrier) <= energy:
            copy_poses(trial, iterate)
            return StepStatus.OK, t
        t *= 0.5
    return StepStatus.OK, 0.0
