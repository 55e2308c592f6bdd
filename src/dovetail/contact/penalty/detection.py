"""From poses to contacts: broad phase by boxes, narrow phase by fields."""

from itertools import combinations

import numpy as np

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.broad_phase.near_bodies import keep_near, place_boxes
from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.sdf.detection import PoseRows, plain_rows
from dovetail.collision.sdf.points_inside import least_gap
from dovetail.contact.penalty.bounding_boxes import body_boxes, nearest_first
from dovetail.contact.penalty.collision_body import CollisionBody
from dovetail.contact.penalty.pairs import ContactPairs
from dovetail.contact.penalty.sphere_pairs import sphere_pairs
from dovetail.contact.penalty.surface_contacts import surface_contacts
from dovetail.contact.penalty.surface_pairs import SurfacePairs
from dovetail.contact.penalty.workspace import ContactWorkspace
from dovetail.model.values import Array
from dovetail.runtime.records import Int32Array, Int64Array

FEW = 40  # bodies, of which every pair is tested by oriented boxes without a sweep


class ContactDetector:
    """Broad phase by boxes, then narrow phase by fields, each body in that of the other."""

    def __init__(
        self,
        bodies: list[CollisionBody | None],
        pairs: ContactPairs,
        thinnest: float | None = None,
    ) -> None:
        self._bodies, self._pairs, self._swept = bodies, pairs, PairBuffer()
        self._boxes = body_boxes(bodies)
        self._spheres = sphere_pairs(bodies)
        self._surfaces = SurfacePairs(bodies, thinnest)
        self.any_near = False  # whether boxes overlapped at the latest poses
        self._few = self._all_pairs() if len(bodies) <= FEW else None
        self._last = np.empty((0, 2), np.int32), np.zeros(0, np.int64)  # near pairs, their rows

    def contacts(self, x: Array, R: Array, into: ContactWorkspace) -> None:
        """All points inside other bodies at centres x (n, 3) and rotations R (n, 3, 3)."""
        into.count = 0
        near, rows = self.near_pairs(x, R)
        self.any_near = len(near) > 0
        remain = self._spheres.add_contacts(near, rows, x, R, into)
        for (i, j), k in zip(near[remain].tolist(), rows[remain].tolist()):
            for point_body, field_body in self._directions(i, j):
                self._add(k, point_body, field_body, x, R, into)

    def near_pairs(self, x: Array, R: Array) -> tuple[Int32Array, Int64Array]:
        """Pairs (m, 2) whose oriented boxes overlap, i < j in order, and their rows.

        Of few bodies all pairs are tested, of many those that a sweep leaves.
        """
        if self._few is not None:
            pairs = self._few.copy()
            near = pairs[: keep_near(self._boxes, x, R, pairs, len(pairs))]
            if not np.array_equal(near, self._last[0]):
                self._last = near, self._pairs.rows_of(near)
            return self._last
        boxes = np.empty((len(self._bodies), 6))
        place_boxes(self._boxes, x, R, boxes)
        swept = overlapping_boxes(boxes, self._swept)
        near = swept[: keep_near(self._boxes, x, R, swept, len(swept))]
        near = near[np.lexsort((near[:, 1], near[:, 0]))]
        rows = self._pairs.rows_of(near)
        return near[rows >= 0], rows[rows >= 0]

    def _all_pairs(self) -> Int32Array:
        """(m, 2) pairs i < j that may collide, in order."""
        every = combinations(range(len(self._bodies)), 2)
        found = [pair for pair in every if self._pairs.may_collide(*pair)]
        return np.array(found, np.int32).reshape(-1, 2)

    def least_gap(self, x: Array, R: Array) -> float:
        """The least distance [m] of any detection point from another body, inf for none."""
        gap = np.inf
        boxes = np.empty((len(self._bodies), 6))
        place_boxes(self._boxes, x, R, boxes)
        for (i, j), apart in nearest_first(boxes):
            if apart >= gap:
                break
            if not self._pairs.may_collide(i, j):
                continue
            for point_body, field_body in self._directions(i, j):
                s, m = self._bodies[point_body], self._bodies[field_body]
                assert s is not None and s.octree is not None and m is not None and m.field
                pose = relative_pose(x, R, point_body, field_body)
                gap = float(least_gap(m.field.arrays, s.octree.tree, *pose, gap))
        return gap

    def _directions(self, i: int, j: int) -> list[tuple[int, int]]:
        """(point body, field body): both orders; a sphere or capsule is always the point body."""
        a, b = self._bodies[i], self._bodies[j]
        assert a is not None and b is not None
        a_in_b = a.samples is not None and b.field is not None
        b_in_a = b.samples is not None and a.field is not None
        if a_in_b and (a.is_round or not b_in_a):
            return [(i, j)]
        if b_in_a and (b.is_round or not a_in_b):
            return [(j, i)]
        return [(i, j), (j, i)]

    def _add(
        self, k: int, point_body: int, field_body: int, x: Array, R: Array, into: ContactWorkspace
    ) -> None:
        self._add_surface(k, point_body, field_body, x, R, into, True)

    def _add_surface(
        self, k: int, point_body: int, field_body: int, x: Array, R: Array, into: ContactWorkspace,
        with_points: bool,
    ) -> None:  # fmt: skip
        """Points, edges and faces of one body in the field of the other."""
        surfaces = self._surfaces.of(point_body, field_body)
        while True:
            count = int(
                surface_contacts(
                    surfaces, with_points, point_body, field_body, k, x, R, into.rows, into.count
                )
            )
            if into.count + count <= len(into.rows.depth):
                break
            into.reserve(count)
        into.count += count


def relative_pose(x: Array, R: Array, point_body: int, field_body: int) -> PoseRows:
    """The point body's frame in the field body's."""
    rotation = R[field_body].T
    return plain_rows(rotation @ R[point_body], rotation @ (x[point_body] - x[field_body]))
