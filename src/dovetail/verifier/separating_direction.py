"""A direction in which two triangles are apart: for the verifier only.

The verifier is right even where a direction found here is not: it projects the corners on the
direction and decides by the projections. A poor direction only costs more subdivisions. Triangles
may be degenerate: (p, q, q) is a wire and (p, p, p) a point.
"""

import math

from dovetail.linalg.vec3 import ZERO, add_scaled, cross, dot, norm_squared, scale, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

N_AXES = 17  # 2 normals, 9 crossed edges, 3 + 3 across an edge in the plane of its triangle


@jit
def unit(a):
    """A / |a|, or zero where a is."""
    largest = max(abs(a[0]), max(abs(a[1]), abs(a[2])))
    if not largest > 0.0:
        return ZERO
    b = scale(1.0 / largest, a)
    return scale(1.0 / math.sqrt(norm_squared(b)), b)


@jit
def _clamped(t):
    return min(1.0, max(0.0, t))


@jit
def between_segments(p, d, q, e):
    """Shortest vector from segment p + s d to segment q + t e, s and t in [0, 1].

    Ericson, Real-Time Collision Detection (2005), 5.1.9, with degenerate segments as points.
    """
    r = sub(p, q)
    a, c, f = norm_squared(d), norm_squared(e), dot(e, r)
    if not a > 0.0:
        t = _clamped(f / c) if c > 0.0 else 0.0
        return sub(add_scaled(q, t, e), p)
    g = dot(d, r)
    if not c > 0.0:
        return sub(q, add_scaled(p, _clamped(-g / a), d))
    b = dot(d, e)
    steep = a * c - b * b
    s = _clamped((b * f - g * c) / steep) if steep > 0.0 else 0.0
    t = (b * s + f) / c
    if t < 0.0 or t > 1.0:
        t = _clamped(t)
        s = _clamped((b * t - g) / a)
    return sub(add_scaled(q, t, e), add_scaled(p, s, d))


@jit
def _above_inside(x, corners):
    """Vector from the triangle's plane to x where x is above the inside, else (False, zero)."""
    a, b, c = corners
    normal = cross(sub(b, a), sub(c, a))
    size = norm_squared(normal)
    if not size > 0.0:
        return False, ZERO
    for k in range(3):
        p, q = corners[k], corners[(k + 1) % 3]
        if dot(cross(sub(q, p), sub(x, p)), normal) < 0.0:
            return False, ZERO
    return True, scale(dot(sub(x, a), normal) / size, normal)


@jit
def shortest_between(A, B):
    """Shortest vector from triangle A to triangle B when they are disjoint."""
    best = sub(B[0], A[0])
    least = norm_squared(best)
    for i in range(3):
        d = sub(A[(i + 1) % 3], A[i])
        for j in range(3):
            v = between_segments(A[i], d, B[j], sub(B[(j + 1) % 3], B[j]))
            if norm_squared(v) < least:
                best, least = v, norm_squared(v)
    for i in range(3):
        inside, v = _above_inside(B[i], A)
        if inside and norm_squared(v) < least:
            best, least = v, norm_squared(v)
        inside, v = _above_inside(A[i], B)
        if inside and norm_squared(v) < least:
            best, least = scale(-1.0, v), norm_squared(v)
    return best


@jit
def across_edge(v, e):
    """The part of v across the edge e; zero where e has no length."""
    length = norm_squared(e)
    if not length > 0.0:
        return ZERO
    return add_scaled(v, -dot(v, e) / length, e)


@jit
def axis_of(A, B, k):
    """Axis k < N_AXES of the separating axis theorem for two triangles; zero if degenerate.

    One of them has disjoint projections whenever the triangles are proper and disjoint. Their
    directions keep full accuracy where the shortest vector is lost in rounding.
    """
    if k < 9:
        i, j = k // 3, k % 3
        return unit(cross(sub(A[(i + 1) % 3], A[i]), sub(B[(j + 1) % 3], B[j])))
    normal_a = unit(cross(sub(A[1], A[0]), sub(A[2], A[0])))
    normal_b = unit(cross(sub(B[1], B[0]), sub(B[2], B[0])))
    if k == 9:
        return normal_a
    if k == 10:
        return normal_b
    if k < 14:
        i = k - 11
        return unit(cross(normal_a, sub(A[(i + 1) % 3], A[i])))
    j = k - 14
    return unit(cross(normal_b, sub(B[(j + 1) % 3], B[j])))


@jit
def is_of_a(k):
    """Axis k is that of triangle A alone: its normal, or across an edge in its plane."""
    return k == 9 or 11 <= k < 14


@jit
def is_of_b(k):
    """Axis k is that of triangle B alone."""
    return k == 10 or k >= 14


_triangle = (ZERO, ZERO, ZERO)
warm(shortest_between, _triangle, _triangle)
