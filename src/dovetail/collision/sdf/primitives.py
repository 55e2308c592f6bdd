"""Signed distances of ball, box, cylinder, capsule, cone, torus and half-space, with gradients.

Each takes a point in the shape's own frame and returns (value, gradient); the gradient has length
1, also inside and on edges, where one of the nearest faces is taken.
"""

import math

from dovetail.linalg.vec3 import norm, scale
from dovetail.runtime.jit import jit

PLANE, SPHERE, BOX, CYLINDER, CAPSULE = 0, 1, 2, 3, 4
BUNCH = 5  # no shape but a ball around those in the rows that follow: its radius, how many rows
CONE, TORUS = 6, 7

# columns of the row of an analytic shape: where each part begins
KIND, SIZE, FRAME, PLACE, SHAPE_COLUMNS = 0, 1, 4, 13, 16
SIZES = slice(SIZE, FRAME)  # [m] a, b, c; of a BUNCH the radius and the number of rows
ROTATION = slice(FRAME, PLACE)  # of its frame, by rows
POSITION = slice(PLACE, SHAPE_COLUMNS)  # [m] of its frame


@jit
def _direction(v, length):
    """v / |v|, and up where |v| is 0."""
    if length > 0.0:
        return scale(1.0 / length, v)
    return (0.0, 0.0, 1.0)


@jit
def sphere(p, radius):
    """|p| - r."""
    length = norm(p)
    return length - radius, _direction(p, length)


@jit
def capsule(p, radius, half):
    """Distance from the segment |z| <= half, less the radius."""
    beyond = p[2] - min(max(p[2], -half), half)
    v = (p[0], p[1], beyond)
    length = norm(v)
    if length > 0.0:
        return length - radius, scale(1.0 / length, v)
    return -radius, (1.0, 0.0, 0.0)


@jit
def box(p, hx, hy, hz):
    """|max(q, 0)| + min(max q, 0) with q = |p| - h."""
    q = (abs(p[0]) - hx, abs(p[1]) - hy, abs(p[2]) - hz)
    sx = 1.0 if p[0] >= 0.0 else -1.0
    sy = 1.0 if p[1] >= 0.0 else -1.0
    sz = 1.0 if p[2] >= 0.0 else -1.0
    if q[0] > 0.0 or q[1] > 0.0 or q[2] > 0.0:
        out = (sx * max(q[0], 0.0), sy * max(q[1], 0.0), sz * max(q[2], 0.0))
        length = norm(out)
        return length, scale(1.0 / length, out)
    if q[0] >= q[1] and q[0] >= q[2]:
        return q[0], (sx, 0.0, 0.0)
    if q[1] >= q[2]:
        return q[1], (0.0, sy, 0.0)
    return q[2], (0.0, 0.0, sz)


@jit
def cylinder(p, radius, half):
    """As a box in (radial, axial): |max(q, 0)| + min(max q, 0)."""
    r = math.sqrt(p[0] * p[0] + p[1] * p[1])
    ex, ey = (p[0] / r, p[1] / r) if r > 0.0 else (1.0, 0.0)
    sz = 1.0 if p[2] >= 0.0 else -1.0
    side, end = r - radius, abs(p[2]) - half
    if side > 0.0 and end > 0.0:
        length = math.sqrt(side * side + end * end)
        return length, (ex * side / length, ey * side / length, sz * end / length)
    if side >= end:
        return side, (ex, ey, 0.0)
    return end, (0.0, 0.0, sz)


@jit
def cone(p, radius, height):
    """A triangle in (radial, axial): base on z = 0, tip at z = height."""
    r = math.sqrt(p[0] * p[0] + p[1] * p[1])
    ex, ey = (p[0] / r, p[1] / r) if r > 0.0 else (1.0, 0.0)
    slant = math.sqrt(radius * radius + height * height)
    nr, nz = height / slant, radius / slant  # normal of the slanted side
    side = (r - radius) * nr + p[2] * nz
    if side <= 0.0 and p[2] >= 0.0:
        if side >= -p[2]:
            return side, (nr * ex, nr * ey, nz)
        return -p[2], (0.0, 0.0, -1.0)
    if p[2] < 0.0:
        qr, qz = min(r, radius), 0.0
    else:
        along = min(max(p[2] * nr - (r - radius) * nz, 0.0), slant)  # from the rim to the tip
        qr, qz = radius - along * nz, along * nr
    dr, dz = r - qr, p[2] - qz
    length = math.sqrt(dr * dr + dz * dz)
    return length, (ex * dr / length, ey * dr / length, dz / length)


@jit
def torus(p, major, minor):
    """Distance from the circle of radius `major`, less the radius of the tube."""
    r = math.sqrt(p[0] * p[0] + p[1] * p[1])
    ex, ey = (p[0] / r, p[1] / r) if r > 0.0 else (1.0, 0.0)
    out = r - major
    length = math.sqrt(out * out + p[2] * p[2])
    if length > 0.0:
        return length - minor, (ex * out / length, ey * out / length, p[2] / length)
    return -minor, (ex, ey, 0.0)


@jit
def primitive(kind, a, b, c, p):
    """(value, gradient) by the kind of shape; a, b, c are its sizes [m]."""
    if kind == SPHERE:
        return sphere(p, a)
    if kind == BOX:
        return box(p, a, b, c)
    if kind == CYLINDER:
        return cylinder(p, a, b)
    if kind == CAPSULE:
        return capsule(p, a, b)
    if kind == CONE:
        return cone(p, a, b)
    if kind == TORUS:
        return torus(p, a, b)
    return p[2], (0.0, 0.0, 1.0)
