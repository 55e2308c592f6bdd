"""Do bodies of many pairs meet on the path between two frames? Those that hardly move are skipped.

Two bodies that are d apart and whose points move by less than m relative to each other are still
d - m apart. So a pair that moves slowly must be apart by some multiple of what it moves, and
then left alone until that is used up.
"""

import numpy as np

from dovetail.collision.bvh.forest_arrays import NO_FOREST
from dovetail.linalg.vec3 import load3, load33, norm, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm
from dovetail.verifier.moving_boxes import most_moved, shared_turning
from dovetail.verifier.path_clearance import CLEAR, ROUNDING, path_between

LASTING = 16.0  # what a slow pair is to keep is so many times what it moved from frame to frame,
STILL = 1e-6  # or would have moved by this part of its size;
SLOW = 1e-4  # and slow is below this part of it


@jit
def paths_between(forest, pairs, x, R, v, w, defect, clearance, budget, margins, codes, found):
    """`path_between` for many pairs of bodies (n, 2), whose rows of codes and `found` are filled.

    `found` (n, 4) is (s, simplex_a, simplex_b, tests). `margins` (n,) [m] beyond the clearance are
    known to be there at s = 0, or 0; as long as the bodies have not moved by as much relative to
    each other they need no test. What is left at s = 1 is written there.
    """
    for k in range(pairs.shape[0]):
        a, b = pairs[k, 0], pairs[k, 1]
        D, displacement = sub(load3(x, b), load3(x, a)), sub(load3(v, b), load3(v, a))
        w_a, w_b = load3(w, a), load3(w, b)
        size = forest.radius[a] + forest.radius[b]
        c = shared_turning(w_a, w_b, forest.radius[a], forest.radius[b])
        moved = most_moved(D, displacement, w_a, w_b, c, forest.radius[a], forest.radius[b])
        moved += (ROUNDING + 4.0 * defect) * (norm(D) + norm(displacement) + size)
        codes[k] = CLEAR
        found[k, 0], found[k, 1], found[k, 2], found[k, 3] = 1.0, -1.0, -1.0, 0.0
        if margins[k] > moved:
            margins[k] -= moved
            continue
        wanted = LASTING * max(moved, STILL * size) if moved < SLOW * size else 0.0
        codes[k], found[k, 0], found[k, 1], found[k, 2], found[k, 3], margins[k] = path_between(
            forest, a, b, D, displacement, load33(R, a), w_a, load33(R, b), w_b, defect, clearance,
            budget, wanted,
        )  # fmt: skip


_rows, _turns = read_only(np.empty((0, 3))), read_only(np.empty((0, 3, 3)))
warm(
    paths_between,
    NO_FOREST, read_only(np.empty((0, 2)), np.int32), _rows, _turns, _rows, _rows, 0.0, 0.0, 0,
    np.empty(0), np.empty(0, np.int64), np.empty((0, 4)),
)  # fmt: skip
