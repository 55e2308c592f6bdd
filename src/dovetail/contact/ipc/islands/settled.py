"""Islands that have converged are left alone while others still iterate.

Bodies that contacts connect at an iterate are an island; what Newton's direction does to one island
does not depend on the others. So an island is settled after the search step in whose direction none
of its vertices moves faster than the tolerance: its poses are fixed, its pairs are passed over, and
it costs next to nothing. When an active body comes within reach of a settled one, the whole island
becomes active again.
"""

from dovetail.contact.ipc.candidates.records import active_candidates
from dovetail.contact.ipc.islands.state import ACTIVE, SETTLED, SETTLING
from dovetail.contact.ipc.poses import vertex_displacement
from dovetail.linalg.union_find import root
from dovetail.runtime.jit import jit_in_place

NO_ISLAND = -1  # the island of bodies that rest in any case: static or asleep


@jit_in_place
def begin_islands(bodies, lists, workspace):
    """All bodies are active that can move and are awake."""
    slot, asleep = bodies.slot, lists.asleep
    state, island = workspace.islands.state, workspace.islands.island
    for i in range(slot.shape[0]):
        rests = slot[i] < 0 or asleep[i] != 0
        state[i] = SETTLED if rests else ACTIVE
        island[i] = NO_ISLAND if rests else i


@jit_in_place
def activate_all(workspace):
    """Look at all pairs that are listed."""
    state = workspace.islands.state
    for i in range(state.shape[0]):
        state[i] = ACTIVE


@jit_in_place
def find_islands(bodies, lists, workspace, n_linked, tolerance):
    """Find the islands at the iterate; those slower than `tolerance` [m] a step are settling.

    Returns (the largest displacement [m] of a vertex along the twists, whether some islands settle
    and some do not).
    """
    owner, geometry = bodies.owner, bodies.geometry
    box_centre, box_half = geometry.box_centre, geometry.box_half
    islands, linked = workspace.islands, workspace.system.linked
    state, island, displacement = islands.state, islands.island, islands.displacement
    R, twist, parent = workspace.iterate.R, workspace.twist, islands.parent
    n = state.shape[0]
    for i in range(n):
        parent[i], displacement[i] = i, 0.0
    for p in range(n_linked):
        a, b = owner[linked[p, 0]], owner[linked[p, 1]]
        if state[a] != SETTLED and state[b] != SETTLED:
            i, j = root(parent, a), root(parent, b)
            parent[max(i, j)] = min(i, j)
    largest = 0.0
    for i in range(n):
        if state[i] == SETTLED:
            continue
        first = root(parent, i)
        island[i] = first
        moved = vertex_displacement(R, box_centre, box_half, twist, i)
        displacement[first] = max(displacement[first], moved)
        largest = max(largest, moved)
    some, others = False, False
    for i in range(n):
        if state[i] == SETTLED:
            continue
        if displacement[island[i]] <= tolerance:
            state[i] = SETTLING
            some = True
        else:
            state[i] = ACTIVE
            others = True
    return largest, some and others


@jit_in_place
def shorten_active(state, twist, t):
    """The twists of all bodies that do not settle, times t."""
    for i in range(state.shape[0]):
        if state[i] == ACTIVE:
            for k in range(6):
                twist[i, k] *= t


@jit_in_place
def end_search_step(workspace, settles):
    """After a search step: the settling islands are settled, or become active again."""
    state = workspace.islands.state
    for i in range(state.shape[0]):
        if state[i] == SETTLING:
            state[i] = SETTLED if settles else ACTIVE


@jit_in_place
def any_settled(workspace):
    """Whether an island is settled."""
    state, island = workspace.islands.state, workspace.islands.island
    for i in range(state.shape[0]):
        if state[i] == SETTLED and island[i] != NO_ISLAND:
            return True
    return False


@jit_in_place
def activate_touched(lists, workspace, reach):
    """Islands within `reach` [m] of an active body become active; whether there was one.

    Needs the distances of the pose.
    """
    activated = False
    candidates, squared = active_candidates(lists), workspace.squared
    pairs, start = candidates.pairs, candidates.start
    state, island = workspace.islands.state, workspace.islands.island
    for p in range(candidates.n_pairs):
        a, b = pairs[p, 0], pairs[p, 1]
        if state[a] == state[b]:
            continue
        other = island[a if state[a] == SETTLED else b]
        if other == NO_ISLAND:
            continue
        for c in range(start[p], start[p + 1]):
            if squared[c] < reach * reach:
                _activate(state, island, other)
                activated = True
                break
    return activated


@jit_in_place
def _activate(state, island, number):
    for i in range(state.shape[0]):
        if island[i] == number:
            state[i] = ACTIVE
