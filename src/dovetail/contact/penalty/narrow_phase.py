"""From poses to contacts: which pairs are near, and which points are inside."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.broad_phase.near_bodies import keep_near, place_boxes
from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.sdf.detection import FoundBuffer, PoseRows, plain_rows, run_detection
from dovetail.collision.sdf.points_inside import least_gap
from dovetail.contact.penalty.balls import balls_among
from dovetail.contact.penalty.body import TouchingBody
from dovetail.contact.penalty.body_boxes import body_boxes, nearest_first
from dovetail.contact.penalty.contact_set import ContactSet
from dovetail.contact.penalty.force import gather
from dovetail.contact.penalty.pairs import Numbers, Pairs
from dovetail.contact.penalty.probes import ProbingWays
from dovetail.contact.penalty.probing import probe
from dovetail.model.values import Array

FEW = 40  # bodies


class Detector:
    """Global detection by boxes, then local detection by fields, both ways."""

    def __init__(
        self,
        bodies: list[TouchingBody | None],
        pairs: Pairs,
        detection: str,
        thinnest: float | None = None,
    ) -> None:
        self._bodies, self._pairs, self._detection = bodies, pairs, detection
        self._found, self._swept = FoundBuffer(), PairBuffer()
        self._boxes = body_boxes(bodies)
        self._balls = balls_among(bodies, detection)
        self._ways = ProbingWays(bodies, thinnest)
        self.any_near = False  # whether boxes overlapped when last asked
        self._few = self._all_pairs() if len(bodies) <= FEW else None
        self._last = np.empty((0, 2), np.int32), np.zeros(0, np.int64)  # near pairs, their rows

    def contacts(self, x: Array, R: Array, into: ContactSet) -> None:
        """All points inside other bodies at centres x (n, 3) and rotations R (n, 3, 3)."""
        into.count = 0
        near, numbers = self.near_pairs(x, R)
        self.any_near = len(near) > 0
        one_by_one = self._balls.take(near, numbers, x, R, into)
        for (i, j), k in zip(near[one_by_one].tolist(), numbers[one_by_one].tolist()):
            for slave, master in self._directions(i, j):
                self._add(k, slave, master, x, R, into)

    def near_pairs(self, x: Array, R: Array) -> tuple[NDArray[np.int32], Numbers]:
        """Pairs (m, 2) whose turned boxes overlap, i < j in order, and their rows.

        Of few bodies all pairs are looked at, of many those that a sweep leaves.
        """
        if self._few is not None:
            pairs = self._few.copy()
            near = pairs[: keep_near(self._boxes, x, R, pairs, len(pairs))]
            if not np.array_equal(near, self._last[0]):
                self._last = near, self._pairs.numbers_of(near)
            return self._last
        boxes = np.empty((len(self._bodies), 6))
        place_boxes(self._boxes, x, R, boxes)
        swept = overlapping_boxes(boxes, self._swept)
        near = swept[: keep_near(self._boxes, x, R, swept, len(swept))]
        near = near[np.lexsort((near[:, 1], near[:, 0]))]
        numbers = self._pairs.numbers_of(near)
        return near[numbers >= 0], numbers[numbers >= 0]

    def _all_pairs(self) -> NDArray[np.int32]:
        """(m, 2) pairs i < j that may touch, in order."""
        every = combinations(range(len(self._bodies)), 2)
        found = [pair for pair in every if self._pairs.may_touch(*pair)]
        return np.array(found, np.int32).reshape(-1, 2)

    def least_gap(self, x: Array, R: Array) -> float:
        """The least distance [m] of any detection point from another body, inf for none."""
        gap = np.inf
        boxes = np.empty((len(self._bodies), 6))
        place_boxes(self._boxes, x, R, boxes)
        for (i, j), apart in nearest_first(boxes):
            if apart >= gap:
                break
            if not self._pairs.may_touch(i, j):
                continue
            for slave, master in self._directions(i, j):
                s, m = self._bodies[slave], self._bodies[master]
                assert s is not None and s.octree is not None and m is not None and m.field
                pose = _relative(x, R, slave, master)
                gap = float(least_gap(m.field.arrays, s.octree.tree, *pose, gap))
        return gap

    def _directions(self, i: int, j: int) -> list[tuple[int, int]]:
        """(slave, master): both ways, but a ball or capsule is only probed against the other."""
        a, b = self._bodies[i], self._bodies[j]
        assert a is not None and b is not None
        a_in_b = a.probes is not None and b.field is not None
        b_in_a = b.probes is not None and a.field is not None
        if a_in_b and (a.round or not b_in_a):
            return [(i, j)]
        if b_in_a and (b.round or not a_in_b):
            return [(j, i)]
        return [(i, j), (j, i)]

    def _add(self, k: int, slave: int, master: int, x: Array, R: Array, into: ContactSet) -> None:
        by_points = self._detection == "sdf_octree"
        if not by_points:
            self._add_points(k, slave, master, x, R, into)
        if self._detection == "brute":
            return
        probes, probed, near = self._ways.of(slave, master)
        while True:
            count = int(
                probe(
                    probes, probed, near, by_points, slave, master, k, x, R, into.rows, into.count
                )
            )
            if into.count + count <= len(into.rows.depth):
                break
            into.make_room(count)
        into.count += count

    def _add_points(
        self, k: int, slave: int, master: int, x: Array, R: Array, into: ContactSet
    ) -> None:
        """Detection points found by one of the paper's other methods."""
        s, m = self._bodies[slave], self._bodies[master]
        assert s is not None and s.octree is not None and m is not None and m.master is not None
        pose = _relative(x, R, slave, master)
        count = run_detection(m.master, s.octree, pose, self._found, self._detection)
        into.make_room(count)
        gather(
            into.rows, into.count, self._found.rows, count, s.octree.points, s.octree.reach,
            slave, master, k, x, R,
        )  # fmt: skip
        into.count += count


def _relative(x: Array, R: Array, slave: int, master: int) -> PoseRows:
    """The slave's frame in the master's."""
    turn = R[master].T
    return plain_rows(turn @ R[slave], turn @ (x[slave] - x[master]))
