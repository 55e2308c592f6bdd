"""How far a vertex can go over a moving plane without coming closer than a minimum separation.

The vertex is at r(t) about the centre of body a (`ccd.arcs`), the plane's origin at D + t ds and
its normal at exp(t [w_b]) n. With p = r - D - t ds the height is h = n.p, and
    h'' >= -M,  M = |w_b| |w_b x n| (|p| + c T) + 2 |w_b x n| c + |w_a| |w_a x r|,
    c = |ds| + |w_a x r|, T the time left,
so h(t + tau) >= h + tau h' - M tau^2 / 2: its root is a safe step. It stops near a kept part of
the first gap, as `ccd.additive_ccd` does, whose error bound holds here too.
"""

import math

from dovetail.collision.ccd.additive_ccd import FREE, LIMIT, NEAR, ROUNDING, SHORTENED, TOUCHING
from dovetail.collision.ccd.arcs import arc, phase, place, velocity
from dovetail.linalg.vec3 import ZERO, add_scaled, dot, norm, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm


@jit
def advance_point_plane(
    r, n, D, ds, w_a, w_b, dmin, t_max, min_gap_fraction, iterations, most_kept=math.inf
):  # fmt: skip
    """(time, outcome, evaluations) as `additive_ccd`; r the offset of the vertex, n the normal."""
    a, b = arc(r, w_a), arc(n, w_b)
    spin_a, spin_b = norm(w_a), norm(w_b)
    tilt, speed = b[3], norm(ds) + a[3]
    reach = norm(D) + norm(ds) + (1.0 + spin_a) * norm(r)
    error = ROUNDING * (1.0 + spin_b) * reach
    t, keep = 0.0, 0.0
    for k in range(iterations):
        now_a, now_b = phase(t, spin_a), phase(t, spin_b)
        p = sub(place(a, now_a, ZERO), add_scaled(D, t, ds))
        normal = place(b, now_b, ZERO)
        gap = dot(normal, p) - dmin
        if k == 0:
            if not gap > 8.0 * error:
                return 0.0, TOUCHING, 1
            reached = (speed + tilt * (norm(p) + speed * t_max)) * t_max
            if gap * (1.0 - 1.25 * min_gap_fraction) > reached + 8.0 * error:
                return t_max, FREE, 1
            keep = max(min(min_gap_fraction * gap, most_kept), 4.0 * error)
        elif not gap > 1.25 * keep:
            return t, NEAR, k + 1
        closing = -dot(velocity(b, now_b), p) - dot(normal, sub(velocity(a, now_a), ds))
        left = t_max - t
        bend = spin_b * tilt * (norm(p) + speed * left) + 2.0 * tilt * speed + spin_a * a[3]
        root = closing + math.sqrt(closing * closing + 2.0 * bend * (gap - keep))
        if not 2.0 * (gap - keep) * SHORTENED < left * root:
            return t_max, FREE, k + 1
        t += SHORTENED * 2.0 * (gap - keep) / root
    return t, LIMIT, iterations


warm(advance_point_plane, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, 0.0, 1.0, 0.1, 100)
