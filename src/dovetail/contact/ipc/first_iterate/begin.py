"""Where the linearised contacts lead, as far as CCD allows: an iterate near the solution.

Newton's method on the incremental potential finds contacts one after another: a direction does not
know of those to come, and the earliest impact of any pair ends it for all. So a minimisation that
has not ended after PATIENCE iterations goes on from where a problem that has all contacts in it
leads (`first_iterate.linearise`, `first_iterate.interior_point`). The way there is free by CCD and
is recorded as those of other iterates are; the minimiser is that of the same function. Where it
came to, contacts are linearised again: with friction, whose cones are those of the normal forces
found with it, until a move is less than a contact is sheared before it slips, so that laggings have
nothing left to do; without, until Newton's method converges at once.

Which contacts there are is guessed from where bodies would go without any; those that are struck go
elsewhere. So the way to a solution that CCD cuts short is looked at for contacts, and it is solved
again from there with these as well. In the next solve the rest of the way is where it begins.

The first moves must not raise the energy without friction: they are halved until they do not. Moves
that do not become smaller are halved, too, and given up after a while: contacts that change places
may go round in a circle.
"""

import math

from dovetail.contact.ipc.candidates.distances import update_distances
from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.first_iterate.advance import advance, how_far
from dovetail.contact.ipc.first_iterate.interior_point import (
    MAX_ITERATIONS,
    NOT_SOLVED,
    find_forces,
    largest,
)
from dovetail.contact.ipc.first_iterate.known_forces import keep_forces, take_forces
from dovetail.contact.ipc.first_iterate.linearise import keep_way, linearise, take_way
from dovetail.contact.ipc.first_iterate.passing import find_meeting
from dovetail.contact.ipc.islands.state import SETTLED
from dovetail.contact.ipc.joints.rows import any_rows
from dovetail.contact.ipc.newton.potential import energy_at
from dovetail.contact.ipc.newton.smooth_steps import refuse_struck
from dovetail.contact.ipc.poses import copy_poses
from dovetail.contact.ipc.records import Poses
from dovetail.contact.ipc.status import StepStatus
from dovetail.runtime.jit import jit_in_place, when_called

MANY = 8  # bodies that move: fewer find their contacts soon, and sweeps break symmetries
PATIENCE = 2  # iterations of Newton's method before
MAX_MOVES = 30
MOST_LOOKS = 3  # for contacts along the way to the solution, or that meet on it
FARTHEST = 80.0  # dhat: nor is that, unless bodies meet there
FAR = 40.0  # dhat: what is farther apart is not known of
AHEAD = 4.0  # times the last move: nor is that, once it was a whole one
FEW = 2  # moves that must not raise the energy, also with friction
NEAR, SHORT = 0.9, 0.5  # of the way: a whole move, and one after which contacts are looked for
LEAST, CUT = 0.1, 2  # of the way: a shorter move counts as so many that are not smaller
SHEARED = 0.03  # of how much a contact is sheared: a move with friction that is the last
CLOSE = 0.05  # of dhat: a move without friction that is the last
SMOOTH, SMOOTHER = 0.01, 0.3  # of the last move, of dhat at most: smoothing of friction
ACCURACY, LEAST_ACCURACY, ROUGH = 0.3, 1e-8, 0.1  # of the smoothing; of dhat, at least and at most
SLOW = 0.8  # of the last move: a larger one is halved
LESS, PATIENT = 0.5, 5  # moves that do not get to less than this part of the smallest before


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
def _goals(last, eps, dhat):
    """(smoothing of friction, accuracy) [m] of a move after one of `last` [m]."""
    beta = min(max(eps, SMOOTH * last), SMOOTHER * dhat)
    accuracy = ACCURACY * max(beta, SMOOTH * last)
    return beta, min(max(accuracy, LEAST_ACCURACY * dhat), ROUGH * dhat)


@jit_in_place
def _halve(twist):
    for i in range(twist.shape[0]):
        for k in range(6):
            twist[i, k] *= 0.5


@jit_in_place
def pair_of(lists, p):
    """The bodies of pair p."""
    pairs = active_candidates(lists).pairs
    return pairs[p, 0], pairs[p, 1]


@jit_in_place
def _solve_linear(
    bodies, lists, workspace, friction, start, barrier, h, known, goals, first, along_way,
    has_friction,
):  # fmt: skip
    """Linearise all contacts at the iterate and solve for them: (status, iterations, part free).

    Bodies that others strike have other paths than without contact. Where contacts end the way to
    the solution that were not in the problem, it is solved again, with those along that way.
    """
    path_length, dhat = workspace.path_length, barrier.dhat
    contacts, looks, again, t, solved = workspace.linear_contacts, 0, True, 0.0, NOT_SOLVED
    count = linearise(bodies, lists, workspace, friction, start, barrier, h, known, along_way)
    warm = not first
    while again and count > 0:
        again = False
        take_forces(contacts)
        solved = find_forces(
            bodies, lists, workspace, start, barrier, goals[0], goals[1], warm, along_way
        )  # fmt: skip
        if solved == NOT_SOLVED:
            break
        if first and looks < MOST_LOOKS and find_meeting(bodies, lists, workspace, barrier):
            again = True
            looks += 1
            count = linearise(bodies, lists, workspace, friction, start, barrier, h, known, False)
            continue
        keep_forces(contacts)
        status, t = how_far(bodies, lists, workspace, barrier)
        if status != StepStatus.OK:
            return status, solved, t
        if has_friction and t < SHORT and looks < MOST_LOOKS:
            keep_way(contacts, workspace.twist, 1.0)
            a, b = pair_of(lists, workspace.progress[0].limiting_pair)
            way = path_length[a] + path_length[b] + 2.0 * dhat
            known = max(known, barrier.dmin + min(FARTHEST * dhat, way))
            fits, _ = update_distances(bodies, lists, workspace, workspace.iterate, known, dhat)
            if not fits:
                return StepStatus.LISTS_FULL, solved, t
            more = linearise(bodies, lists, workspace, friction, start, barrier, h, known, True)
            again = more > count
            warm = along_way = True
            count = more
            looks += 1
            if not again:
                take_way(contacts, workspace.twist)
    return StepStatus.OK, solved, t


@when_called((StepStatus.OK, 0, False))
@jit_in_place
def go_near_solution(
    bodies, lists, workspace, friction, start, barrier, h, has_friction, first_iterate
):
    """Move the iterate to where linearised contacts lead.

    Iterates are kept from number `first_iterate` on. Returns (OK or what memory is missing, moves,
    whether the last was so small that the solution is near).
    """
    moves, energy, last, least, stalled = 0, math.inf, math.inf, math.inf, 0
    iterate, iterates, contacts = workspace.iterate, workspace.iterates, workspace.linear_contacts
    path_length, twist, dhat = workspace.path_length, workspace.twist, barrier.dhat
    eps, whole, rest = friction.settings.eps[0], False, 0.0
    enough = SHEARED * eps if has_friction else CLOSE * dhat
    while moves < MAX_MOVES and first_iterate + moves + 1 < iterates.x.shape[0]:
        for i in range(path_length.shape[0]):
            path_length[i] = 0.0
        known = barrier.dmin + min(FAR * dhat, 2.0 * dhat + AHEAD * last)
        fits, _ = update_distances(bodies, lists, workspace, iterate, known, dhat)
        if not fits:
            return StepStatus.LISTS_FULL, moves, False
        if moves == 0:
            friction.contacts.n_contacts[0] = 0
            energy = energy_at(bodies, lists, workspace, friction, iterate, start, barrier)
        status, solved, t = _solve_linear(
            bodies, lists, workspace, friction, start, barrier, h, known, _goals(last, eps, dhat),
            moves == 0, moves > 0 and rest > 0.0, has_friction,
        )  # fmt: skip
        if status != StepStatus.OK:
            return status, moves, False
        if solved == NOT_SOLVED:
            break
        if has_friction and moves == 0 and refuse_struck(bodies, lists, workspace, dhat):
            return StepStatus.REFUSED, moves, False
        size = largest(twist)
        stalled = 0 if size < LESS * least else stalled + (2 if solved == MAX_ITERATIONS else 1)
        least = size if stalled == 0 else least
        if stalled > PATIENT:
            break
        if moves > FEW and size > SLOW * last:
            _halve(twist)
            t = min(1.0, 2.0 * t)
        last = size
        number = first_iterate + moves
        copy_poses(iterate, Poses(iterates.x[number], iterates.R[number]))
        allowed = math.inf if has_friction and moves >= FEW else energy
        status, t, there = advance(
            bodies, lists, workspace, friction, start, barrier, t, energy, allowed
        )
        if status != StepStatus.OK:
            return status, moves, False
        if not t > 0.0:
            break
        moves, energy, whole, rest = moves + 1, there, t >= NEAR, 1.0 - t
        keep_way(contacts, twist, rest)
        stalled += 0 if t >= LEAST else CUT
        if whole and size <= enough:
            return StepStatus.OK, moves, True
    return StepStatus.OK, moves, False
