"""Verlet lists: feature pairs of large meshes, kept until the bodies have moved too far."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.mesh.contact_features import ContactFeatures, candidates_between
from dovetail.collision.narrow_phase.approach import approach
from dovetail.collision.narrow_phase.model_surfaces import BodySurface
from dovetail.collision.narrow_phase.pairs import FeatureCandidates
from dovetail.collision.narrow_phase.surfaces import ContactSurfaces
from dovetail.collision.relative_pose import relative_pose
from dovetail.model.values import Array
from dovetail.runtime.records import Int64Array

SKIN = 0.02  # of the smaller body: how much further than needed a list reaches


@dataclass(frozen=True, eq=False)
class _List:
    """The candidates of one pair, complete up to `radius` at the pose where it was built."""

    candidates: FeatureCandidates | None  # None: there are none
    x: Array  # (2, 3) [m]
    R: Array  # (2, 3, 3)
    radius: float  # [m]
    arm_a: float  # [m] largest distance of any point of the first body from its origin
    arm_b: float


class VerletLists:
    """Lists of candidates by pair of bodies."""

    def __init__(self, surfaces: ContactSurfaces, bodies: list[BodySurface]) -> None:
        self._surfaces = surfaces
        self._features = [ContactFeatures(body.surface) for body in bodies]
        self._wires = [_wire_numbers(body) for body in bodies]
        counts = [np.diff(first).astype(np.int64) for first in (
            surfaces.first_vertex, surfaces.first_edge, surfaces.first_face,
        )]  # fmt: skip
        self.features: Int64Array = np.ascontiguousarray(np.column_stack(counts))  # (n, 3)
        self._lists: dict[tuple[int, int], _List] = {}
        self._buffer = PairBuffer()

    def candidates(
        self, a: int, b: int, x: Array, R: Array, max_gap: float
    ) -> FeatureCandidates | None:
        """Candidates of bodies a and b whose surfaces are within `max_gap` [m]; None: no such."""
        known, surfaces = self._lists.get((a, b)), self._surfaces
        needed = max_gap + float(surfaces.radius[a] + surfaces.radius[b])
        if known is None or known.radius < needed + approach(
            known.x, known.R, x, R, a, b, known.arm_a, known.arm_b
        ):
            skin = SKIN * float(min(surfaces.size[a], surfaces.size[b]))
            pair = [a, b]
            known = self._build(a, b, x[pair], R[pair], needed + skin)
        return known.candidates

    def _build(self, a: int, b: int, x: Array, R: Array, radius: float) -> _List:
        first, second = self._features[a], self._features[b]
        pose = relative_pose(x[0], R[0], x[1], R[1], first.radius, second.radius)
        found = candidates_between(first, second, pose, radius, self._buffer)
        point_wire, wire_point = found.point_wire.copy(), found.wire_point.copy()
        point_wire[:, 1] = self._wires[b][point_wire[:, 1]] + self._surfaces.first_edge[b]
        wire_point[:, 0] = self._wires[a][wire_point[:, 0]] + self._surfaces.first_edge[a]
        near = [found.point_face, found.face_point, found.edge_edge, point_wire, wire_point]
        candidates = FeatureCandidates(*(np.array(rows, np.int32).reshape(-1, 2) for rows in near))
        some = candidates if any(len(rows) for rows in candidates) else None
        known = _List(some, x.copy(), R.copy(), radius, first.radius, second.radius)
        self._lists[a, b] = known
        return known


def _wire_numbers(body: BodySurface) -> NDArray[np.int64]:
    """Numbers among all edges of the body's wires."""
    surface = body.surface
    n = max(len(surface.vertices), 1)
    keys = surface.edges.astype(np.int64) @ [n, 1]
    return np.searchsorted(keys, surface.wires.astype(np.int64) @ [n, 1])
