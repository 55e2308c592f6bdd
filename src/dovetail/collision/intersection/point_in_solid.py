"""Is a point inside a closed surface? Exact, from orientation signs alone.

A ray from the point along +x passes out of the solid once more than into it where the point is
inside. The point is moved by infinitesimal amounts, eps along y and eps^2 along z, so the ray never
hits an edge or a corner (simulation of simplicity, Edelsbrunner and Muecke 1990): ties in z count
as below, and a point on the projection of an edge lies to its right.
"""

import numpy as np

from dovetail.linalg.exact.orientation import orient2d, orient3d
from dovetail.linalg.vec3 import ZERO, load3
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


@jit
def _side(q, r, p):
    """1 or -1 where the edge q r, seen along x, passes upward or downward on the +y side of p."""
    if q[2] <= p[2]:
        if r[2] > p[2] and orient2d((q[1], q[2]), (r[1], r[2]), (p[1], p[2])) > 0:
            return 1
    elif r[2] <= p[2] and orient2d((q[1], q[2]), (r[1], r[2]), (p[1], p[2])) < 0:
        return -1
    return 0


@jit
def times_around(vertices, faces, p):
    """How often the closed surface goes around p: 0 outside, 1 inside a simple solid.

    `vertices` (n, 3) in the domain of the exact predicates. Where p lies on the surface the answer
    is one of those beside it.
    """
    total = 0
    for i in range(faces.shape[0]):
        a, b, c = (
            load3(vertices, faces[i, 0]), load3(vertices, faces[i, 1]), load3(vertices, faces[i, 2])
        )  # fmt: skip
        if max(a[0], max(b[0], c[0])) < p[0]:
            continue
        sense = _side(a, b, p) + _side(b, c, p) + _side(c, a, p)
        if sense != 0 and orient3d(a, b, c, p) * sense > 0:
            total += sense
    return total


warm(times_around, read_only(np.empty((0, 3))), read_only(np.empty((0, 3)), np.int32), ZERO)
