"""One body probed in the field of another: what the kernel needs, kept between steps."""

from math import inf

import numpy as np

from dovetail.contact.penalty.body import TouchingBody
from dovetail.contact.penalty.near_parts import NearParts, nothing_listed
from dovetail.contact.penalty.probing import Probed, Probes

Way = tuple[Probes, Probed, NearParts]
RIPPLE = 0.1  # of a cell: what a grid's field is uneven by on smooth surfaces
MOST_KEPT = 4096  # ways; lists of pairs that parted long ago are dropped


class ProbingWays:
    """Ways from slave to master, made when their boxes first overlap."""

    def __init__(self, bodies: list[TouchingBody | None], thinnest: float | None) -> None:
        self._bodies, self._thinnest = bodies, inf if thinnest is None else thinnest
        self._ways: dict[tuple[int, int], Way] = {}

    def of(self, slave: int, master: int) -> Way:
        way = self._ways.get((slave, master))
        if way is None:
            while len(self._ways) >= MOST_KEPT:
                self._ways.pop(next(iter(self._ways)))
            way = self._ways[slave, master] = self._made(slave, master)
        return way

    def _made(self, slave: int, master: int) -> Way:
        s, m = self._bodies[slave], self._bodies[master]
        assert s is not None and s.octree is not None and s.probes is not None
        assert m is not None and m.field is not None
        feature = min(m.thickness, self._thinnest)
        parts = s.probes.parts_against(feature)
        points, reach = s.probes.points, s.probes.reach
        far = float(np.max(np.linalg.norm(points, axis=1) + reach, initial=0.0))
        size = min(s.size, m.size)
        return (
            Probes(
                s.octree.tree, points, parts.edges, parts.edge_tree.tree, parts.faces,
                parts.face_tree.tree, far,
            ),
            Probed(m.field.arrays, feature, RIPPLE * (m.field.spacing or 0.0), size),
            nothing_listed(len(s.octree), len(parts.edge_tree), len(parts.face_tree)),
        )  # fmt: skip
