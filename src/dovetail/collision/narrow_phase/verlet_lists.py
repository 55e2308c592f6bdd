"""Verlet lists: feature pairs of large meshes, kept until the bodies have moved too far."""

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.mesh.contact_features import ContactFeatures, candidates_between
from dovetail.collision.narrow_phase.kept_lists import no_lists
from dovetail.collision.narrow_phase.model_surfaces import BodySurface
from dovetail.collision.narrow_phase.pairs import FeatureCandidates
from dovetail.collision.narrow_phase.surfaces import ContactSurfaces
from dovetail.collision.relative_pose import relative_pose
from dovetail.model.values import Array
from dovetail.runtime.records import Int64Array

SKIN = 0.02  # of the smaller body: how much further than needed a list reaches
CLEAR_SHARES = 0.6, 0.2  # of the skin: where it is looked whether anything is near yet
FIRST_PAIRS, FIRST_ROWS = 16, 1024  # that there is space for at first


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
        self.kept = no_lists()
        self._row: dict[int, int] = {}  # of each key
        self._end = 0  # rows of candidates that are in use, or were
        self._buffer = PairBuffer()

    def build(self, a: int, b: int, x: Array, R: Array, max_gap: float) -> bool:
        """List the features of bodies a < b that come within `max_gap` [m] soon.

        Returns whether the arrays `kept` are others now.
        """
        surfaces, n = self._surfaces, len(self._surfaces.kind)
        needed = max_gap + float(surfaces.radius[a] + surfaces.radius[b])
        radius = needed + SKIN * float(min(surfaces.size[a], surfaces.size[b]))
        near = self._near(a, b, x, R, radius)
        before = self.kept
        k = self._row.setdefault(a * n + b, len(self._row))
        if k == len(self.kept.radius):
            self._add_space_for_pairs()
        lengths = [len(rows) for rows in near]
        if self._end + sum(lengths) > len(self.kept.rows):
            self._add_space_for_rows(k, sum(lengths))
        kept, first, second = self.kept, self._features[a], self._features[b]
        kept.x[k], kept.R[k], kept.radius[k] = x[[a, b]], R[[a, b]], radius
        kept.arm[k] = first.radius, second.radius
        kept.clear[k] = self._clear(a, b, x, R, needed, radius) if sum(lengths) else radius
        kept.first[k] = self._end + np.cumsum([0, *lengths])
        for start, rows in zip(kept.first[k], near):
            kept.rows[start : start + len(rows)] = rows
        self._end = int(kept.first[k, -1])
        if len(kept.key) < len(self._row):
            keys = np.array(list(self._row), np.int64)
            order = np.argsort(keys)
            self.kept = kept._replace(key=keys[order], which=order.astype(np.int64))
        return self.kept is not before

    def _clear(self, a: int, b: int, x: Array, R: Array, needed: float, radius: float) -> float:
        """[m] the largest of some distances at which bodies a and b have nothing; -inf: none."""
        for share in CLEAR_SHARES:
            distance = needed + share * (radius - needed)
            if not any(len(rows) for rows in self._near(a, b, x, R, distance)):
                return distance
        return -np.inf

    def _near(self, a: int, b: int, x: Array, R: Array, radius: float) -> FeatureCandidates:
        """Features of bodies a and b within `radius` [m]."""
        first, second = self._features[a], self._features[b]
        pose = relative_pose(x[a], R[a], x[b], R[b], first.radius, second.radius)
        found = candidates_between(first, second, pose, radius, self._buffer)
        point_wire, wire_point = found.point_wire.copy(), found.wire_point.copy()
        point_wire[:, 1] = self._wires[b][point_wire[:, 1]] + self._surfaces.first_edge[b]
        wire_point[:, 0] = self._wires[a][wire_point[:, 0]] + self._surfaces.first_edge[a]
        near = [found.point_face, found.face_point, found.edge_edge, point_wire, wire_point]
        return FeatureCandidates(*(np.array(rows, np.int32).reshape(-1, 2) for rows in near))

    def _add_space_for_pairs(self) -> None:
        kept, more = self.kept, len(self.kept.radius) + FIRST_PAIRS
        grown = {
            name: np.concatenate([old, np.zeros((more, *old.shape[1:]), old.dtype)])
            for name, old in kept._asdict().items()
            if name not in ("key", "which", "rows")
        }
        self.kept = kept._replace(**grown)

    def _add_space_for_rows(self, k: int, rows: int) -> None:
        """For so many of list k; what is left of lists that were replaced goes."""
        kept = self.kept
        kept.first[k] = 0  # it is replaced itself
        used = range(len(self._row))
        parts = [kept.rows[kept.first[i, 0] : kept.first[i, -1]] for i in used]
        ends = np.cumsum([0, *(len(part) for part in parts)])
        for i in used:
            kept.first[i] += ends[i] - kept.first[i, 0]
        self._end = int(ends[-1])
        free = np.zeros((max(2 * self._end, FIRST_ROWS) + rows, 2), np.int32)
        self.kept = kept._replace(rows=np.concatenate([*parts, free]))


def _wire_numbers(body: BodySurface) -> NDArray[np.int64]:
    """Numbers among all edges of the body's wires."""
    surface = body.surface
    n = max(len(surface.vertices), 1)
    keys = surface.edges.astype(np.int64) @ [n, 1]
    return np.searchsorted(keys, surface.wires.astype(np.int64) @ [n, 1])
