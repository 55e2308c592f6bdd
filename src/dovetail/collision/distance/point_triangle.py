"""The point of a triangle nearest to a given point, and which part of the triangle it is on."""

from dovetail.linalg.vec3 import add_scaled, dot, norm_squared, sub
from dovetail.runtime.jit import jit

FACE = 0
EDGE_AB, EDGE_BC, EDGE_CA = 1, 2, 3
VERTEX_A, VERTEX_B, VERTEX_C = 4, 5, 6


@jit
def closest_on_triangle(p, a, b, c):
    """(nearest point of triangle abc to p, part of the triangle it lies on).

    By the Voronoi regions of vertices, edges and face: Ericson, Real-Time Collision Detection
    (2005), section 5.1.5.
    """
    ab, ac, ap = sub(b, a), sub(c, a), sub(p, a)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    if d1 <= 0.0 and d2 <= 0.0:
        return a, VERTEX_A
    bp = sub(p, b)
    d3, d4 = dot(ab, bp), dot(ac, bp)
    if d3 >= 0.0 and d4 <= d3:
        return b, VERTEX_B
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return add_scaled(a, d1 / (d1 - d3), ab), EDGE_AB
    cp = sub(p, c)
    d5, d6 = dot(ab, cp), dot(ac, cp)
    if d6 >= 0.0 and d5 <= d6:
        return c, VERTEX_C
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return add_scaled(a, d2 / (d2 - d6), ac), EDGE_CA
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        return add_scaled(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), sub(c, b)), EDGE_BC
    scale = 1.0 / (va + vb + vc)
    return add_scaled(add_scaled(a, vb * scale, ab), vc * scale, ac), FACE


@jit
def corners(triangles, i):
    """The corners of triangle i, from rows (m, 9)."""
    return (
        (triangles[i, 0], triangles[i, 1], triangles[i, 2]),
        (triangles[i, 3], triangles[i, 4], triangles[i, 5]),
        (triangles[i, 6], triangles[i, 7], triangles[i, 8]),
    )


@jit
def squared_distance(p, triangles, i):
    """(squared distance of p from triangle i, nearest point, part)."""
    a, b, c = corners(triangles, i)
    q, part = closest_on_triangle(p, a, b, c)
    return norm_squared(sub(p, q)), q, part
