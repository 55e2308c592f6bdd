"""Closest points of points, edges and triangles: parameters and which case it is.

Every function returns (case, s, t): which features are closest and where. Cases are numbered as
in the IPC Toolkit (`PointTriangleDistanceType`, `EdgeEdgeDistanceType`). Degenerate input
(zero-length edges, triangles without area, parallel edges) gives a closest point of what is there:
the parameters are always inside, so the distance at them is never too small but for the rounding
of its evaluation, which is within 1e-14 of the size; it is too large by no more than that, and for
edges with a sine below 1e-12 by no more than 1e-12 of their length.
"""

from dovetail.linalg.vec3 import add, add_scaled, cross, dot, norm_squared, scale, sub
from dovetail.runtime.jit import jit, jit_within

POINT_EDGE_START, POINT_EDGE_END, POINT_EDGE_INSIDE = 0, 1, 2
# point-triangle: 0, 1, 2 its corners; 3, 4, 5 its edges 01, 12, 20; 6 its inside
POINT_FACE = 6
# edge-edge: 0..3 corners (a0 b0, a0 b1, a1 b0, a1 b1), 4, 5 inside of a with b0, b1,
# 6, 7 a0, a1 with the inside of b; 8 both inside
EDGES_CROSSED = 8
PARALLEL = 1e-24  # sine squared below which crossed edges are taken as parallel
SLIVER = 1e-6  # sine squared of a corner below which coordinates are refined


@jit
def clamped(t):
    """The nearest number in [0, 1]."""
    return min(1.0, max(0.0, t))


@jit
def point_edge(p, e0, e1):
    """(case, t, 0): the closest point of the edge is e0 + t (e1 - e0)."""
    e = sub(e1, e0)
    length = norm_squared(e)
    t = dot(sub(p, e0), e) / length if length > 0.0 else 0.0
    if t <= 0.0:
        return POINT_EDGE_START, 0.0, 0.0
    if t >= 1.0:
        return POINT_EDGE_END, 1.0, 0.0
    return POINT_EDGE_INSIDE, t, 0.0


@jit
def _gap(p, e0, e1, t):
    """|p - (e0 + t (e1 - e0))|^2."""
    return norm_squared(sub(p, add_scaled(e0, t, sub(e1, e0))))


@jit
def triangle_point(t0, t1, t2, s, t):
    """t0 + s (t1 - t0) + t (t2 - t0)."""
    return add(t0, add(scale(s, sub(t1, t0)), scale(t, sub(t2, t0))))


@jit_within
def point_triangle(p, t0, t1, t2):
    """(case, s, t): the closest point is t0 + s (t1 - t0) + t (t2 - t0).

    Barycentric coordinates from cross products with the normal, which stay accurate for slivers
    where the normal equations of the edges do not; those of thin slivers are refined by what
    they leave. Without an inside, the nearest edge decides.
    """
    e1, e2 = sub(t1, t0), sub(t2, t0)
    n = cross(e1, e2)
    nn = norm_squared(n)
    r = sub(p, t0)
    if nn > 0.0:
        s, t = dot(cross(r, e2), n) / nn, dot(cross(e1, r), n) / nn
        if nn < SLIVER * norm_squared(e1) * norm_squared(e2):
            r = sub(p, triangle_point(t0, t1, t2, s, t))
            s, t = s + dot(cross(r, e2), n) / nn, t + dot(cross(e1, r), n) / nn
        if s > 0.0 and t > 0.0 and s + t < 1.0:
            return POINT_FACE, s, t
    case, t01, _ = point_edge(p, t0, t1)
    least = _gap(p, t0, t1, t01)
    case = 3 if case == POINT_EDGE_INSIDE else case
    best_s, best_t = t01, 0.0
    which, t12, _ = point_edge(p, t1, t2)
    gap = _gap(p, t1, t2, t12)
    if gap < least:
        least = gap
        case = 4 if which == POINT_EDGE_INSIDE else 1 + which
        best_s, best_t = 1.0 - t12, t12
    which, t20, _ = point_edge(p, t2, t0)
    gap = _gap(p, t2, t0, t20)
    if gap < least:
        case = 5 if which == POINT_EDGE_INSIDE else (2 if which == POINT_EDGE_START else 0)
        best_s, best_t = 0.0, 1.0 - t20
    return case, best_s, best_t


@jit_within
def edge_edge(a0, a1, b0, b1):
    """(case, s, t): the closest points are a0 + s (a1 - a0) and b0 + t (b1 - b0).

    Ericson, Real-Time Collision Detection (2005), 5.1.9, with s from the cross product of the
    edges: its error is 2^-53 / sine, where that of a c - b^2 is 2^-53 / sine^2.
    """
    d, e, r = sub(a1, a0), sub(b1, b0), sub(a0, b0)
    a, c = norm_squared(d), norm_squared(e)
    f = dot(e, r)
    if not a > 0.0:
        s = 0.0
        t = clamped(f / c) if c > 0.0 else 0.0
    elif not c > 0.0:
        s, t = clamped(-dot(d, r) / a), 0.0
    else:
        n = cross(d, e)
        nn = norm_squared(n)
        s = clamped(dot(cross(e, r), n) / nn) if nn > PARALLEL * a * c else 0.0
        b = dot(d, e)
        t = (b * s + f) / c
        if t <= 0.0:
            s, t = clamped(-dot(d, r) / a), 0.0
        elif t >= 1.0:
            s, t = clamped((b - dot(d, r)) / a), 1.0
    return _edges_case(s, t), s, t


@jit
def _edges_case(s, t):
    inside_a, inside_b = 0.0 < s < 1.0, 0.0 < t < 1.0
    if inside_a and inside_b:
        return EDGES_CROSSED
    if inside_a:
        return 4 if t <= 0.0 else 5
    if inside_b:
        return 6 if s <= 0.0 else 7
    return (0 if s <= 0.0 else 2) + (0 if t <= 0.0 else 1)


@jit
def point_edge_squared(p, e0, e1):
    """Squared distance [m^2]."""
    _, t, _ = point_edge(p, e0, e1)
    return _gap(p, e0, e1, t)


@jit
def point_triangle_squared(p, t0, t1, t2):
    """Squared distance [m^2]."""
    _, s, t = point_triangle(p, t0, t1, t2)
    return norm_squared(sub(p, triangle_point(t0, t1, t2, s, t)))


@jit
def edge_edge_squared(a0, a1, b0, b1):
    """Squared distance [m^2]."""
    _, s, t = edge_edge(a0, a1, b0, b1)
    return norm_squared(sub(add_scaled(a0, s, sub(a1, a0)), add_scaled(b0, t, sub(b1, b0))))
