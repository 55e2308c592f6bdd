"""What is known of the barriers of pairs from one step to the next (`barrier.stiffness`)."""

import math

from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.runtime.jit import jit_in_place

KEPT = 1.001  # of dhat: pairs with a gap below this are kept


@jit_in_place
def remember_pairs(bodies, lists, workspace, barrier):
    """Keep stiffness and dhat of all pairs within dhat.

    Needs the distances of the pose. Pairs of which nobody is awake stay as they were. Returns
    whether there was memory enough.
    """
    memory, barriers, counters = lists.memory, lists.barriers, lists.counters[0]
    slot, asleep, squared = bodies.slot, lists.asleep, workspace.squared
    candidates = active_candidates(lists)
    pairs, start = candidates.pairs, candidates.start
    next_pairs, next_values = memory.next_pairs, memory.next_values
    capacity = next_pairs.shape[0]
    limit = (barrier.dmin + KEPT * barrier.dhat) * (barrier.dmin + KEPT * barrier.dhat)
    kept, old = 0, 0
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        awake = (slot[a] >= 0 and asleep[a] == 0) or (slot[b] >= 0 and asleep[b] == 0)
        if not awake:
            continue
        least = math.inf
        for c in range(start[p], start[p + 1]):
            least = min(least, squared[c])
        if not least < limit:
            continue
        kept, old = _keep_asleep(memory, slot, asleep, kept, old, a, b)
        if kept < capacity:
            next_pairs[kept, 0], next_pairs[kept, 1] = a, b
            next_values[kept, 0], next_values[kept, 1] = barriers.dhat[p], barriers.stiffness[p]
        kept += 1
    kept, _ = _keep_asleep(memory, slot, asleep, kept, old, slot.shape[0], 0)
    if kept > capacity:
        counters.pairs_needed = kept
        return False
    for k in range(kept):
        for side in range(2):
            memory.pairs[k, side] = next_pairs[k, side]
            memory.values[k, side] = next_values[k, side]
    memory.n_pairs[0] = kept
    return True


@jit_in_place
def _keep_asleep(memory, slot, asleep, kept, old, a, b):
    """Carry over what lies before the pair (a, b) and has nobody awake; (kept, next old one)."""
    pairs, values, capacity = memory.pairs, memory.values, memory.next_pairs.shape[0]
    while old < memory.n_pairs[0]:
        i, j = pairs[old, 0], pairs[old, 1]
        if i > a or (i == a and j >= b):
            break
        awake = (slot[i] >= 0 and asleep[i] == 0) or (slot[j] >= 0 and asleep[j] == 0)
        if not awake:
            if kept < capacity:
                for side in range(2):
                    memory.next_pairs[kept, side] = pairs[old, side]
                    memory.next_values[kept, side] = values[old, side]
            kept += 1
        old += 1
    return kept, old
