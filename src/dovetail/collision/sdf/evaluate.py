"""A signed distance field at a point: trilinear on a grid, or the least of analytic shapes.

`FieldArrays` is either. On the grid, value and gradient are those of the trilinear form (Zhang,
You and Liu 2024, eqs. 1-5). Outside it the value is the distance to the box plus the value at the
nearest point of the box.
"""

import math
from typing import NamedTuple

import numpy as np

from dovetail.collision.sdf.primitives import (
    BUNCH,
    FRAME,
    KIND,
    PLACE,
    PLANE,
    SHAPE_COLUMNS,
    SIZE,
    primitive,
)
from dovetail.linalg.vec3 import ZERO, dot, load3, mat_t_vec, matvec, norm, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import Float32Array, FloatArray
from dovetail.runtime.warmup import warm

ROOT3 = math.sqrt(3.0)


class FieldArrays(NamedTuple):
    """Grid values with their place, or rows of analytic shapes; the other one is empty."""

    values: Float32Array  # (nx, ny, nz) [m]
    origin: tuple[float, float, float]  # [m] of node 0, 0, 0
    spacing: float  # [m]
    shapes: FloatArray  # (m, SHAPE_COLUMNS): columns see `primitives`
    jumps: bool  # the sign changes away from the surface: a mesh with holes


@jit
def grid_value(values, x, y, z):
    """(value, gradient per cell) of the trilinear form at node coordinates inside the grid."""
    i = min(int(x), values.shape[0] - 2)
    j = min(int(y), values.shape[1] - 2)
    k = min(int(z), values.shape[2] - 2)
    u, v, w = x - i, y - j, z - k
    # unsigned numbers spare Numba the test for negative ones, which costs more than the sum
    a, b, c = np.uintp(i), np.uintp(j), np.uintp(k)
    a1, b1, c1 = np.uintp(i + 1), np.uintp(j + 1), np.uintp(k + 1)
    f000, f001 = np.float64(values[a, b, c]), np.float64(values[a, b, c1])
    f010, f011 = np.float64(values[a, b1, c]), np.float64(values[a, b1, c1])
    f100, f101 = np.float64(values[a1, b, c]), np.float64(values[a1, b, c1])
    f110, f111 = np.float64(values[a1, b1, c]), np.float64(values[a1, b1, c1])
    e00, e01 = f000 + w * (f001 - f000), f010 + w * (f011 - f010)
    e10, e11 = f100 + w * (f101 - f100), f110 + w * (f111 - f110)
    d0, d1 = e00 + v * (e01 - e00), e10 + v * (e11 - e10)
    gy = (1.0 - u) * (e01 - e00) + u * (e11 - e10)
    z0 = (1.0 - v) * (f001 - f000) + v * (f011 - f010)
    z1 = (1.0 - v) * (f101 - f100) + v * (f111 - f110)
    return d0 + u * (d1 - d0), (d1 - d0, gy, (1.0 - u) * z0 + u * z1)


@jit
def on_grid(field, p):
    """(value at the nearest point of the grid's box, gradient there, distance, vector from it)."""
    per = 1.0 / field.spacing
    n = field.values.shape
    x, y, z = (
        (p[0] - field.origin[0]) * per,
        (p[1] - field.origin[1]) * per,
        (p[2] - field.origin[2]) * per,
    )
    cx = min(max(x, 0.0), n[0] - 1.0)
    cy = min(max(y, 0.0), n[1] - 1.0)
    cz = min(max(z, 0.0), n[2] - 1.0)
    value, g = grid_value(field.values, cx, cy, cz)
    gradient = (g[0] * per, g[1] * per, g[2] * per)
    if x == cx and y == cy and z == cz:
        return value, gradient, 0.0, ZERO
    h = field.spacing
    out = ((x - cx) * h, (y - cy) * h, (z - cz) * h)
    return value, gradient, norm(out), out


@jit
def least_of_shapes(s, begin, end, p):
    """(value, gradient) of the union of the analytic shapes in rows [begin, end) of `s`."""
    best, gradient = np.inf, ZERO
    following = begin
    while following < end:
        i = following
        following += 1
        away = sub(p, (s[i, PLACE], s[i, PLACE + 1], s[i, PLACE + 2]))
        if s[i, KIND] == BUNCH:
            near = best + s[i, SIZE]
            if near <= 0.0 or dot(away, away) > near * near:
                following += int(s[i, SIZE + 1])
            continue
        # no shape but a half-space reaches further than the sum of its sizes
        near = best + s[i, SIZE] + s[i, SIZE + 1] + s[i, SIZE + 2]
        if s[i, KIND] != PLANE and near > 0.0 and dot(away, away) > near * near:
            continue
        R = (
            (s[i, FRAME], s[i, FRAME + 1], s[i, FRAME + 2]),
            (s[i, FRAME + 3], s[i, FRAME + 4], s[i, FRAME + 5]),
            (s[i, FRAME + 6], s[i, FRAME + 7], s[i, FRAME + 8]),
        )
        local = mat_t_vec(R, away)
        value, g = primitive(int(s[i, KIND]), s[i, SIZE], s[i, SIZE + 1], s[i, SIZE + 2], local)
        if value < best:
            best, gradient = value, matvec(R, g)
    return best, gradient


@jit
def extended(value, g, away, out):
    """(value, gradient) at `out` from the point of a grid's box that has them, `away` = |out|."""
    if away == 0.0:
        return value, g
    return value + away, (
        out[0] / away if out[0] != 0.0 else g[0],
        out[1] / away if out[1] != 0.0 else g[1],
        out[2] / away if out[2] != 0.0 else g[2],
    )


@jit
def evaluate(field, p):
    """(value [m], gradient) at p."""
    if field.shapes.shape[0] > 0:
        return least_of_shapes(field.shapes, 0, field.shapes.shape[0], p)
    value, g, away, out = on_grid(field, p)
    return extended(value, g, away, out)


@jit
def certain_gap(field, p, radius):
    """A bound <= the field's value anywhere within `radius` [m] of p.

    Inside the grid |grad| <= sqrt(3), and the trilinear value is within sqrt(3)/2 cells of a
    distance, which falls by at most 1 per length; beyond the box, a surface in the box is at
    least hypot(distance to the box, distance from there) away.
    """
    if field.shapes.shape[0] > 0:
        return least_of_shapes(field.shapes, 0, field.shapes.shape[0], p)[0] - radius
    value, _, away, _ = on_grid(field, p)
    if field.jumps:
        return away - radius if away > 0.0 else -np.inf
    if away == 0.0:
        return max(value - ROOT3 * radius, value - radius - ROOT3 * field.spacing)
    slack = ROOT3 * field.spacing
    if value - 0.5 * slack > 0.0:
        return math.sqrt(away * away + (value - 0.5 * slack) ** 2) - radius - 0.5 * slack
    return away - radius - 0.5 * slack


@jit
def _grid_many(field, nodes, origin, per, points, begin, end, values, gradients):
    ex, ey, ez = nodes.shape[0] - 1.0, nodes.shape[1] - 1.0, nodes.shape[2] - 1.0
    for i in range(begin, end):
        p = (points[i, 0], points[i, 1], points[i, 2])
        x, y, z = (p[0] - origin[0]) * per, (p[1] - origin[1]) * per, (p[2] - origin[2]) * per
        if 0.0 <= x < ex and 0.0 <= y < ey and 0.0 <= z < ez:
            value, g = grid_value(nodes, x, y, z)
            values[i] = value
            gradients[i, 0], gradients[i, 1], gradients[i, 2] = g[0] * per, g[1] * per, g[2] * per
        else:
            value, g = evaluate(field, p)
            values[i] = value
            gradients[i, 0], gradients[i, 1], gradients[i, 2] = g[0], g[1], g[2]


@jit
def evaluate_many(field, points, begin, end, values, gradients):
    """Value and gradient of points[begin:end]; the branch inside the grid is kept short."""
    if field.shapes.shape[0] == 0:
        _grid_many(
            field, field.values, field.origin, 1.0 / field.spacing, points, begin, end,
            values, gradients,
        )  # fmt: skip
        return
    for i in range(begin, end):
        value, g = evaluate(field, load3(points, i))
        values[i] = value
        gradients[i, 0], gradients[i, 1], gradients[i, 2] = g[0], g[1], g[2]


NO_GRID = read_only(np.zeros((2, 2, 2)), np.float32)
NO_SHAPES = read_only(np.zeros((0, SHAPE_COLUMNS)))
EMPTY = FieldArrays(NO_GRID, ZERO, 1.0, NO_SHAPES, False)
warm(evaluate_many, EMPTY, read_only(np.empty((0, 3))), 0, 0, np.empty(0), np.empty((0, 3)))
