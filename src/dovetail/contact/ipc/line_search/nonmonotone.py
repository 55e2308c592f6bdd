"""How much a search step may raise the energy: where bodies fly at each other, for a while.

Newton's direction does not know of contacts to come. A search step that ends just before one, deep
in its barrier, raises the energy; halved until it does not, it would get on by a hairbreadth, and
hundreds of contacts would be found one after another. From a pose within the barrier the next
direction knows of the contact and leads out of it. So a step that a contact has cut short may
end at an energy as high as that of one of the last iterates (Grippo, Lampariello and Lucidi 1986),
so never above that of the start, as long as the energy is the same function. After SOON iterations
without a new least energy, or MOST rises in all, that is over: then the energy falls with each
step. Friction, whose contacts turn about, does not take part.
"""

from dovetail.runtime.jit import jit_in_place

LAST = 3  # iterates before the present one that are looked back at
SOON, MOST = 16, 100
BEHIND, SINCE, RISES = LAST, LAST + 1, LAST + 2  # above the least energy by, since when, how often
ROOM = LAST + 3  # entries of `past`: energies of the last iterates above the present one, and these


@jit_in_place
def begin_rises(past, allowed):
    """A new minimisation; `allowed` tells whether the energy may rise at all."""
    forget_rises(past)
    past[SINCE] = 0.0
    past[RISES] = 0.0 if allowed else MOST


@jit_in_place
def forget_rises(past):
    """The energy is another function now: what it was before tells nothing."""
    for k in range(LAST):
        past[k] = 0.0
    past[BEHIND] = 0.0


@jit_in_place
def allowed_rise(past):
    """By how much the energy may rise now."""
    most = 0.0
    if past[SINCE] < SOON and past[RISES] < MOST:
        for k in range(LAST):
            most = max(most, past[k])
    return most


@jit_in_place
def note_rise(past, iteration, rise):
    """After an iteration, by how much the energy rose. Differences: islands come and go."""
    for k in range(LAST):
        past[k] -= rise
    past[iteration % LAST] = -rise
    past[RISES] += 1.0 if rise > 0.0 else 0.0
    past[BEHIND] += rise
    if past[SINCE] < SOON:
        past[SINCE] = 0.0 if past[BEHIND] < 0.0 else past[SINCE] + 1.0
    past[BEHIND] = max(0.0, past[BEHIND])
