"""How far two primitives can go on their arcs without coming closer than a minimum separation.

Additive conservative advancement (Li et al., Codimensional IPC (2021), algorithm 1) on rotating
paths without linearisation: body a is at rest in translation and rotates by exp(t [w_a]) about
its centre, body b moves by D + t ds and rotates by exp(t [w_b]). From a time t with distance d, no
point of the primitives meets within dmin before t + tau for both of
    tau = (d - g) / (|ds| + max |w_a x r_a| + max |w_b x r_b|),
    the least root over all pairs of corners i of a and j of b of
        n.(q_j - p_i) - g + tau n.(q_j' - p_i') = tau^2 / 2 (|w_a x n| |w_a x r_i|
                                                            + |w_b x n| |w_b x r_j|),
where n is the direction of the shortest distance (any unit vector would do: the convex primitives
stay on their sides of two planes). The larger one is taken. Rounding of the positions turns n by
eps / d, which the corners see times the size L of the primitives: where d^2 < NOISY eps L that is
not small against d, and the normal of the face, or of both edges, is tried as well. The first
needs no direction, the second allows for fast sliding: pure translation onto a face is one step.
A pair that cannot go
so far as to leave only 1.25 phi of its gap, phi = `min_gap_fraction`, is free at once; so leaving
such pairs out changes no time, and neither does it whether a pair is followed to t_max or was cut
at some time before.

It stops at g = dmin + keep, keep = max(min(phi (d_0 - dmin), most_kept), 4 eps), or rather at
1.25 keep from it. With a bound on what is kept, a pair that stays separated along any direction by
more than dmin + 1.25 most_kept is free, however far apart it is to begin with.
Forward error: positions, distances and projections are off by less than
    eps = 64 2^-53 (|D| + |ds| + (1 + |w_a|) r_a + (1 + |w_b|) r_b);
arcs are within 12 units (sine, cosine and their argument t|w|, two products), sums within 1 each,
a closest point within 20 (see `distance.closest_points`). So keep is at least four times the
error, and
the distance never falls below dmin up to the returned time. A pair that starts within 8 eps of
dmin counts as touching and gets time 0; all others get a time > 0: at the limit of iterations the
time reached so far, which is safe.
"""

import math

from dovetail.collision.ccd.arcs import ARC, PLACE, farthest, fastest, phase, velocity
from dovetail.collision.distance.closest_points import (
    edge_edge,
    point_edge,
    point_triangle,
    triangle_point,
)
from dovetail.linalg.vec3 import ZERO, add_scaled, cross, dot, neg, norm, norm_squared, scale, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

FREE, NEAR, LIMIT, TOUCHING = 0, 1, 2, 3
MAX_ITERATIONS = 200  # distance evaluations of one query
ROUNDING = 64.0 * 2.0**-53
NOISY = 16.0
PARALLEL = 1e-12  # squared sine of the angle between edges
SHORTENED = 1.0 - 2.0**-40  # of a step, far above the rounding of its computation


@jit
def _from_point_to_point(A, B):
    return sub(B[0], A[0])


@jit
def _from_point_to_edge(A, B):
    _, t, _ = point_edge(A[0], B[0], B[1])
    return sub(add_scaled(B[0], t, sub(B[1], B[0])), A[0])


@jit
def _from_point_to_triangle(A, B):
    _, s, t = point_triangle(A[0], B[0], B[1], B[2])
    return sub(triangle_point(B[0], B[1], B[2], s, t), A[0])


@jit
def _from_edge_to_edge(A, B):
    _, s, t = edge_edge(A[0], A[1], B[0], B[1])
    return sub(add_scaled(B[0], t, sub(B[1], B[0])), add_scaled(A[0], s, sub(A[1], A[0])))


@jit
def _across(v, e):
    """v without its part along e."""
    along = norm_squared(e)
    if not along > 0.0:
        return v
    v = add_scaled(v, -dot(v, e) / along, e)
    return add_scaled(v, -dot(v, e) / along, e)


@jit
def _as_it_is(A, B, shortest):
    return shortest


@jit
def _normal_to_edge(A, B, shortest):
    return _across(shortest, sub(B[1], B[0]))


@jit
def _normal_to_triangle(A, B, shortest):
    normal = cross(sub(B[1], B[0]), sub(B[2], B[0]))
    return normal if dot(normal, shortest) > 0.0 else neg(normal)


@jit
def _normal_to_edges(A, B, shortest):
    e, f = sub(A[1], A[0]), sub(B[1], B[0])
    normal = cross(e, f)
    if norm_squared(normal) > PARALLEL * norm_squared(e) * norm_squared(f):
        return normal if dot(normal, shortest) > 0.0 else neg(normal)
    return _across(shortest, e if norm_squared(e) > norm_squared(f) else f)


@jit
def _step_along(n, A, B, a, b, now_a, now_b, ds, tilt_a, tilt_b, keep):
    """Least time until two corners' projections on n come within `keep`; 0 if they already are."""
    least, drift = math.inf, dot(n, ds)
    for i in range(len(a)):
        high = dot(n, A[i])
        rising = dot(n, velocity(a[i], now_a))
        bend_a = tilt_a * a[i][3]
        for j in range(len(b)):
            gap = dot(n, B[j]) - high - keep
            if not gap > 0.0:
                return 0.0
            closing = rising - drift - dot(n, velocity(b[j], now_b))
            bend = bend_a + tilt_b * b[j][3]
            root = closing + math.sqrt(closing * closing + 2.0 * bend * gap)
            if 2.0 * gap < least * root:
                least = 2.0 * gap / root
    return least


def _advancement(between, normal, n_a, n_b):
    """The kernel for primitives with n_a and n_b corners.

    `between` gives the shortest vector, `normal` that of what is flat of the two.
    """
    arc_a, arc_b, place_a, place_b = ARC[n_a], ARC[n_b], PLACE[n_a], PLACE[n_b]

    def advance(
        points_a, points_b, D, ds, w_a, w_b, dmin, t_max, min_gap_fraction, iterations,
        most_kept=math.inf,
    ):  # fmt: skip
        a, b = arc_a(points_a, w_a), arc_b(points_b, w_b)
        spin_a, spin_b = norm(w_a), norm(w_b)
        speed = (norm(ds) + fastest(a) + fastest(b)) / SHORTENED
        reach = (1.0 + spin_a) * farthest(a) + (1.0 + spin_b) * farthest(b)
        error = ROUNDING * (norm(D) + norm(ds) + reach)
        noisy = NOISY * error * (farthest(a) + farthest(b))
        t, keep = 0.0, 0.0
        for k in range(iterations):
            now_a, now_b = phase(t, spin_a), phase(t, spin_b)
            A, B = place_a(a, now_a, ZERO), place_b(b, now_b, add_scaled(D, t, ds))
            shortest = between(A, B)
            d = norm(shortest)
            gap = d - dmin
            if k == 0:
                if not gap > 8.0 * error:
                    return 0.0, TOUCHING, 1
                if gap * (1.0 - 1.25 * min_gap_fraction) > speed * t_max + 8.0 * error:
                    return t_max, FREE, 1
                keep = max(min(min_gap_fraction * gap, most_kept), 4.0 * error)
            elif not gap > 1.25 * keep:
                return t, NEAR, k + 1
            step = (gap - keep) / speed if speed > 0.0 else math.inf
            n = scale(1.0 / d, shortest)
            tilt_a, tilt_b = norm(cross(w_a, n)), norm(cross(w_b, n))
            step = max(
                step,
                SHORTENED
                * _step_along(n, A, B, a, b, now_a, now_b, ds, tilt_a, tilt_b, dmin + keep),
            )
            if d * d < noisy and t + step < t_max:
                n = normal(A, B, shortest)
                length = norm(n)
                if length > 0.0:
                    n = scale(1.0 / length, n)
                    tilt_a, tilt_b = norm(cross(w_a, n)), norm(cross(w_b, n))
                    flat = _step_along(n, A, B, a, b, now_a, now_b, ds, tilt_a, tilt_b, dmin + keep)
                    step = max(step, SHORTENED * flat)
            t += step
            if t >= t_max:
                return t_max, FREE, k + 1
        return t, LIMIT, iterations

    advance.__name__ = f"advance{between.__name__.removeprefix('_from')}"
    advance.__qualname__ = advance.__name__
    advance.__doc__ = """(collision-free step size up to `t_max`, outcome, evaluations).

    Corners (tuples of offsets from their body's centre, world axes at t = 0), D from a's centre to
    b's, ds the relative translation and w_a, w_b the rotations per unit of time;
    `min_gap_fraction` is the part of the first gap that is kept, `most_kept` [m] as much as is kept
    of wide gaps. No distance on the path is dmin or less.
    """
    return jit(advance)


advance_point_point = _advancement(_from_point_to_point, _as_it_is, 1, 1)
advance_point_edge = _advancement(_from_point_to_edge, _normal_to_edge, 1, 2)
advance_point_triangle = _advancement(_from_point_to_triangle, _normal_to_triangle, 1, 3)
advance_edge_edge = _advancement(_from_edge_to_edge, _normal_to_edges, 2, 2)

_motion = (ZERO, ZERO, ZERO, ZERO, 0.0, 1.0, 0.01, 100)
for _kernel, _a, _b in (
    (advance_point_point, 1, 1),
    (advance_point_edge, 1, 2),
    (advance_point_triangle, 1, 3),
    (advance_edge_edge, 2, 2),
):
    warm(_kernel, (ZERO,) * _a, (ZERO,) * _b, *_motion)
