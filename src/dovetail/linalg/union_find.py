"""Connected sets of numbered things, each named by the one that leads it."""

from dovetail.runtime.jit import jit_in_place


@jit_in_place
def root(leader, i):
    """The leader of i's connected set, halving the path on the way; `leader` (n,) integers."""
    while leader[i] != i:
        leader[i] = leader[leader[i]]
        i = leader[i]
    return i
