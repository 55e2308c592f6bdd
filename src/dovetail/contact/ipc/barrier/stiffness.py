"""How stiff a contact is: by the mass that each of its two bodies has to carry.

The barrier of a pair is W = w min(load_a, load_b) m B, w [m^2] common to all. The load of a body
is its mass, so a gram that meets a tonne is stopped as softly as a gram that meets a gram; one
stiffness for all would be a wall to it that no search step can lean on. Where a gap shrinks to
almost nothing (a gram *between* tonnes) the lighter body's load rises, towards the heavier one's
by halves of the ratio's logarithm, and is kept from step to step while its contacts are tight.
"""

import math

from dovetail.contact.ipc.records import N_PAIRS, WHICH
from dovetail.runtime.jit import jit, jit_in_place

TOO_CLOSE = 1e-3  # of dhat: a gap that shrinks below this, or ends there, raises the load
TIGHT = 0.5  # of dhat: bodies with a gap below this keep the load they have
LARGEST = 2.0**40  # of the heaviest body: as far as loads are raised


@jit_in_place
def pair_load(load, a, b):
    """[kg] that the contact of two bodies has to carry."""
    return min(load[a], load[b])


@jit
def take_loads(bodies, lists, room, kept, dmin, dhat):
    """Loads of a step's start: those `kept`, halved down to the mass where nothing is tight.

    Needs the distances of the pose.
    """
    acts, mass, load, tight = bodies.acts, bodies.mass, room.load, room.path
    asleep = lists.asleep
    which, n_pairs = lists.numbers[WHICH], lists.numbers[N_PAIRS]
    pairs, start, squared = lists.pairs, lists.start, room.squared
    limit = (dmin + TIGHT * dhat) * (dmin + TIGHT * dhat)
    for i in range(acts.shape[0]):
        tight[i] = 0.0
    for p in range(n_pairs):
        a, b = pairs[which, p, 0], pairs[which, p, 1]
        for c in range(start[which, p], start[which, p + 1]):
            if squared[c] < limit:
                tight[a] = tight[b] = 1.0
    for i in range(acts.shape[0]):
        if acts[i] == 0:
            load[i] = math.inf
        else:
            stays = tight[i] > 0.0 or asleep[i] != 0
            load[i] = max(mass[i], kept[i] if stays else 0.5 * kept[i])
        tight[i] = 0.0


@jit
def raise_loads(bodies, lists, room, dmin, dhat):
    """Raise the loads of pairs that are too close; whether there was any to raise."""
    acts, mass, load = bodies.acts, bodies.mass, room.load
    which, n_pairs = lists.numbers[WHICH], lists.numbers[N_PAIRS]
    pairs, start, squared = lists.pairs, lists.start, room.squared
    limit = (dmin + TOO_CLOSE * dhat) * (dmin + TOO_CLOSE * dhat)
    heaviest = 0.0
    for i in range(acts.shape[0]):
        if acts[i] != 0:
            heaviest = max(heaviest, mass[i])
    raised = False
    for p in range(n_pairs):
        a, b = pairs[which, p, 0], pairs[which, p, 1]
        close = False
        for c in range(start[which, p], start[which, p + 1]):
            if squared[c] < limit:
                close = True
                break
        least, other = min(load[a], load[b]), max(load[a], load[b])
        if not close or least >= LARGEST * heaviest:
            continue
        new = 2.0 * least
        if other < math.inf:
            new = max(new, math.sqrt(least * other))
        if load[a] < new:
            load[a] = new
        if load[b] < new:
            load[b] = new
        raised = True
    return raised
