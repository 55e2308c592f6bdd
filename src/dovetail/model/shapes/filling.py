"""What an open surface encloses, for its mass: holes capped, the convex hull, or winding numbers.

The boundary of an open surface is a set of closed chains of edges. A fan of triangles from every
boundary edge to the middle of its chain, the caps, makes the surface closed. The winding number of
the open surface is then that of the closed one, a whole number, less that of the caps, which is
smooth away from them (Jacobson, Kavan, Sorkine-Hornung, Robust inside-outside segmentation using
generalized winding numbers, ACM Trans Graph 32 (2013)).
"""

import numpy as np
from numpy.typing import NDArray

from dovetail.model.connected import component_labels
from dovetail.model.shapes.integrals import solid_integrals
from dovetail.model.shapes.shape import MassProperties
from dovetail.model.surface import IndexArray
from dovetail.model.values import Array

COLUMNS = 128  # along the longest side of the box, where winding numbers decide
SAMPLES = 9  # winding numbers of the caps between two crossings of a column
PAIRS_AT_ONCE = 1_000_000
FAR = 5.0  # radii of a hole: beyond, its caps are a dipole
NOTHING = MassProperties(3, 0.0, np.zeros(3), np.zeros((3, 3)))


def capped(vertices: Array, faces: IndexArray) -> tuple[Array, IndexArray]:
    """Vertices with the middle of each hole added, and the triangles (k, 3) that cap the holes."""
    start, end = faces.astype(np.int64), np.roll(faces, -1, axis=1).astype(np.int64)
    n = len(vertices)
    low, high = np.minimum(start, end), np.maximum(start, end)
    keys, number = np.unique((low * n + high).ravel(), return_inverse=True)
    net = np.bincount(number, weights=np.where(start < end, 1.0, -1.0).ravel()).astype(np.int64)
    a, b = keys // n, keys % n
    # each edge as often as it is run along one way more than the other
    along = np.concatenate(
        [np.repeat(np.column_stack([a, b]), np.maximum(net, 0), axis=0),
         np.repeat(np.column_stack([b, a]), np.maximum(-net, 0), axis=0)]
    )  # fmt: skip
    if not len(along):
        return vertices, np.zeros((0, 3), np.int32)
    used, local = np.unique(along, return_inverse=True)
    local = local.reshape(-1, 2)
    hole = component_labels(len(used), local)[local[:, 0]]
    lengths = np.linalg.norm(vertices[along[:, 0]] - vertices[along[:, 1]], axis=1)
    middles = 0.5 * (vertices[along[:, 0]] + vertices[along[:, 1]])
    weights = np.bincount(hole, lengths)
    sums: Array = np.column_stack([np.bincount(hole, lengths * x) for x in middles.T])
    centres = sums / np.maximum(weights, np.finfo(float).tiny)[:, None]
    caps = np.column_stack([along[:, 1], along[:, 0], n + hole]).astype(np.int32)
    return np.concatenate([vertices, centres]), caps


def filled_holes(vertices: Array, faces: IndexArray) -> MassProperties:
    """The solid with its holes capped."""
    points, caps = capped(vertices, faces)
    return solid_integrals(points, np.concatenate([faces, caps]))


def filled_hull(vertices: Array) -> MassProperties:
    """The convex hull; nothing where all vertices are in one plane."""
    from dovetail.linalg.exact.convex_hull import convex_hull  # compiled, unlike the rest

    hull = convex_hull(vertices)
    return NOTHING if hull is None else solid_integrals(vertices, hull)


def filled_by_winding(vertices: Array, faces: IndexArray) -> MassProperties:
    """Where the winding number of the open surface is above 1/2, to about 1e-3 of the volume.

    Columns along z cross the surface; between two crossings the winding number of the closed
    surface is constant, and that of the caps is sampled and interpolated.
    """
    points, caps = capped(vertices, faces)
    every = np.concatenate([faces, caps])
    lower, upper = points[np.unique(every)].min(axis=0), points[np.unique(every)].max(axis=0)
    size = upper - lower
    spacing = float(size.max()) / COLUMNS
    if not spacing > 0:
        return NOTHING
    count = np.maximum(np.ceil(size[:2] / spacing).astype(np.int64), 1)
    pitch = size[:2] / count
    column, z, step = _crossings(points, every, lower[:2], pitch, count)
    total = _summed_columns(points[caps], column, z, step, lower, pitch, count)
    if total[0] <= 0:  # the faces point inward
        total = _summed_columns(points[caps[:, [1, 0, 2]]], column, z, -step, lower, pitch, count)
    return _mass_properties(total, 0.5 * (lower + upper), pitch)


def _crossings(
    points: Array, faces: IndexArray, origin: Array, pitch: Array, count: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Array, NDArray[np.int64]]:
    """Number of the column, height and change of the winding number going up, all (k,)."""
    flat = (points[:, :2] - origin) / pitch - 0.5 + 1e-7 * np.array([1.0, np.sqrt(2.0)])
    corners = flat[faces]
    first = np.maximum(np.ceil(corners.min(axis=1)).astype(np.int64), 0)
    last = np.minimum(np.floor(corners.max(axis=1)).astype(np.int64), count - 1)
    wide = np.maximum(last - first + 1, 0)
    tested = wide[:, 0] * wide[:, 1]
    found = []
    begin = 0
    while begin < len(faces):
        ends = np.searchsorted(np.cumsum(tested[begin:]), PAIRS_AT_ONCE)
        rows = np.arange(begin, min(len(faces), begin + max(1, int(ends))))
        begin = int(rows[-1]) + 1
        face = np.repeat(rows, tested[rows])
        within = np.arange(len(face)) - np.repeat(
            np.cumsum(tested[rows]) - tested[rows], tested[rows]
        )
        i = first[face, 0] + within % np.maximum(wide[face, 0], 1)
        j = first[face, 1] + within // np.maximum(wide[face, 0], 1)
        p = np.column_stack([i, j]).astype(float)
        a, b, c = (corners[face, k] - p for k in range(3))
        u, v, w = _cross(b, c), _cross(c, a), _cross(a, b)
        inside = ((u > 0) & (v > 0) & (w > 0)) | ((u < 0) & (v < 0) & (w < 0))
        face, u, v, w = face[inside], u[inside], v[inside], w[inside]
        heights = points[faces[face], 2]
        z = (u * heights[:, 0] + v * heights[:, 1] + w * heights[:, 2]) / (u + v + w)
        found.append((i[inside] * count[1] + j[inside], z, np.where(u > 0, -1, 1)))
    column, z, step = (np.concatenate(parts) for parts in zip(*found))
    order = np.lexsort((z, column))
    return column[order], z[order], step[order]


def _cross(a: Array, b: Array) -> Array:
    product: Array = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return product


def _summed_columns(
    caps: Array, column: NDArray[np.int64], z: Array, step: NDArray[np.int64], lower: Array,
    pitch: Array, count: NDArray[np.int64],
) -> Array:  # fmt: skip
    """Integrals of 1, x, y, z, xx, yy, zz, xy, yz, zx over the columns' inner parts, per area.

    Coordinates are from the middle of the box.
    """
    same = column[1:] == column[:-1]
    around = np.cumsum(step)
    before = np.concatenate([[0], around[:-1]])[np.concatenate([[True], ~same])]
    around = around - np.repeat(before, np.diff(np.flatnonzero(np.append(
        np.concatenate([[True], ~same]), True
    ))))  # fmt: skip
    start, end, winding = z[:-1][same], z[1:][same], around[:-1][same].astype(float)
    at = column[:-1][same]
    middle = 0.5 * (count * pitch)
    x = (at // count[1] + 0.5) * pitch[0] - middle[0]
    y = (at % count[1] + 0.5) * pitch[1] - middle[1]
    height = float(z.max(initial=0.0) + z.min(initial=0.0)) / 2
    spread = np.linspace(0.0, 1.0, SAMPLES)
    eps = 1e-6  # samples stay off the crossings, where the winding number of the caps jumps
    places = start[:, None] + (end - start)[:, None] * (eps + (1 - 2 * eps) * spread)
    centre = np.column_stack([lower[0] + middle[0] + x, lower[1] + middle[1] + y])
    of_caps = np.column_stack(
        [_windings(caps, np.column_stack([centre, places[:, k]])) for k in range(SAMPLES)]
    )
    above = winding[:, None] - of_caps - 0.5  # > 0 inside
    total = np.zeros(10)
    for k in range(SAMPLES - 1):
        g0, g1 = above[:, k], above[:, k + 1]
        z0, z1 = places[:, k] - height, places[:, k + 1] - height
        with np.errstate(divide="ignore", invalid="ignore"):
            zero = z0 + (z1 - z0) * g0 / (g0 - g1)
        low = np.where(g0 > 0, z0, np.where(g1 > 0, zero, z1))
        high = np.where(g1 > 0, z1, np.where(g0 > 0, zero, z0))
        high = np.maximum(high, low)
        one, first, second = high - low, (high**2 - low**2) / 2, (high**3 - low**3) / 3
        total += [
            one.sum(), (x * one).sum(), (y * one).sum(), first.sum(), (x * x * one).sum(),
            (y * y * one).sum(), second.sum(), (x * y * one).sum(), (y * first).sum(),
            (x * first).sum(),
        ]  # fmt: skip
    return np.append(total, height)


def _windings(caps: Array, points: Array) -> Array:
    """(n,) how often the caps (m, 3, 3), three corners with the middle of a hole last, go round.

    Holes that are FAR count as dipoles: area . r / (4 pi r^3).
    """
    found = np.zeros(len(points))
    if not len(caps) or not len(points):
        return found
    centres, hole = np.unique(caps[:, 2], axis=0, return_inverse=True)
    for number, centre in enumerate(centres):
        own = caps[hole.ravel() == number]
        area = 0.5 * np.cross(own[:, 1] - own[:, 0], own[:, 2] - own[:, 0]).sum(axis=0)
        radius = float(np.sqrt(np.max(np.sum((own - centre) ** 2, axis=2))))
        away = centre - points
        distance = np.sqrt(np.einsum("ni,ni->n", away, away))
        far = distance > FAR * radius
        found[far] += away[far] @ area / (4 * np.pi * distance[far] ** 3)
        near = np.flatnonzero(~far)
        at_once = max(1, PAIRS_AT_ONCE // len(own))
        for begin in range(0, len(near), at_once):
            rows = near[begin : begin + at_once]
            found[rows] += _solid_angles(own, points[rows]) / (4 * np.pi)
    return found


def _solid_angles(triangles: Array, points: Array) -> Array:
    """(n,) [sr] of triangles (m, 3, 3) seen from points (n, 3); see `winding.winding_number`."""
    a, b, c = (triangles[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.sqrt(np.einsum("nmi,nmi->nm", v, v)) for v in (a, b, c))
    top = np.einsum("nmi,nmi->nm", a, np.cross(b, c))
    bottom = la * lb * lc + np.einsum("nmi,nmi->nm", a, b) * lc
    bottom += np.einsum("nmi,nmi->nm", b, c) * la + np.einsum("nmi,nmi->nm", c, a) * lb
    angles: Array = 2 * np.arctan2(top, bottom).sum(axis=1)
    return angles


def _mass_properties(total: Array, middle: Array, pitch: Array) -> MassProperties:
    one, x, y, z, xx, yy, zz, xy, yz, zx, height = total
    area = float(pitch[0] * pitch[1])
    if not one > 0:
        return NOTHING
    centre = np.array([x, y, z]) / one
    # the column's own second moment across it
    across = np.array([pitch[0] ** 2, pitch[1] ** 2, 0.0]) / 12
    second = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]) / one + np.diag(across)
    second = second - np.outer(centre, centre)
    measure = one * area
    inertia = measure * (np.trace(second) * np.eye(3) - second)
    origin = np.array([middle[0], middle[1], height])
    return MassProperties(3, measure, origin + centre, inertia)
