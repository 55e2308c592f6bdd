"""The features with which a body touches others: corners, sharp edges, circles, balls.

A point on a flat face is never a feature: whatever touches the face does so with a corner, an edge
or a curved part of its own. A feature touches along the normal n of the other body only if -n is
in its normal cone: the directions in which it sticks out furthest.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.sdf.coarse_parts import SHARP, sides_of_faces
from dovetail.collision.sdf.octree import Octree
from dovetail.collision.sdf.point_octree import PointTree
from dovetail.model.shapes import Capsule, Compound, Cone, Cylinder, Shape, Sphere, Torus
from dovetail.model.surface import Surface
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import FloatArray, Int32Array

FLAT = 0.01  # [rad] between two faces: a smaller angle is none
LONG = 12  # times in the longest side of a body: from this length on, any convex edge is searched


class FeatureArrays(NamedTuple):
    """n vertices, m edges and k circles in the body's frame; edges and vertices by number."""

    vertices: PointTree  # with their reach: a ball is a vertex
    into: FloatArray  # (n, 3) unit vectors into the body at sharp vertices, 0 at others
    first: Int32Array  # (n + 1,) where the rows of `cone` of each vertex begin
    cone: FloatArray  # (c, 3) unit vectors along the edges that leave a sharp vertex
    edges: PointTree  # balls around the edges
    ends: FloatArray  # (m, 6) [m] both ends
    edge_into: FloatArray  # (m, 3) unit vectors into the body, 0 without faces
    sides: FloatArray  # (m, 6) unit vectors across the edge along its two faces, 0 without
    edge_reach: FloatArray  # (m,) [m] radius of the rod that the edge stands for
    circles: FloatArray  # (k, 9) [m] centre, axis out of the body, radius, [rad] slope, reach
    radius: float  # [m] no point is further from the origin


class _Parts:
    """Features of the parts of a body, gathered."""

    def __init__(self) -> None:
        self.vertices: list[Array] = []
        self.reach: list[Array] = []
        self.into: list[Array] = []
        self.cones: list[Array] = []
        self.ends: list[Array] = []
        self.edge_into: list[Array] = []
        self.sides: list[Array] = []
        self.edge_reach: list[Array] = []
        self.circles: list[Array] = []

    def add_vertices(
        self, points: Array, reach: float, into: Array | None = None,
        cones: list[Array] | None = None,
    ) -> None:  # fmt: skip
        n = len(points)
        self.vertices.append(points)
        self.reach.append(np.full(n, reach))
        self.into.append(np.zeros((n, 3)) if into is None else into)
        self.cones += [np.zeros((0, 3))] * n if cones is None else cones

    def add_edges(
        self, ends: Array, reach: float, into: Array | None = None, sides: Array | None = None
    ) -> None:
        m = len(ends)
        self.ends.append(ends.reshape(m, 6))
        self.edge_into.append(np.zeros((m, 3)) if into is None else into)
        self.sides.append(np.zeros((m, 6)) if sides is None else sides.reshape(m, 6))
        self.edge_reach.append(np.full(m, reach))

    def add_circle(
        self, centre: Array, axis: Array, radius: float, slope: float = 0.0, reach: float = 0.0
    ) -> None:
        """The rim of a flat end, or the circle along which a tube of radius `reach` runs.

        `slope` is the angle between the axis and the side that meets the end at the rim.
        """
        self.circles.append(np.concatenate([centre, axis, [radius, slope, reach]])[None])

    def arrays(self) -> FeatureArrays:
        vertices, reach = _joined(self.vertices, 3), np.concatenate([*self.reach, np.zeros(0)])
        ends, edge_reach = _joined(self.ends, 6), np.concatenate([*self.edge_reach, np.zeros(0)])
        circles = _joined(self.circles, 9)
        middle, half = 0.5 * (ends[:, :3] + ends[:, 3:]), 0.5 * (ends[:, 3:] - ends[:, :3])
        far = np.concatenate([
            np.linalg.norm(vertices, axis=1) + reach,
            np.linalg.norm(ends[:, :3], axis=1) + edge_reach,
            np.linalg.norm(ends[:, 3:], axis=1) + edge_reach,
            np.linalg.norm(circles[:, :3], axis=1) + circles[:, 6] + circles[:, 8],
        ])  # fmt: skip
        counts = [len(cone) for cone in self.cones]
        return FeatureArrays(
            Octree(vertices, reach).tree, read_only(_joined(self.into, 3)),
            read_only(np.concatenate([[0], np.cumsum(counts)]), np.int32),
            read_only(_joined(self.cones, 3)),
            Octree(middle, np.linalg.norm(half, axis=1) + edge_reach).tree, read_only(ends),
            read_only(_joined(self.edge_into, 3)), read_only(_joined(self.sides, 6)),
            read_only(edge_reach), read_only(circles), float(far.max(initial=0.0)),
        )  # fmt: skip


def features_of(shape: Shape, surface: Surface, centre: Array) -> FeatureArrays:
    """Features in the body's frame; `surface` is there, `centre` [m] is its origin in the shape."""
    parts = _Parts()
    _add_shape(parts, shape, surface, np.eye(3), -np.asarray(centre))
    return parts.arrays()


def _add_shape(
    parts: _Parts, shape: Shape, surface: Surface | None, turn: Array, move: Array
) -> None:
    """A shape at `turn` p + `move`; its surface where that is known already."""
    if isinstance(shape, Sphere):
        parts.add_vertices(move[None].copy(), float(shape.radius))
    elif isinstance(shape, Capsule | Cylinder):
        half = 0.5 * float(shape.height)
        ends = np.array([[0, 0, -half], [0, 0, half]]) @ turn.T + move
        parts.add_edges(ends[None], float(shape.radius))
        if isinstance(shape, Capsule):
            parts.add_vertices(ends, float(shape.radius))
            return
        for end, out in zip(ends, (-turn[:, 2], turn[:, 2])):
            parts.add_circle(end, out, float(shape.radius))
    elif isinstance(shape, Cone):
        slope = float(np.arctan2(float(shape.radius), float(shape.height)))
        parts.add_circle(move, -turn[:, 2], float(shape.radius), slope=slope)
        tip = move + float(shape.height) * turn[:, 2]
        parts.add_vertices(tip[None], 0.0)
    elif isinstance(shape, Torus):
        parts.add_circle(move, turn[:, 2], float(shape.major), reach=float(shape.minor))
    elif isinstance(shape, Compound):
        for part in shape.placed:
            R, t = part.pose
            _add_shape(parts, part.shape, None, turn @ R, turn @ t + move)
    else:
        _add_surface(parts, shape.surface().moved(turn, move) if surface is None else surface)


def _add_surface(parts: _Parts, surface: Surface) -> None:
    """Vertices that are not flat, and edges that stick out."""
    vertices, edges = surface.vertices, surface.edges
    if not len(vertices):
        return
    normals = _face_normals(surface)
    pairs, angle, convex = _dihedrals(surface, normals)
    free = pairs[:, 1] < 0  # no face, one, or more than two
    bent = free | (angle > FLAT)
    sharp = free | (convex & (angle > SHARP))
    n = len(vertices)
    at_bent, at_sharp, at_face = np.zeros((3, n), np.bool_)
    at_bent[edges[bent].ravel()] = True
    at_sharp[edges[sharp].ravel()] = True
    at_face[surface.faces.ravel()] = True
    keep = at_bent | ~at_face
    into = np.zeros((n, 3))
    np.subtract.at(into, surface.faces.ravel(), np.repeat(normals, 3, axis=0))
    into = _unit(into) * (at_sharp & at_face)[:, None]
    number = np.flatnonzero(keep)
    parts.add_vertices(vertices[number], 0.0, into[number], _cones(surface, at_sharp, number))
    length = np.linalg.norm(vertices[edges[:, 1]] - vertices[edges[:, 0]], axis=1)
    long = length > float(np.max(np.ptp(vertices, axis=0))) / LONG
    chosen = np.flatnonzero(sharp | (convex & (angle > FLAT) & long))
    a, b = vertices[edges[chosen, 0]], vertices[edges[chosen, 1]]
    along = _unit(b - a)
    sides, inward = np.zeros((len(chosen), 2, 3)), np.zeros((len(chosen), 3))
    with_faces = ~free[chosen]
    for side in range(2):
        face = pairs[chosen, side]
        tips = vertices[surface.faces[np.maximum(face, 0)]].sum(axis=1) - 3 * a  # into the face
        across = tips - np.einsum("ij,ij->i", tips, along)[:, None] * along
        sides[:, side] = _unit(across) * with_faces[:, None]
        inward -= normals[np.maximum(face, 0)] * with_faces[:, None]
    parts.add_edges(np.stack([a, b], axis=1), 0.0, _unit(inward), sides)


def has_sharp_hollow(surface: Surface) -> bool:
    """Whether faces meet at a sharp edge that does not stick out, as in a hole or slot."""
    pairs, angle, convex = _dihedrals(surface, _face_normals(surface))
    return bool(((pairs[:, 1] >= 0) & ~convex & (angle > SHARP)).any())


def _face_normals(surface: Surface) -> Array:
    corners = surface.vertices[surface.faces]
    return _unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))


def _dihedrals(
    surface: Surface, normals: Array
) -> tuple[NDArray[np.int64], Array, NDArray[np.bool_]]:
    """Of every edge: its two faces (-1 unless there are two), angle [rad], if it sticks out."""
    m = len(surface.edges)
    pairs, angle, convex = np.full((m, 2), -1), np.zeros(m), np.zeros(m, np.bool_)
    if not len(surface.faces):
        return pairs, angle, convex
    side = sides_of_faces(surface)
    order = np.argsort(side.ravel(), kind="stable")
    edge, face = side.ravel()[order], order // 3
    first = np.searchsorted(edge, np.arange(m))
    two = np.flatnonzero(np.bincount(side.ravel(), minlength=m) == 2)
    a, b = face[first[two]], face[first[two] + 1]
    pairs[two, 0], pairs[two, 1] = a, b
    cosine = np.einsum("ij,ij->i", normals[a], normals[b])
    angle[two] = np.arccos(np.clip(cosine, -1.0, 1.0))
    middle = surface.vertices[surface.faces].mean(axis=1)
    convex[two] = np.einsum("ij,ij->i", middle[b] - middle[a], normals[a]) < 0.0
    return pairs, angle, convex


def _cones(surface: Surface, sharp: NDArray[np.bool_], number: NDArray[np.int64]) -> list[Array]:
    """Unit vectors along the edges that leave each vertex `number`; none for those not sharp."""
    vertices, edges = surface.vertices, surface.edges
    wires = np.zeros(len(vertices), np.bool_)
    wires[surface.wires.ravel()] = True
    start, end = edges.ravel(), edges[:, ::-1].ravel()
    order = np.argsort(start, kind="stable")
    first = np.searchsorted(start[order], np.arange(len(vertices) + 1))
    none, found = np.zeros((0, 3)), []
    for i in number:
        others = end[order[first[i] : first[i + 1]]]
        with_cone = sharp[i] and not wires[i]
        found.append(_unit(vertices[others] - vertices[i]) if with_cone else none)
    return found


def _unit(rows: Array) -> Array:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Array = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return unit


def _joined(rows: list[Array], width: int) -> Array:
    return np.concatenate([np.zeros((0, width)), *rows])
