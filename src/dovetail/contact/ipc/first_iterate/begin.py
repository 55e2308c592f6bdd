"""Where all contacts of a step lead at once, as far as CCD allows: an iterate near the solution.

Newton's method on the incremental potential finds contacts one after another: a direction does not
know of those to come, and the earliest impact of any pair ends it for all. So a step of many bodies
begins with a problem that has all contacts ahead in it (`first_iterate.linearise`), friction and
normal forces together, solved by an augmented Lagrangian (`first_iterate.augmented`) at poses that
may overlap. The path from the iterate to its solution is then followed as far as CCD finds it free,
and recorded as those of other iterates are; the minimiser is that of the same function. Where that
is not all of the path contacts are collected again. A move that raises the energy is halved until
it does not, where there is no friction.
"""

from dovetail.contact.ipc.candidates.distances import update_distances
from dovetail.contact.ipc.first_iterate.advance import advance
from dovetail.contact.ipc.first_iterate.augmented import solve_contacts
from dovetail.contact.ipc.first_iterate.known_forces import keep_forces, recall_forces
from dovetail.contact.ipc.first_iterate.linearise import collect
from dovetail.contact.ipc.first_iterate.passing import find_meeting
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.joints.rows import any_rows
from dovetail.contact.ipc.poses import copy_poses, twists_between
from dovetail.contact.ipc.records import Poses
from dovetail.contact.ipc.status import StepStatus
from dovetail.linalg.vec3 import load3, norm
from dovetail.runtime.jit import jit_in_place

MANY = 8  # bodies that move: fewer find their contacts soon
MAX_MOVES = 8
FAR = 20.0  # dhat: what is farther apart is not known of
SMALL = 1.0  # dhat: of a move after which Newton's method goes on
NEAR = 0.9  # of the path: what is left is for Newton's method


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


@jit_in_place
def _fastest(bodies, twist):
    """[m] a bound on the displacement of points by the twists."""
    radius, fastest = bodies.geometry.core_radius, 0.0
    for i in range(radius.shape[0]):
        if bodies.slot[i] >= 0:
            turned = norm((twist[i, 3], twist[i, 4], twist[i, 5]))
            fastest = max(fastest, norm(load3(twist, i)) + radius[i] * turned)
    return fastest


@jit_in_place
def go_near_solution(bodies, lists, workspace, friction, start, barrier, h, first_iterate):
    """Move the iterate to where all contacts lead; (OK or what memory is missing, moves).

    Iterates are kept from number `first_iterate` on.
    """
    iterate, iterates, contacts = workspace.iterate, workspace.iterates, workspace.linear_contacts
    known, path_length = barrier.dmin + FAR * barrier.dhat, workspace.path_length
    moves, looks = 0, 0
    while moves < MAX_MOVES and first_iterate + moves + 1 < iterates.x.shape[0]:
        for i in range(path_length.shape[0]):
            path_length[i] = 0.0
        fits, _ = update_distances(bodies, lists, workspace, iterate, known, barrier.dhat)
        if not fits:
            return StepStatus.LISTS_FULL, moves
        if collect(bodies, lists, workspace, friction, start, barrier, h, known) == 0:
            break
        if moves > 0:
            recall_forces(contacts)
        found = solve_contacts(bodies, lists, workspace, friction, start, barrier, moves > 0)
        if not found.fits:
            return StepStatus.FACTOR_FULL, moves
        keep_forces(contacts)
        if moves == 0 and looks < MAX_MOVES:
            looks += 1
            twists_between(bodies.slot, iterate, workspace.trial, workspace.twist)
            if find_meeting(bodies, lists, workspace, barrier):
                continue
        number = first_iterate + moves
        copy_poses(iterate, Poses(iterates.x[number], iterates.R[number]))
        status, t = advance(bodies, lists, workspace, friction, start, barrier)
        if status != StepStatus.OK:
            return status, moves
        if not t > 0.0:
            break
        moves += 1
        if t >= NEAR and _fastest(bodies, workspace.twist) <= SMALL * barrier.dhat:
            break
    return StepStatus.OK, moves
