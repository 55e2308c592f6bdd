"""A plane between two bodies that both stay on their sides of, to first order.

No proof of anything: it saves `line_search.impacts_ahead` most of its search between convex bodies.
"""

import math

from dovetail.contact.ipc.candidates.records import FEATURE_I, FEATURE_J, KIND, SWAP
from dovetail.contact.ipc.feature_pair import place_candidate, place_vertex, surface_points
from dovetail.contact.ipc.records import VERTICES
from dovetail.linalg.vec3 import cross, dot, load3, norm, scale
from dovetail.runtime.jit import jit_in_place

MAX_CORNERS = 400  # of two bodies that a plane is tried for


@jit_in_place
def stay_apart(first, features, motion, candidates, pair, nearest):
    """Whether the corners of two bodies stay on both sides of a plane, to first order.

    The plane is at right angles to the line between the closest points of candidate `nearest`, or
    between the centres where that is -1. What CCD leaves of a gap has to be left.
    """
    a, b, D, rows = pair.a, pair.b, pair.D, candidates.rows
    corners = first[a + 1, VERTICES] - first[a, VERTICES] + first[b + 1, VERTICES]
    if corners - first[b, VERTICES] > MAX_CORNERS:
        return False
    n = D
    if nearest >= 0:
        kind, swap = rows[nearest, KIND], rows[nearest, SWAP]
        i, j = rows[nearest, FEATURE_I], rows[nearest, FEATURE_J]
        place_candidate(kind, i, j, features)
        offset = D if swap == 0 else (-D[0], -D[1], -D[2])
        _, _, apart = surface_points(kind, i, j, offset, features)
        n = apart if swap != 0 else (-apart[0], -apart[1], -apart[2])  # from a to b
    size = norm(n)
    if not size > 0.0:
        return False
    n = scale(1.0 / size, n)
    now_a, then_a = _extreme(first, features, motion, a, n)
    now_b, then_b = _extreme(first, features, motion, b, (-n[0], -n[1], -n[2]))
    gap, ds = dot(n, D) - now_a - now_b, motion.twist
    moved = 0.0
    for k in range(3):
        moved += n[k] * (ds[b, k] - ds[a, k])
    left = dot(n, D) + moved - then_a - then_b
    return gap > 0.0 and left > motion.dmin + motion.min_gap_fraction * gap


@jit_in_place
def _extreme(first, features, motion, i, n):
    """How far the corners of body i reach along n [m], now and at the end of its rotation."""
    twist, now, then = motion.twist, -math.inf, -math.inf
    across = cross(n, (twist[i, 3], twist[i, 4], twist[i, 5]))  # n . (w x r) = (n x w) . r
    for v in range(first[i, VERTICES], first[i + 1, VERTICES]):
        place_vertex(v, features)
        r = load3(features.r_world, v)
        height = dot(n, r)
        now, then = max(now, height), max(then, height + dot(across, r))
    return now, then
