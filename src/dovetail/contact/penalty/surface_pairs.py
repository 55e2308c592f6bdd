"""One body sought in the field of another: what the kernel needs, kept between steps."""

from math import inf

import numpy as np

from dovetail.contact.penalty.collision_body import CollisionBody
from dovetail.contact.penalty.records import PartnerField, SampledSurface, SurfacePair
from dovetail.contact.penalty.verlet_list import empty_list

RIPPLE = 0.1  # of a cell: what a grid's field is uneven by on smooth surfaces
MAX_KEPT = 4096  # pairs; lists of pairs that parted long ago are dropped


class SurfacePairs:
    """Pairs (point body, field body), each made when their boxes first overlap."""

    def __init__(self, bodies: list[CollisionBody | None], thinnest: float | None) -> None:
        self._bodies, self._thinnest = bodies, inf if thinnest is None else thinnest
        self._pairs: dict[tuple[int, int], SurfacePair] = {}

    def of(self, point_body: int, field_body: int) -> SurfacePair:
        pair = self._pairs.get((point_body, field_body))
        if pair is None:
            while len(self._pairs) >= MAX_KEPT:
                self._pairs.pop(next(iter(self._pairs)))
            pair = self._pairs[point_body, field_body] = self._make(point_body, field_body)
        return pair

    def _make(self, point_body: int, field_body: int) -> SurfacePair:
        s, m = self._bodies[point_body], self._bodies[field_body]
        assert s is not None and s.octree is not None and s.samples is not None
        assert m is not None and m.field is not None
        feature = min(m.thickness, self._thinnest)
        parts = s.samples.parts_against(feature)
        points, reach = s.samples.points, s.samples.reach
        radius = float(np.max(np.linalg.norm(points, axis=1) + reach, initial=0.0))
        return SurfacePair(
            SampledSurface(
                s.octree.tree, points, parts.edges, parts.edge_tree.tree, parts.faces,
                parts.face_tree.tree, radius,
            ),
            PartnerField(
                m.field.arrays, feature, RIPPLE * (m.field.spacing or 0.0), min(s.size, m.size)
            ),
            empty_list(len(s.octree), len(parts.edge_tree), len(parts.face_tree)),
        )  # fmt: skip
