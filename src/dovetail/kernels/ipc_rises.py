"""How much a search step may raise the energy: where bodies fly at each other, for a while.

Newton's direction does not know of contacts to come. A search step that ends just before one, deep
in its barrier, raises the energy; halved until it does not, it would get on by a hairbreadth, and
hundreds of contacts would be found one after another. From a pose within the barrier the next
direction knows of the contact and leads out of it. So a step that a contact has cut short may
end at an energy as high as that of one of the last iterates (Grippo, Lampariello and Lucidi 1986);
never above that of the start. When no new least energy was found for PATIENCE iterations, that is
over: then the energy falls with each step. Friction, whose contacts turn about, does not take part.
"""

from dovetail.kernels.jit import jit_in_place

LAST = 3  # iterates that are looked back at
PATIENCE = 16  # iterations without a new least energy
BEHIND, SINCE = LAST, LAST + 1  # entries of `past`: above the least energy by, and since how long


@jit_in_place
def begin_rises(past, allowed):
    """Forget all iterates; `allowed` tells whether the energy may rise at all."""
    for k in range(LAST + 1):
        past[k] = 0.0
    past[SINCE] = 0.0 if allowed else PATIENCE


@jit_in_place
def allowed_rise(past):
    """By how much the energy may rise now."""
    most = 0.0
    if past[SINCE] < PATIENCE:
        for k in range(LAST):
            most = max(most, past[k])
    return most


@jit_in_place
def note_rise(past, iteration, rise):
    """After an iteration, by how much the energy rose. Differences: what is in it may change."""
    for k in range(LAST):
        past[k] -= rise
    past[iteration % LAST] = -rise
    past[BEHIND] = max(0.0, past[BEHIND] + rise)
    if past[SINCE] < PATIENCE:
        past[SINCE] = past[SINCE] + 1.0 if past[BEHIND] > 0.0 else 0.0
