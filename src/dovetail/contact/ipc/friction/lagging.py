"""Friction that fits its own normal forces: solve, take the contacts anew, solve again.

A solve holds normals, normal forces and touching points (`friction.potential`); here they are
taken from
its outcome and it is solved again, until Newton's first direction is within the tolerance: then
the friction at the end of the step belongs to the contacts at the end of the step. Where that does
not come to rest by itself, new contacts are mixed with those before, ever more cautiously, and
there is an end to it: the speed that is left is returned (card houses would go on for ever).
"""

from dovetail.contact.ipc.candidates.distances import stand
from dovetail.contact.ipc.friction.lagged_contacts import (
    BEND,
    CREEP,
    LAGGINGS,
    MOST_LAGGINGS,
    N_HELD,
    SETTLED,
    SLIP,
    hold_contacts,
)
from dovetail.contact.ipc.friction.presliding_state import remember
from dovetail.contact.ipc.newton.minimise import DONE, NO_FRICTION_ROOM, NO_ROOM, minimise
from dovetail.contact.ipc.records import N_PAIRS, WHICH
from dovetail.runtime.jit import jit

PLAIN, HALVES = 4, 8  # laggings that take new contacts as they are, and by half
CAUTIOUS = 0.25  # the part of new contacts after that


@jit
def share_of(lagging):
    """The part of new contacts in this lagging."""
    if lagging < PLAIN:
        return 1.0
    return 0.5 if lagging < HALVES else CAUTIOUS


@jit
def any_friction(laws):
    """Whether any two bodies rub."""
    for k in range(laws.shape[0]):
        if laws[k, 0] > 0.0:
            return True
    return False


@jit
def take_contacts(bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, share):
    """Hold the friction of the contacts at the iterate; DONE, or a code for want of room."""
    path = room.path
    for i in range(path.shape[0]):
        path[i] = 0.0
    fits, _ = stand(bodies, lists, room, room.x, room.R, path, dmin + dhat, dhat)
    if not fits:
        return NO_ROOM
    numbers = lists.numbers
    fits = hold_contacts(
        friction.counts, friction.laws, friction.law_of, friction.kind, friction.held,
        friction.bodies, friction.anchor_pairs, friction.fields,
        numbers[WHICH], numbers[N_PAIRS], lists.pairs, lists.start, lists.pool, room.squared,
        room.x, room.R, x_0, R_0, room.lever, bodies.edges, bodies.faces, room.facing,
        dmin, dhat, weight, room.load, h, friction.values[BEND], share,
    )  # fmt: skip
    return DONE if fits else NO_FRICTION_ROOM


@jit
def minimise_with_friction(
    bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, tolerance, most
):  # fmt: skip
    """As `minimise`, with friction in balance."""
    friction.counts[N_HELD] = 0
    rubs = any_friction(friction.laws)
    counts, total, careful, lagging = friction.counts, 0, 0, 0
    while True:
        share = share_of(lagging)
        if rubs:
            code = take_contacts(
                bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, share
            )
            if code != DONE:
                return code, total, 0.0, weight, 0.0, 0, careful, -1
        code, iterations, speed, weight, least, contacts, doubts, by = minimise(
            bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, share * tolerance,
            most - total, total,
        )  # fmt: skip
        total += iterations
        careful += doubts
        lagging += 1
        untouched = counts[N_HELD] == 0 and not least < dmin + dhat
        settled = iterations <= 1 or untouched or not rubs
        if code != DONE or not rubs or settled or lagging >= counts[MOST_LAGGINGS]:
            break
    counts[LAGGINGS], counts[SETTLED] = lagging, 1 if settled else 0
    return code, total, speed, weight, least, contacts, careful, by


@jit
def nothing_rubs(friction):
    """What a step without any motion leaves."""
    friction.values[CREEP] = friction.values[SLIP] = 0.0
    friction.counts[LAGGINGS], friction.counts[SETTLED] = 0, 1


@jit
def remember_friction(bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight):
    """Keep the bent contacts of the step's end for the next step; DONE, or what is lacking."""
    if not any_friction(friction.laws):
        return DONE
    code = take_contacts(bodies, lists, room, friction, x_0, R_0, h, dmin, dhat, weight, 1.0)
    if code == DONE:
        remember(
            friction.counts, friction.values, friction.held, friction.bodies,
            friction.anchor_pairs, friction.fields, friction.work, bodies.radius, bodies.slot,
            lists.asleep, room.x, room.R, x_0, R_0, h,
        )  # fmt: skip
    return code
