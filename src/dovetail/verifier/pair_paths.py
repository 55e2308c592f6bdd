"""Do bodies of many pairs meet on the path between two frames? Those that hardly move are skipped.

Two bodies that are d apart and whose points move by less than m relative to each other are still
d - m apart. So a pair that moves slowly is tested for a margin of some multiple of what it moves,
and then skipped until that is used up.
"""

import numpy as np

from dovetail.linalg.vec3 import load3, load33, norm, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm
from dovetail.verifier.moving_boxes import displacement_bound, frame_rotation
from dovetail.verifier.path_clearance import ROUNDING, path_between
from dovetail.verifier.records import (
    CLEAR,
    NO_SURFACES,
    PATH_COLUMNS,
    PATH_TIME,
    SIMPLEX_A,
    SIMPLEX_B,
    TESTS,
    Limits,
    RelativeMotion,
    StopMotions,
)

LASTING = 16.0  # frames that the margin of a slow pair should serve at its displacement,
STILL = 1e-6  # or at this part of its size;
SLOW = 1e-4  # slow is below this part of it


@jit
def paths_between(surfaces, pairs, motions, limits, margins, codes, found):
    """`path_between` for many pairs of bodies (n, 2), whose rows of codes and `found` are filled.

    `found` (n, PATH_COLUMNS). `margins` (n,) [m] beyond the clearance are known at s = 0, or 0; as
    long as the bodies have not moved by as much relative to each other they need no test. What is
    left at s = 1 is written there.
    """
    x, R, v, w = motions.x, motions.R, motions.v, motions.w
    forest = surfaces.forest
    for k in range(pairs.shape[0]):
        a, b = pairs[k, 0], pairs[k, 1]
        motion = RelativeMotion(
            sub(load3(x, b), load3(x, a)), sub(load3(v, b), load3(v, a)), load33(R, a),
            load3(w, a), load33(R, b), load3(w, b),
        )  # fmt: skip
        D, dx, w_a, w_b = motion.D, motion.v, motion.w_a, motion.w_b
        size = forest.radius[a] + forest.radius[b]
        size += surfaces.outer_radius[a] + surfaces.outer_radius[b]
        c = frame_rotation(w_a, w_b, forest.radius[a], forest.radius[b])
        moved = displacement_bound(D, dx, w_a, w_b, c, forest.radius[a], forest.radius[b])
        moved += (ROUNDING + 4.0 * limits.defect) * (norm(D) + norm(dx) + size)
        codes[k] = CLEAR
        found[k, PATH_TIME], found[k, SIMPLEX_A], found[k, SIMPLEX_B] = 1.0, -1.0, -1.0
        found[k, TESTS] = 0.0
        if margins[k] > moved:
            margins[k] -= moved
            continue
        wanted = LASTING * max(moved, STILL * size) if moved < SLOW * size else 0.0
        path = path_between(
            surfaces, a, b, motion, Limits(limits.defect, limits.clearance, limits.budget, wanted)
        )
        codes[k], found[k, PATH_TIME], margins[k] = path.code, path.s, path.margin
        found[k, SIMPLEX_A], found[k, SIMPLEX_B] = path.simplex_a, path.simplex_b
        found[k, TESTS] = path.tests


_rows = read_only(np.empty((0, 3)))
warm(
    paths_between,
    NO_SURFACES, read_only(np.empty((0, 2)), np.int32),
    StopMotions(_rows, read_only(np.empty((0, 3, 3))), _rows, _rows), Limits(0.0, 0.0, 0, 0.0),
    np.empty(0), np.empty(0, np.int64), np.empty((0, PATH_COLUMNS)),
)  # fmt: skip
