"""Connected sets of numbered things, each named by the one that leads it."""

import numpy as np

from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm


@jit_in_place
def root(leader, i):
    """The leader of i's connected set, halving the path on the way; `leader` (n,) integers."""
    while leader[i] != i:
        leader[i] = leader[leader[i]]
        i = leader[i]
    return i


warm(root, np.zeros(1, np.int64), 0)
