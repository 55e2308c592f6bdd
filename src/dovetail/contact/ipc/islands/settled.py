"""Islands that have come to their end are left alone while others still go on.

Bodies that contacts connect at an iterate are an island; what Newton's direction does to one island
does not depend on the others. So an island is settled after the search step in whose direction none
of its vertices moves faster than the tolerance: it stays where it is, its pairs are passed over,
and it costs next to nothing. When a body that goes on comes within reach of one that is settled,
the whole island goes on, too.
"""

from dovetail.contact.ipc.poses import reach_of_twist
from dovetail.contact.ipc.records import GOES_ON, N_PAIRS, SETTLED, SETTLES, WHICH
from dovetail.linalg.union_find import root
from dovetail.runtime.jit import jit, jit_in_place

NOBODYS = -1  # the island of bodies that rest in any case: static or asleep


@jit
def begin_islands(bodies, lists, room):
    """All bodies go on that can move and are awake."""
    slot, asleep, still, island = bodies.slot, lists.asleep, room.still, room.island
    for i in range(slot.shape[0]):
        rests = slot[i] < 0 or asleep[i] != 0
        still[i] = SETTLED if rests else GOES_ON
        island[i] = NOBODYS if rests else i


@jit
def pass_over_nobody(room):
    """Look at all pairs that are listed."""
    still = room.still
    for i in range(still.shape[0]):
        still[i] = GOES_ON


@jit
def fastest_of_islands(bodies, lists, room, n_linked, slowest):
    """Find the islands at the iterate; those slower than `slowest` [m] a step settle with it.

    Returns (the longest way [m] of any vertex along room.twist, whether some settle and some not).
    """
    owner, slot, middle, half = bodies.owner, bodies.slot, bodies.middle, bodies.half
    still, island, way, leader = room.still, room.island, room.way, lists.counts
    linked, R, twist = room.linked, room.R, room.twist
    n = slot.shape[0]
    for i in range(n):
        leader[i], way[i] = i, 0.0
    for p in range(n_linked):
        a, b = owner[linked[p, 0]], owner[linked[p, 1]]
        if still[a] != SETTLED and still[b] != SETTLED:
            i, j = root(leader, a), root(leader, b)
            leader[max(i, j)] = min(i, j)
    longest = 0.0
    for i in range(n):
        if still[i] == SETTLED:
            continue
        lead = root(leader, i)
        island[i] = lead
        reach = reach_of_twist(R, middle, half, twist, i)
        way[lead] = max(way[lead], reach)
        longest = max(longest, reach)
    some, others = False, False
    for i in range(n):
        if still[i] == SETTLED:
            continue
        if way[island[i]] <= slowest:
            still[i] = SETTLES
            some = True
        else:
            still[i] = GOES_ON
            others = True
    return longest, some and others


@jit_in_place
def shorten_others(still, twist, t):
    """The twists of all that do not settle, times t."""
    for i in range(still.shape[0]):
        if still[i] == GOES_ON:
            for k in range(6):
                twist[i, k] *= t


@jit
def settle(room, whole):
    """After a search step: islands that took the `whole` of it are settled, the others go on."""
    still = room.still
    for i in range(still.shape[0]):
        if still[i] == SETTLES:
            still[i] = SETTLED if whole else GOES_ON


@jit
def any_settled(room):
    """Whether an island is settled."""
    still, island = room.still, room.island
    for i in range(still.shape[0]):
        if still[i] == SETTLED and island[i] != NOBODYS:
            return True
    return False


@jit
def go_on_where_touched(lists, room, reach):
    """Islands within `reach` [m] of a body that goes on do so, too; whether there was one.

    Needs the distances of the pose.
    """
    woken = False
    which, n_pairs = lists.numbers[WHICH], lists.numbers[N_PAIRS]
    pairs, start, squared = lists.pairs, lists.start, room.squared
    still, island = room.still, room.island
    for p in range(n_pairs):
        a, b = pairs[which, p, 0], pairs[which, p, 1]
        if still[a] == still[b]:
            continue
        other = island[a if still[a] == SETTLED else b]
        if other == NOBODYS:
            continue
        for c in range(start[which, p], start[which, p + 1]):
            if squared[c] < reach * reach:
                _wake(still, island, other)
                woken = True
                break
    return woken


@jit_in_place
def _wake(still, island, which):
    for i in range(still.shape[0]):
        if island[i] == which:
            still[i] = GOES_ON
