"""Follow a twist from the iterate as far as CCD finds it free."""

from dovetail.contact.ipc.candidates.distances import distances_at, update_distances
from dovetail.contact.ipc.candidates.lists import update_body_pairs
from dovetail.contact.ipc.line_search.step_size import collision_free_step_size
from dovetail.contact.ipc.newton.potential import energy_at
from dovetail.contact.ipc.newton.rotation_trust_region import LARGEST_ANGLE
from dovetail.contact.ipc.poses import copy_poses, limit_rotation, move, set_path_lengths
from dovetail.contact.ipc.status import StepStatus
from dovetail.runtime.jit import jit_in_place

KEPT = 0.5  # of every gap: from a gap of next to nothing Newton's method takes long
MAX_HALVINGS = 5  # of a move that raises the energy


@jit_in_place
def how_far(bodies, lists, workspace, barrier):
    """(Status, the part of workspace.twist that CCD finds free); too far rotations are limited."""
    iterate, twist, slot = workspace.iterate, workspace.twist, bodies.slot
    path_length, counters = workspace.path_length, lists.counters[0]
    reach = barrier.dmin + barrier.dhat
    limit_rotation(slot, twist, LARGEST_ANGLE)
    set_path_lengths(slot, bodies.geometry.core_radius, twist, path_length)
    sweeps = counters.sweeps
    fits = update_body_pairs(bodies, lists, iterate, path_length, reach)
    if fits and counters.sweeps != sweeps:
        fits, _ = update_distances(bodies, lists, workspace, iterate, reach, barrier.dhat)
    if not fits:
        return StepStatus.LISTS_FULL, 0.0
    t, pair = collision_free_step_size(
        bodies, lists, workspace, iterate, twist, barrier.dmin, reach, KEPT
    )
    workspace.progress[0].limiting_pair = pair
    return StepStatus.OK, t


@jit_in_place
def advance(bodies, lists, workspace, friction, start, barrier, t, energy, allowed):
    """Follow the part t of workspace.twist, which is free, to where the energy is allowed.

    That is the energy without friction, now `energy`. Returns (status, part of it or 0, energy
    there).
    """
    iterate, trial, twist, slot = workspace.iterate, workspace.trial, workspace.twist, bodies.slot
    path_length = workspace.path_length
    n_contacts = friction.contacts.n_contacts
    lagged, there = n_contacts[0], energy
    for i in range(path_length.shape[0]):
        path_length[i] = 0.0
    copy_poses(iterate, trial)  # of bodies that do not move, too
    n_contacts[0] = 0
    for _ in range(MAX_HALVINGS):
        move(slot, iterate, twist, t, trial)
        if not distances_at(bodies, lists, workspace, trial, barrier)[0]:
            n_contacts[0] = lagged
            return StepStatus.LISTS_FULL, 0.0, energy
        there = energy_at(bodies, lists, workspace, friction, trial, start, barrier)
        if there <= allowed:
            break
        t *= 0.5
    n_contacts[0] = lagged
    if not there <= allowed:
        return StepStatus.OK, 0.0, energy
    copy_poses(trial, iterate)
    return StepStatus.OK, t, there
