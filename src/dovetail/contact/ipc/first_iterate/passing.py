"""Pairs that pass each other (`barrier.clearance`), but not when all other contacts act.

Their dhat follows their clearance on the way that they would take without contact. What rests in a
heap does not take it: it would fall past its neighbours, and a dhat of next to nothing would then
have to bear what presses them together. So the way with all other contacts is looked at, too: a
pair that meets on that one has the common dhat. Both have no energy where the step begins.
"""

from dovetail.contact.ipc.barrier.stiffness import meeting_stiffness
from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.line_search.step_size import pair_step_size
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def passes(barriers, p, dhat):
    """Whether the dhat of pair p, which does not act, follows its clearance."""
    return barriers.dhat[p] < min(abs(barriers.start_gap[p]), dhat)


@jit_in_place
def find_meeting(bodies, lists, workspace, barrier):
    """Pairs that meet along workspace.twist have the common dhat again; whether there was one.

    Vertex offsets must be those of the iterate.
    """
    barriers, found = lists.barriers, False
    candidates = active_candidates(lists)
    for p in range(candidates.n_pairs):
        if not passes(barriers, p, barrier.dhat):
            continue
        a, b = candidates.pairs[p, 0], candidates.pairs[p, 1]
        if pair_step_size(bodies, lists, workspace, workspace.iterate, p, barrier.dmin) < 1.0:
            barriers.dhat[p] = min(barriers.start_gap[p], barrier.dhat)
            barriers.stiffness[p] = meeting_stiffness(lists.scales, a, b, barriers.dhat[p])
            found = True
    return found
