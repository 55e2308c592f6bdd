"""From poses to contacts: boxes, then each body's features in the field of the other."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.broad_phase.near_bodies import HALF_SPACE, mark_near, place_boxes
from dovetail.collision.bvh.tree import PairBuffer
from dovetail.collision.field_contacts.apart import mark_apart
from dovetail.collision.field_contacts.bodies import FieldBody
from dovetail.collision.field_contacts.feature_contacts import feature_contacts
from dovetail.collision.field_contacts.pairs import INWARD, feature_pair
from dovetail.collision.field_contacts.reduction import MOST, reduce_contacts
from dovetail.contact.penalty.bounding_boxes import body_boxes
from dovetail.contact.penalty.compliant.pair_hulls import PairHulls
from dovetail.contact.penalty.compliant.pairs import CompliantPairs
from dovetail.contact.penalty.sphere_pairs import sphere_pairs
from dovetail.contact.penalty.workspace import ContactWorkspace
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import BoolArray, Int32Array, Int64Array

NEAR = 1e-4  # of the smaller body: contacts this far apart are always kept
SAME = 2e-3  # of it: nearer contacts with the same normal are one
FEW = 32  # bodies of which every pair is looked at
FURTHEST = 16.0  # times INWARD: how much less a gap of features may be than that of the bodies
MAX_KEPT = 4096  # pairs; lists of pairs that parted long ago are dropped


class FeatureDetector:
    """Contacts with gaps up to what a step may close."""

    def __init__(
        self, bodies: Sequence[FieldBody | None], pairs: CompliantPairs, thinnest: float
    ) -> None:
        self._bodies, self._pairs, self._thinnest = bodies, pairs, thinnest
        self._boxes = body_boxes(bodies)
        self._placed, self._swept = np.empty((len(bodies), 6)), PairBuffer()
        self._lists: dict[tuple[int, int], Any] = {}  # bundled FeaturePairs
        self._balls = sphere_pairs(bodies)
        size = np.array([0.0 if b is None or b.box is None else b.size for b in bodies])
        self._margin = NEAR * size
        thickness = np.array([0.0 if b is None or b.box is None else b.thickness for b in bodies])
        self._slack = FURTHEST * INWARD * np.where(np.isfinite(thickness), thickness, 0.0)
        self._planes = self._boxes.kind == HALF_SPACE
        self._hulls = PairHulls(bodies)
        self._label, self._distance = np.empty(0, np.int32), np.empty(0)
        n = len(bodies)
        few = [(i, j) for i in range(n) for j in range(i + 1, n)] if n <= FEW else []
        few = [pair for pair in few if pairs.may_collide(*pair)]
        self._few = np.array(few, np.int32).reshape(-1, 2)
        self._few_rows = pairs.rows_of(self._few)
        self._remaining = self._balls.remaining(self._few)
        self._known: dict[int, tuple[int, int, int, list[tuple[int, int]]]] = {}
        self._numbers_of_few = self._numbers(self._few, self._few_rows, self._remaining)

    def contacts(
        self, x: Array, R: Array, displacement: Array, turned: Array, into: ContactWorkspace
    ) -> None:
        """Gaps that may close at x (n, 3), R (n, 3, 3) if points move by `displacement` (n,).

        The bodies turn by `turned` (n,) [rad] meanwhile.
        """
        into.count = 0
        margin = displacement + self._margin
        if len(self._bodies) <= FEW:
            near, rows, numbers = self._few, self._few_rows, self._numbers_of_few
            if not self._remaining.all():
                self._balls.add_near(near, rows, x, R, margin, into)
        else:
            near, rows = self._near_pairs(x, R, margin)
            self._balls.add_near(near, rows, x, R, margin, into)
            numbers = self._numbers(near, rows, self._balls.remaining(near))
        for row in self._meet(numbers, x, R, margin):
            i, j, k, directions = self._directed(*row)
            begin = into.count
            first = begin
            for point_body, field_body in directions:
                first = into.count
                self._add(
                    k, point_body, field_body, (margin[i] + margin[j], turned[i] + turned[j]), x, R,
                    into,
                )  # fmt: skip
            if into.count > first > begin or into.count - begin > MOST:
                self._reduce(begin, SAME * float(self._pairs.size[k]), into)

    @staticmethod
    def _numbers(pairs: Int32Array, rows: Int64Array, remaining: BoolArray) -> Int32Array:
        """(m, 3) both bodies and the row of each of the pairs (k, 2) that remain."""
        both = np.concatenate((pairs, rows[:, None]), axis=1)
        return np.ascontiguousarray(both[remaining], np.int32)

    def _directed(self, i: int, j: int, k: int) -> tuple[int, int, int, list[tuple[int, int]]]:
        """Both bodies, the row and the directions of a pair."""
        known = self._known.get(k)
        if known is None:
            known = self._known[k] = i, j, k, self._directions(i, j)
        return known

    def _meet(self, numbers: Int32Array, x: Array, R: Array, margin: Array) -> list[list[int]]:
        """Those of the rows (m, 3) whose pairs may have gaps below their margins.

        Their oriented boxes, wider by all that gaps may be off, meet, and no direction separates
        the hulls of their parts.
        """
        if not len(numbers):
            return []
        wider = margin + self._slack
        if self._planes.any():
            wider = wider + margin[self._planes].max()
        boxes = self._boxes._replace(half=read_only(self._boxes.half + wider[:, None]))
        pairs, found = np.ascontiguousarray(numbers[:, :2]), np.empty(len(numbers), np.bool_)
        mark_near(boxes, x, R, pairs, found)
        if found.any():
            numbers = numbers[found]
            pairs, near = np.ascontiguousarray(numbers[:, :2]), np.ones(len(numbers), np.bool_)
            known, enough = self._hulls.known(self._pairs.bodies), self._hulls.enough(pairs, margin)
            rows = np.ascontiguousarray(numbers[:, 2])
            mark_apart(self._hulls.trees, known, rows, x, R, pairs, enough, near)
            found = near
        rows_of_near: list[list[int]] = numbers[found].tolist()
        return rows_of_near

    def _near_pairs(self, x: Array, R: Array, margin: Array) -> tuple[Int32Array, Int64Array]:
        """Pairs (m, 2) whose boxes, wider by their margins, overlap, i < j in order; their rows."""
        place_boxes(self._boxes, x, R, self._placed)
        boxes = self._placed + margin[:, None] * np.array([-1.0, -1, -1, 1, 1, 1])
        near = overlapping_boxes(boxes, self._swept)
        near = near[np.lexsort((near[:, 1], near[:, 0]))]
        rows = self._pairs.rows_of(near)
        return near[rows >= 0], rows[rows >= 0]

    def _directions(self, i: int, j: int) -> list[tuple[int, int]]:
        """(point body, field body): both orders; a ball in a convex field has one contact."""
        a, b = self._bodies[i], self._bodies[j]
        assert a is not None and b is not None
        a_in_b = a.samples is not None and b.field is not None
        b_in_a = b.samples is not None and a.field is not None
        if a_in_b and ((a.is_round and not b.is_ring) or not b_in_a):
            return [(i, j)]
        if b_in_a and ((b.is_round and not a.is_ring) or not a_in_b):
            return [(j, i)]
        return [(i, j), (j, i)]

    def _add(
        self, k: int, point_body: int, field_body: int, moved: tuple[float, float], x: Array,
        R: Array, into: ContactWorkspace,
    ) -> None:  # fmt: skip
        found = self._lists.get((point_body, field_body))
        if found is None:
            found = self._make(point_body, field_body)
        while True:
            count = feature_contacts(
                found, point_body, field_body, k, *moved, x, R, into.rows, into.count
            )
            if into.count + count <= len(into.rows.depth):
                break
            into.reserve(count)
        into.count += count

    def _make(self, point_body: int, field_body: int) -> Any:
        while len(self._lists) >= MAX_KEPT:
            self._lists.pop(next(iter(self._lists)))
        s, m = self._bodies[point_body], self._bodies[field_body]
        assert s is not None and s.samples is not None and m is not None and m.field is not None
        found = self._lists[point_body, field_body] = feature_pair(
            s.samples, m.field.arrays, (s.thickness, m.thickness),
            min(m.thickness, self._thinnest), min(s.size, m.size),
        )  # fmt: skip
        return found

    def _reduce(self, begin: int, closest: float, into: ContactWorkspace) -> None:
        if len(self._label) < len(into.rows.depth):
            self._label = np.empty(len(into.rows.depth), np.int32)
            self._distance = np.empty(len(into.rows.depth))
        into.count = int(
            reduce_contacts(into.rows, begin, into.count, closest, self._label, self._distance)
        )
