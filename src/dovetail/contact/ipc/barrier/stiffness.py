"""Barrier stiffness of a pair of bodies: the common stiffness times a mass of the pair.

The barrier of a pair is W = w min(scale_a, scale_b) m B, w [m^2] common to all. The stiffness scale
of a body is its mass [kg], so a gram that meets a tonne is stopped as softly as a gram that meets
a gram; one stiffness for all would be a wall that no search step can push against. Where a gap
shrinks to almost nothing (a gram *between* tonnes) the scale of the lighter body rises, towards the
heavier one's by halves of the ratio's logarithm, and is kept from step to step while its contacts
are tight.
"""

import math

from dovetail.contact.ipc.barrier.function import with_stiffness
from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.runtime.jit import jit_in_place

TOO_CLOSE = 1e-3  # of dhat: a gap that shrinks below this, or ends there, raises the scale
TIGHT = 0.5  # of dhat: bodies with a gap below this keep their scale
LARGEST = 2.0**40  # of the heaviest body: the largest scale


@jit_in_place
def pair_barrier(barrier, scale, a, b):
    """The barrier between bodies a and b; its stiffness is in kg m^2."""
    return with_stiffness(barrier, barrier.stiffness * min(scale[a], scale[b]))


@jit_in_place
def begin_stiffness_scales(bodies, lists, workspace, previous, barrier):
    """Scales of a step's start: the `previous` ones, halved down to the mass where none is tight.

    Needs the distances of the pose.
    """
    dynamic, mass, scale = bodies.dynamic, bodies.mass, workspace.stiffness_scale
    asleep, tight, squared = lists.asleep, workspace.path_length, workspace.squared
    candidates = active_candidates(lists)
    pairs, start = candidates.pairs, candidates.start
    limit = (barrier.dmin + TIGHT * barrier.dhat) * (barrier.dmin + TIGHT * barrier.dhat)
    for i in range(dynamic.shape[0]):
        tight[i] = 0.0
    for p in range(candidates.n_pairs):
        for c in range(start[p], start[p + 1]):
            if squared[c] < limit:
                tight[pairs[p, 0]] = tight[pairs[p, 1]] = 1.0
    for i in range(dynamic.shape[0]):
        if dynamic[i] == 0:
            scale[i] = math.inf
        else:
            stays = tight[i] > 0.0 or asleep[i] != 0
            scale[i] = max(mass[i], previous[i] if stays else 0.5 * previous[i])
        tight[i] = 0.0


@jit_in_place
def raise_stiffness_scales(bodies, lists, workspace, barrier):
    """Raise the scales of pairs that are too close; whether there was any to raise."""
    dynamic, mass, scale = bodies.dynamic, bodies.mass, workspace.stiffness_scale
    candidates, squared = active_candidates(lists), workspace.squared
    pairs, start = candidates.pairs, candidates.start
    limit = (barrier.dmin + TOO_CLOSE * barrier.dhat) * (barrier.dmin + TOO_CLOSE * barrier.dhat)
    heaviest = 0.0
    for i in range(dynamic.shape[0]):
        if dynamic[i] != 0:
            heaviest = max(heaviest, mass[i])
    raised = False
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        close = False
        for c in range(start[p], start[p + 1]):
            if squared[c] < limit:
                close = True
                break
        least, other = min(scale[a], scale[b]), max(scale[a], scale[b])
        if not close or least >= LARGEST * heaviest:
            continue
        new = 2.0 * least
        if other < math.inf:
            new = max(new, math.sqrt(least * other))
        if scale[a] < new:
            scale[a] = new
        if scale[b] < new:
            scale[b] = new
        raised = True
    return raised
