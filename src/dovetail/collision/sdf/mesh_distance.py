"""Signed distance from a triangle mesh: nearest triangle through the tree of boxes, exact.

A mesh is `DistanceMesh`: triangles as rows with their tree and pseudonormals. The sign of the
distance is that of (p - q) . n with q the nearest point and n the angle-weighted pseudonormal of
the face, edge or vertex q lies on (Baerentzen and Aanaes, IEEE TVCG 11 (2005) 243, theorem 1).
"""

import math
from typing import NamedTuple

import numpy as np

from dovetail.collision.distance.point_triangle import squared_distance
from dovetail.linalg.vec3 import ZERO, add_scaled, dot, load3, norm, scale, sub
from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import FloatArray, Int32Array
from dovetail.runtime.warmup import warm

STACK = 128  # a tree of depth 48 + 31, see `bvh.build`

# columns of the dipole of a node: area vector, middle, radius
MIDDLE, RADIUS = 3, 6
DIPOLE_COLUMNS = 7


class DistanceMesh(NamedTuple):
    """Triangles with what a signed distance needs."""

    triangles: FloatArray  # (m, 9) [m] corners a, b, c
    boxes: FloatArray  # (2 m - 1, 6)
    right: Int32Array  # (2 m - 1,)
    normals: FloatArray  # (m, 7, 3) of the parts numbered in `distance.point_triangle`
    dipoles: FloatArray  # (2 m - 1, 7) or (0, 7): winding numbers, where the mesh is not closed


@jit
def _box_distance_squared(boxes, n, p):
    x = max(max(boxes[n, 0] - p[0], p[0] - boxes[n, 3]), 0.0)
    y = max(max(boxes[n, 1] - p[1], p[1] - boxes[n, 4]), 0.0)
    z = max(max(boxes[n, 2] - p[2], p[2] - boxes[n, 5]), 0.0)
    return x * x + y * y + z * z


@jit
def nearest(mesh, p, guess, stack, bounds):
    """(squared distance, nearest point, triangle, part) of p; `guess` is a triangle likely near.

    A good guess makes the search short; any guess gives the same distance. `stack` and `bounds`
    are workspace of length STACK.
    """
    best_triangle = guess
    best, q, part = squared_distance(p, mesh.triangles, guess)
    stack[0], bounds[0] = 0, _box_distance_squared(mesh.boxes, 0, p)
    top = 1
    while top > 0:
        top -= 1
        if bounds[top] >= best:
            continue
        n = stack[top]
        while mesh.right[n] >= 0:
            near, far = n + 1, mesh.right[n]
            d_near = _box_distance_squared(mesh.boxes, near, p)
            d_far = _box_distance_squared(mesh.boxes, far, p)
            if d_far < d_near:
                near, far = far, near
                d_near, d_far = d_far, d_near
            if d_far < best:
                stack[top], bounds[top] = far, d_far
                top += 1
            if d_near >= best:
                n = -1
                break
            n = near
        if n >= 0:
            i = -1 - mesh.right[n]
            d, point, which = squared_distance(p, mesh.triangles, i)
            if d < best:
                best, q, part, best_triangle = d, point, which, i
    return best, q, best_triangle, part


@jit
def nearest_of_all(mesh, p):
    """As `nearest`, by looking at every triangle: what a simple program does."""
    best, q, part = squared_distance(p, mesh.triangles, 0)
    best_triangle = 0
    for i in range(1, mesh.triangles.shape[0]):
        d, point, which = squared_distance(p, mesh.triangles, i)
        if d < best:
            best, q, part, best_triangle = d, point, which, i
    return best, q, best_triangle, part


@jit
def part_normal(mesh, triangle, part):
    """Pseudonormal of a part of a triangle."""
    n = mesh.normals
    return (n[triangle, part, 0], n[triangle, part, 1], n[triangle, part, 2])


@jit
def winding(mesh, p):
    """How often the surface goes around p, by dipoles for far clusters of triangles.

    A cluster at c with summed area vector A, seen from further than twice its radius, counts as
    A . (c - p) / (4 pi |c - p|^3): Barill et al., ACM TOG 37 (2018) 43, eq. 12. Near triangles
    count by their solid angle.
    """
    total = 0.0
    stack = np.empty(STACK, np.int32)
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        n = stack[top]
        d = mesh.dipoles
        to = sub((d[n, MIDDLE], d[n, MIDDLE + 1], d[n, MIDDLE + 2]), p)
        far = norm(to)
        if far > 2.0 * d[n, RADIUS]:
            total += dot((d[n, 0], d[n, 1], d[n, 2]), to) / (far * far * far)
        elif mesh.right[n] < 0:
            total += _solid_angle(mesh.triangles, -1 - mesh.right[n], p)
        else:
            stack[top], stack[top + 1] = mesh.right[n], n + 1
            top += 2
    return total / (4.0 * math.pi)


@jit
def _solid_angle(triangles, i, p):
    """Van Oosterom and Strackee, IEEE Trans Biomed Eng 30 (1983), eq. 8."""
    a = (triangles[i, 0] - p[0], triangles[i, 1] - p[1], triangles[i, 2] - p[2])
    b = (triangles[i, 3] - p[0], triangles[i, 4] - p[1], triangles[i, 5] - p[2])
    c = (triangles[i, 6] - p[0], triangles[i, 7] - p[1], triangles[i, 8] - p[2])
    la, lb, lc = norm(a), norm(b), norm(c)
    volume = (
        a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
    )
    return 2.0 * math.atan2(volume, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb)


@jit
def fill_dipoles(mesh, areas, dipoles):
    """Dipole rows (area vector, middle, radius) of all nodes, from children to parents.

    `areas` (2 m - 1,) is workspace.
    """
    for n in range(mesh.right.shape[0] - 1, -1, -1):
        if mesh.right[n] < 0:
            i = -1 - mesh.right[n]
            a, b, c = (
                (mesh.triangles[i, 0], mesh.triangles[i, 1], mesh.triangles[i, 2]),
                (mesh.triangles[i, 3], mesh.triangles[i, 4], mesh.triangles[i, 5]),
                (mesh.triangles[i, 6], mesh.triangles[i, 7], mesh.triangles[i, 8]),
            )
            u, v = sub(b, a), sub(c, a)
            area = (
                0.5 * (u[1] * v[2] - u[2] * v[1]),
                0.5 * (u[2] * v[0] - u[0] * v[2]),
                0.5 * (u[0] * v[1] - u[1] * v[0]),
            )
            areas[n] = norm(area)
            for k in range(3):
                dipoles[n, k] = area[k]
                dipoles[n, MIDDLE + k] = (a[k] + b[k] + c[k]) / 3.0
        else:
            one, two = n + 1, mesh.right[n]
            areas[n] = areas[one] + areas[two]
            share = areas[one] / areas[n] if areas[n] > 0.0 else 0.5
            for k in range(3):
                dipoles[n, k] = dipoles[one, k] + dipoles[two, k]
                middle = share * dipoles[one, MIDDLE + k] + (1.0 - share) * dipoles[two, MIDDLE + k]
                dipoles[n, MIDDLE + k] = middle
        reach = 0.0
        for k in range(3):
            middle = dipoles[n, MIDDLE + k]
            far = max(mesh.boxes[n, 3 + k] - middle, middle - mesh.boxes[n, k])
            reach += far * far
        dipoles[n, RADIUS] = math.sqrt(reach)


@jit
def signed(mesh, p, squared, q, triangle, part):
    """Distance with its sign: < 0 inside."""
    distance = math.sqrt(squared)
    if mesh.dipoles.shape[0] > 0:
        return -distance if winding(mesh, p) > 0.5 else distance
    return -distance if dot(sub(p, q), part_normal(mesh, triangle, part)) < 0.0 else distance


@jit
def with_gradient(mesh, p, squared, q, triangle, part):
    """(signed distance, its gradient); on the surface the gradient is the pseudonormal."""
    value = signed(mesh, p, squared, q, triangle, part)
    if value == 0.0:
        n = part_normal(mesh, triangle, part)
        return value, scale(1.0 / norm(n), n)
    return value, scale(1.0 / value, sub(p, q))


@jit
def distances(mesh, points, begin, end, values, gradients):
    """Signed distance and gradient of points[begin:end], each guessed from the one before."""
    guess, stack, bounds = 0, np.empty(STACK, np.int32), np.empty(STACK)
    for i in range(begin, end):
        p = load3(points, i)
        squared, q, guess, part = nearest(mesh, p, guess, stack, bounds)
        values[i], g = with_gradient(mesh, p, squared, q, guess, part)
        for k in range(3):
            gradients[i, k] = g[k]


@jit
def unsigned(mesh, points, begin, end, values):
    """Distances [m] of points begin to end from the triangles, without a sign."""
    stack, bounds = np.empty(STACK, np.int32), np.empty(STACK)
    guess = 0
    for i in range(begin, end):
        squared, _, guess, _ = nearest(mesh, load3(points, i), guess, stack, bounds)
        values[i] = math.sqrt(squared)


@jit
def fill_slab(mesh, origin, spacing, begin, end, values):
    """values[i, j, k] at origin + spacing (i, j, k) for begin <= i < end.

    Rows alternate in direction, so that the triangle of one node is a good guess for the next.
    """
    ny, nz = values.shape[1], values.shape[2]
    guess, stack, bounds = 0, np.empty(STACK, np.int32), np.empty(STACK)
    for i in range(begin, end):
        for row in range(ny):
            j = row if (i - begin) % 2 == 0 else ny - 1 - row
            for step in range(nz):
                k = step if (row + (i - begin) * ny) % 2 == 0 else nz - 1 - step
                p = add_scaled(origin, spacing, (float(i), float(j), float(k)))
                squared, q, guess, part = nearest(mesh, p, guess, stack, bounds)
                values[i, j, k] = signed(mesh, p, squared, q, guess, part)


_rows = read_only(np.empty((0, 3)))
EMPTY = DistanceMesh(
    read_only(np.empty((0, 9))), read_only(np.empty((0, 6))), read_only(np.empty(0), np.int32),
    read_only(np.empty((0, 7, 3))), read_only(np.empty((0, DIPOLE_COLUMNS))),
)  # fmt: skip
warm(fill_dipoles, EMPTY, np.empty(0), np.empty((0, DIPOLE_COLUMNS)))
warm(distances, EMPTY, _rows, 0, 0, np.empty(0), np.empty((0, 3)))
warm(unsigned, EMPTY, _rows, 0, 0, np.empty(0))
warm(fill_slab, EMPTY, ZERO, 1.0, 0, 0, np.empty((0, 0, 0), np.float32))
