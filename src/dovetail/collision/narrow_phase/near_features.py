"""Candidates of pairs with too many features to try all, kept while the bodies move little."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.mesh.contact_features import ContactFeatures, candidates_between
from dovetail.collision.narrow_phase.model_surfaces import BodySurface
from dovetail.collision.narrow_phase.surfaces import PLANE, TouchSurfaces
from dovetail.collision.relative_pose import relative_pose
from dovetail.linalg.lie import so3
from dovetail.model.values import Array

MOST_TRIED = 20_000  # pairs of features below which trying all is cheaper than a tree
SLACK = 0.02  # of the smaller body: how much further a list looks


@dataclass(frozen=True, eq=False)
class _Made:
    near: tuple[Any, ...]
    x: Array
    R: Array
    reach: float  # [m]


class NearFeatures:
    """Lists of near features by pair of bodies, each with its reach."""

    def __init__(self, surfaces: TouchSurfaces, bodies: list[BodySurface]) -> None:
        self._surfaces = surfaces
        self._features = [ContactFeatures(body.surface) for body in bodies]
        self._wires = [_wire_numbers(body) for body in bodies]
        counts = (np.diff(first).astype(np.int64) for first in (
            surfaces.first_vertex, surfaces.first_edge, surfaces.first_face,
        ))  # fmt: skip
        self._vertices, self._edges, self._faces = counts
        self._made: dict[tuple[int, int], _Made] = {}
        self._buffer = PairBuffer()

    def is_large(self, pairs: NDArray[np.int32]) -> NDArray[np.bool_]:
        """(m,) which pairs are worth a tree."""
        i, j = pairs[:, 0], pairs[:, 1]
        tried = self._vertices[i] * self._faces[j] + self._vertices[j] * self._faces[i]
        tried = tried + self._edges[i] * self._edges[j]
        kind = self._surfaces.kind
        return np.asarray((tried > MOST_TRIED) & (kind[i] != PLANE) & (kind[j] != PLANE))

    def between(self, a: int, b: int, x: Array, R: Array, reach: float) -> tuple[Any, ...]:
        """Candidates of bodies a and b within `reach` [m] of their surfaces."""
        made, pair = self._made.get((a, b)), [a, b]
        rounding = float(self._surfaces.radius[a] + self._surfaces.radius[b])
        wanted = reach + rounding
        if made is None or made.reach < wanted + self._moved(made, a, b, x[pair], R[pair]):
            slack = SLACK * float(min(self._surfaces.size[a], self._surfaces.size[b]))
            made = self._make(a, b, x[pair], R[pair], wanted + slack)
        return made.near

    def _moved(self, made: _Made, a: int, b: int, x: Array, R: Array) -> float:
        """[m] how much closer two points of the bodies can have come since the list was made."""
        shift = float(np.linalg.norm((x[1] - x[0]) - (made.x[1] - made.x[0])))
        turns = np.linalg.norm(so3.log(R @ np.swapaxes(made.R, 1, 2)), axis=1)
        return shift + float(turns @ [self._features[a].radius, self._features[b].radius])

    def _make(self, a: int, b: int, x: Array, R: Array, reach: float) -> _Made:
        first, second = self._features[a], self._features[b]
        pose = relative_pose(x[0], R[0], x[1], R[1], first.radius, second.radius)
        found = candidates_between(first, second, pose, reach, self._buffer)
        point_wire, wire_point = found.point_wire.copy(), found.wire_point.copy()
        point_wire[:, 1] = self._wires[b][point_wire[:, 1]] + self._surfaces.first_edge[b]
        wire_point[:, 0] = self._wires[a][wire_point[:, 0]] + self._surfaces.first_edge[a]
        near = [found.point_face, found.face_point, found.edge_edge, point_wire, wire_point]
        lists = tuple(np.array(rows, np.int32).reshape(-1, 2) for rows in near)
        made = _Made(lists, x.copy(), R.copy(), reach)
        self._made[a, b] = made
        return made


def _wire_numbers(body: BodySurface) -> NDArray[np.int64]:
    """Numbers among all edges of the body's wires."""
    surface = body.surface
    n = max(len(surface.vertices), 1)
    keys = surface.edges.astype(np.int64) @ [n, 1]
    return np.searchsorted(keys, surface.wires.astype(np.int64) @ [n, 1])
