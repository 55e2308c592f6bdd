"""Where the linearised contacts lead, as far as CCD allows: an iterate near the solution.

Newton's method on the incremental potential finds contacts one after another: a direction does not
know of those to come, and the earliest impact of any pair ends it for all. So a minimisation that
has not ended after PATIENCE iterations goes on from where a problem that has all contacts in it
leads (`first_iterate.linearise`, `first_iterate.sweeps`). The way there is free by CCD and is
recorded as those of other iterates are; the minimiser is that of the same function. What is not
near the end after one such move is linearised again where it came to. A move that raises the
energy without friction is halved until it does not.
"""

import math

from dovetail.contact.ipc.candidates.distances import update_distances
from dovetail.contact.ipc.first_iterate.advance import advance
from dovetail.contact.ipc.first_iterate.linearise import linearise
from dovetail.contact.ipc.first_iterate.passing import find_meeting
from dovetail.contact.ipc.first_iterate.seeds import store_seeds
from dovetail.contact.ipc.first_iterate.sweeps import sweep_contacts
from dovetail.contact.ipc.friction.lagged_contacts import lag_at_iterate
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.joints.rows import any_rows
from dovetail.contact.ipc.newton.potential import energy_at
from dovetail.contact.ipc.poses import copy_poses
from dovetail.contact.ipc.records import Poses
from dovetail.contact.ipc.status import StepStatus
from dovetail.runtime.jit import jit_in_place, when_called

MANY = 8  # bodies that move: fewer find their contacts soon, and sweeps break symmetries
PATIENCE = 16  # iterations of Newton's method before
MAX_MOVES = 6
FAR = 20.0  # dhat: what is farther apart is not known of
NEAR = 0.9  # of the way: what is left is for Newton's method


@jit_in_place
def has_guess(bodies, workspace):
    """Whether there are bodies enough, without joints, springs or loads that change."""
    springs, slot, state = workspace.springs, bodies.slot, workspace.islands.state
    if any_rows(workspace.joints) or springs.bodies.shape[0] > 0 or workspace.loads.acts[0] != 0:
        return False
    count = 0
    for i in range(slot.shape[0]):
        if slot[i] >= 0 and state[i] != SETTLED:
            count += 1
    return count >= MANY


@when_called((StepStatus.OK, 0, False))
@jit_in_place
def go_near_solution(
    bodies, lists, workspace, friction, start, barrier, h, has_friction, first_iterate
):
    """Move the iterate to where linearised contacts lead, and lag the friction of these.

    Iterates are kept from number `first_iterate` on. Returns (OK or what memory is missing, moves,
    whether contacts are lagged).
    """
    moves, lagged, looks, energy = 0, False, 0, math.inf
    iterate, iterates, contacts = workspace.iterate, workspace.iterates, workspace.linear_contacts
    known, path_length = barrier.dmin + FAR * barrier.dhat, workspace.path_length
    while moves < MAX_MOVES and first_iterate + moves + 1 < iterates.x.shape[0]:
        for i in range(path_length.shape[0]):
            path_length[i] = 0.0
        fits, _ = update_distances(bodies, lists, workspace, iterate, known, barrier.dhat)
        if not fits:
            return StepStatus.LISTS_FULL, moves, lagged
        if moves == 0:
            friction.contacts.n_contacts[0] = 0
            energy = energy_at(bodies, lists, workspace, friction, iterate, start, barrier)
        if linearise(bodies, lists, workspace, friction, start, barrier, h, known) == 0:
            break
        sweep_contacts(contacts, workspace.twist, barrier.dmin, barrier.dhat)
        if moves == 0 and looks < MAX_MOVES:
            looks += 1
            if find_meeting(bodies, lists, workspace, barrier):
                continue
        if has_friction:
            store_seeds(lists, contacts)
            status = lag_at_iterate(
                bodies, lists, workspace, friction, start, barrier, h, 1.0, True
            )
            if status != StepStatus.OK:
                return status, moves, lagged
            lagged = True
        number = first_iterate + moves
        copy_poses(iterate, Poses(iterates.x[number], iterates.R[number]))
        status, t, there = advance(bodies, lists, workspace, friction, start, barrier, energy)
        if status != StepStatus.OK:
            return status, moves, lagged
        if not t > 0.0:
            break
        moves, energy = moves + 1, there
        if t >= NEAR:
            break
    return StepStatus.OK, moves, lagged
