"""On which side: exact signs of the 2D and 3D orientation determinants.

A float evaluation decides where its forward error bound allows it, expansions decide the rest,
so the sign is always that of the exact determinant of the given doubles. Coordinates must be zero
or of magnitude 2^-300 .. 2^300 (4.9e-91 .. 2.0e90): then nothing over- or underflows.
"""

import numpy as np

from dovetail.linalg.exact.expansions import (
    expansion_scale,
    expansion_sign,
    expansion_sum,
    two_diff,
)
from dovetail.runtime.jit import jit

EPSILON = 2.0**-53
# |fl(det) - det| <= BOUND * permanent; Shewchuk (1997), section 4.3, bounds A
BOUND_2D = (3.0 + 16.0 * EPSILON) * EPSILON
BOUND_3D = (7.0 + 56.0 * EPSILON) * EPSILON


@jit
def orient2d(a, b, c):
    """Sign of |a - c, b - c|: 1 where a, b, c turn counter-clockwise, 0 on a line."""
    left = (a[0] - c[0]) * (b[1] - c[1])
    right = (a[1] - c[1]) * (b[0] - c[0])
    det = left - right
    size = abs(left) + abs(right)
    if size == 0.0:
        return 0
    bound = BOUND_2D * size
    if det > bound:
        return 1
    if det < -bound:
        return -1
    return _orient2d_exact(a, b, c)


@jit
def orient3d(a, b, c, d):
    """Sign of |a - d, b - d, c - d|: 1 where d is below the plane in which a, b, c turn
    counter-clockwise seen from above, 0 where the four are coplanar.
    """
    ax, ay, az = a[0] - d[0], a[1] - d[1], a[2] - d[2]
    bx, by, bz = b[0] - d[0], b[1] - d[1], b[2] - d[2]
    cx, cy, cz = c[0] - d[0], c[1] - d[1], c[2] - d[2]
    bxcy, cxby = bx * cy, cx * by
    cxay, axcy = cx * ay, ax * cy
    axby, bxay = ax * by, bx * ay
    det = az * (bxcy - cxby) + bz * (cxay - axcy) + cz * (axby - bxay)
    permanent = (
        (abs(bxcy) + abs(cxby)) * abs(az)
        + (abs(cxay) + abs(axcy)) * abs(bz)
        + (abs(axby) + abs(bxay)) * abs(cz)
    )
    if permanent == 0.0:  # every product has a zero factor: nothing was rounded to zero
        return 0
    bound = BOUND_3D * permanent
    if det > bound:
        return 1
    if det < -bound:
        return -1
    return _orient3d_exact(a, b, c, d)


@jit
def _times_difference(e, n_e, p, q, h, low, high):
    """Write e (p - q) into h and return its length."""
    difference, tail = two_diff(p, q)
    if tail == 0.0:
        return expansion_scale(e, n_e, difference, h)
    n_low = expansion_scale(e, n_e, tail, low)
    n_high = expansion_scale(e, n_e, difference, high)
    return expansion_sum(low, n_low, high, n_high, h)


@jit
def _minor(ax, ay, bx, by, cx, cy, h, work):
    """Write (ax - cx)(by - cy) - (ay - cy)(bx - cx) into h (16) and return its length."""
    one, left, right, low, high = work[0], work[1], work[2], work[3], work[4]
    one[0] = 1.0
    n = _times_difference(one, 1, ax, cx, h, low, high)
    n_left = _times_difference(h, n, by, cy, left, low, high)
    one[0] = -1.0
    n = _times_difference(one, 1, ay, cy, h, low, high)
    n_right = _times_difference(h, n, bx, cx, right, low, high)
    return expansion_sum(left, n_left, right, n_right, h)


@jit
def _orient2d_exact(a, b, c):
    work = np.empty((5, 16))
    h = np.empty(16)
    return expansion_sign(h, _minor(a[0], a[1], b[0], b[1], c[0], c[1], h, work))


@jit
def _orient3d_exact(a, b, c, d):
    work = np.empty((5, 16))
    minor = np.empty(16)
    low, high = np.empty(32), np.empty(32)
    term, partial, total = np.empty(64), np.empty(128), np.empty(192)
    n = _minor(b[0], b[1], c[0], c[1], d[0], d[1], minor, work)
    n_partial = _times_difference(minor, n, a[2], d[2], partial, low, high)
    n = _minor(c[0], c[1], a[0], a[1], d[0], d[1], minor, work)
    n_term = _times_difference(minor, n, b[2], d[2], term, low, high)
    n_total = expansion_sum(partial, n_partial, term, n_term, total)
    n = _minor(a[0], a[1], b[0], b[1], d[0], d[1], minor, work)
    n_term = _times_difference(minor, n, c[2], d[2], term, low, high)
    for i in range(n_total):
        partial[i] = total[i]
    n_total = expansion_sum(partial, n_total, term, n_term, total)
    return expansion_sign(total, n_total)
