"""Verlet lists: feature pairs of large meshes, kept until the bodies have moved too far."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.mesh.contact_features import ContactFeatures, candidates_between
from dovetail.collision.narrow_phase.model_surfaces import BodySurface
from dovetail.collision.narrow_phase.pairs import FeatureCandidates
from dovetail.collision.narrow_phase.surfaces import PLANE, ContactSurfaces
from dovetail.collision.relative_pose import relative_pose
from dovetail.linalg.lie import so3
from dovetail.model.values import Array

MAX_ALL_PAIRS = 20_000  # pairs of features below which testing all is cheaper than a tree
SKIN = 0.02  # of the smaller body: how much further than needed a list reaches


@dataclass(frozen=True, eq=False)
class _List:
    """The candidates of one pair, complete up to `radius` at the pose where it was built."""

    candidates: FeatureCandidates
    x: Array  # (2, 3) [m]
    R: Array  # (2, 3, 3)
    radius: float  # [m]


class VerletLists:
    """Lists of candidates by pair of bodies."""

    def __init__(self, surfaces: ContactSurfaces, bodies: list[BodySurface]) -> None:
        self._surfaces = surfaces
        self._features = [ContactFeatures(body.surface) for body in bodies]
        self._wires = [_wire_numbers(body) for body in bodies]
        counts = (np.diff(first).astype(np.int64) for first in (
            surfaces.first_vertex, surfaces.first_edge, surfaces.first_face,
        ))  # fmt: skip
        self._vertices, self._edges, self._faces = counts
        self._lists: dict[tuple[int, int], _List] = {}
        self._buffer = PairBuffer()

    def is_large(self, pairs: NDArray[np.int32]) -> NDArray[np.bool_]:
        """(m,) which pairs have so many features that a tree is faster."""
        i, j = pairs[:, 0], pairs[:, 1]
        tried = self._vertices[i] * self._faces[j] + self._vertices[j] * self._faces[i]
        tried = tried + self._edges[i] * self._edges[j]
        kind = self._surfaces.kind
        return np.asarray((tried > MAX_ALL_PAIRS) & (kind[i] != PLANE) & (kind[j] != PLANE))

    def candidates(self, a: int, b: int, x: Array, R: Array, max_gap: float) -> FeatureCandidates:
        """Candidates of bodies a and b whose surfaces are within `max_gap` [m]."""
        known, pair = self._lists.get((a, b)), [a, b]
        rounding = float(self._surfaces.radius[a] + self._surfaces.radius[b])
        needed = max_gap + rounding
        if known is None or known.radius < needed + self._approach(known, a, b, x[pair], R[pair]):
            skin = SKIN * float(min(self._surfaces.size[a], self._surfaces.size[b]))
            known = self._build(a, b, x[pair], R[pair], needed + skin)
        return known.candidates

    def _approach(self, known: _List, a: int, b: int, x: Array, R: Array) -> float:
        """[m] bound on how much closer two points have come since the list was built."""
        translation = float(np.linalg.norm((x[1] - x[0]) - (known.x[1] - known.x[0])))
        angles = np.linalg.norm(so3.log(R @ np.swapaxes(known.R, 1, 2)), axis=1)
        return translation + float(angles @ [self._features[a].radius, self._features[b].radius])

    def _build(self, a: int, b: int, x: Array, R: Array, radius: float) -> _List:
        first, second = self._features[a], self._features[b]
        pose = relative_pose(x[0], R[0], x[1], R[1], first.radius, second.radius)
        found = candidates_between(first, second, pose, radius, self._buffer)
        point_wire, wire_point = found.point_wire.copy(), found.wire_point.copy()
        point_wire[:, 1] = self._wires[b][point_wire[:, 1]] + self._surfaces.first_edge[b]
        wire_point[:, 0] = self._wires[a][wire_point[:, 0]] + self._surfaces.first_edge[a]
        near = [found.point_face, found.face_point, found.edge_edge, point_wire, wire_point]
        candidates = FeatureCandidates(*(np.array(rows, np.int32).reshape(-1, 2) for rows in near))
        known = _List(candidates, x.copy(), R.copy(), radius)
        self._lists[a, b] = known
        return known


def _wire_numbers(body: BodySurface) -> NDArray[np.int64]:
    """Numbers among all edges of the body's wires."""
    surface = body.surface
    n = max(len(surface.vertices), 1)
    keys = surface.edges.astype(np.int64) @ [n, 1]
    return np.searchsorted(keys, surface.wires.astype(np.int64) @ [n, 1])
