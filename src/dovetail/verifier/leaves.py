"""Do two simplices stay apart for a piece of time? Decided by projections on one direction.

The corners' projections are followed to third order (`moving_points`). For every corner p of A and
q of B, n.(q - p) is above the least value of its quadratic Taylor polynomial less the remainders.
"""

import math

from dovetail.linalg.vec3 import ZERO, dot, scale, sub
from dovetail.runtime.jit import jit
from dovetail.verifier.moving_points import (
    along_direction,
    least_of_quadratic,
    taylor_of_origin,
    taylor_of_point,
)
from dovetail.verifier.separating_direction import (
    N_AXES,
    across_edge,
    axis_of,
    is_of_a,
    is_of_b,
    shortest_between,
    unit,
)


@jit
def _gap(n, A, B):
    """From the last corner of A along n to the first of B."""
    last = max(dot(n, A[0]), max(dot(n, A[1]), dot(n, A[2])))
    return min(dot(n, B[0]), min(dot(n, B[1]), dot(n, B[2]))) - last


@jit
def least_gap(n, A, B, D, v, w_a, w_b, c, half):
    """Lower bound [m] of the gap along the unit vector n for `half` a piece to both sides."""
    seen_a, seen_b = along_direction(n, w_a, c), along_direction(n, w_b, c)
    a0, a1 = taylor_of_point(seen_a, A[0], half), taylor_of_point(seen_a, A[1], half)
    a2 = taylor_of_point(seen_a, A[2], half)
    o = taylor_of_origin(seen_b, D, v, half)
    least = math.inf
    for k in range(3):
        b = taylor_of_point(seen_b, sub(B[k], D), half)
        f0, f1, f2, third = o[0] + b[0], o[1] + b[1], o[2] + b[2], o[3] + b[3]
        for a in (a0, a1, a2):
            off = half * half * half / 6.0 * (third + a[3])
            low = least_of_quadratic(f0 - a[0], f1 - a[1], f2 - a[2], half) - off
            least = min(least, low)
    return least


@jit
def leaves_gap(A, B, D, v, w_a, w_b, c, half, needed):
    """Lower bound [m] of the gap between A and B for `half` a piece to both sides.

    Along the first direction in which it is more than `needed`, else the largest of all directions
    tried; it is negative where the projections overlap. Directions rotate at c, those of one
    triangle with its body.
    """
    shortest = shortest_between(A, B)
    towards_b = sub(B[0], A[0])
    best = -math.inf
    for k in range(7 + N_AXES):
        spin = c
        if k == 0:
            n = unit(shortest)
        elif k < 7:  # rounding tilts a short vector along an edge: take that part out
            corners = A if k < 4 else B
            n = unit(across_edge(shortest, sub(corners[k % 3], corners[(k + 1) % 3])))
        else:
            n = axis_of(A, B, k - 7)
            if is_of_a(k - 7):
                spin = w_a
            elif is_of_b(k - 7):
                spin = w_b
            if dot(n, towards_b) < 0.0:
                n = scale(-1.0, n)
        if n == ZERO or not _gap(n, A, B) > best:
            continue
        best = max(best, least_gap(n, A, B, D, v, w_a, w_b, spin, half))
        if best > needed:
            return best
    return best


@jit
def leaves_stay_apart(A, B, D, v, w_a, w_b, c, half, slack):
    """By how much [m] beyond `slack` A and B stay apart for `half` a piece; 0 if not shown."""
    return max(0.0, leaves_gap(A, B, D, v, w_a, w_b, c, half, slack) - slack)
