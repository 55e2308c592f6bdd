"""Contacts of cylinders, cones and rings as the smooth bodies they are.

A tessellated roller rolls on its facets: a follower on a cam of n sides gets a blow of
m omega 2 pi R / n at each of them. Where both bodies have a field in closed form, the features of
each (circles, rods, balls, corners, edges) are sought in the field of the other instead.
"""

from typing import Any

import numpy as np

from dovetail.collision.field_contacts.bodies import FieldBody, field_body
from dovetail.collision.field_contacts.feature_contacts import feature_contacts
from dovetail.collision.field_contacts.pairs import feature_pair
from dovetail.collision.field_contacts.reduction import reduce_contacts
from dovetail.collision.field_contacts.rows import ContactRows, empty_contacts
from dovetail.collision.narrow_phase.contact_points import ContactPoints
from dovetail.collision.sdf.analytic import of_shape
from dovetail.contact.impulse.detection import CYLINDER, FLAT, KNOWN_FIELD, ROUND_SIDES
from dovetail.model.checked_body import CheckedBody
from dovetail.model.frozen import Model
from dovetail.model.shapes import Cone, Cylinder, HalfSpace, Torus
from dovetail.model.values import Array
from dovetail.runtime.records import Int8Array

SAME = 2e-3  # of the smaller body: nearer contacts with the same normal are one
FIRST_ROWS = 64


class SmoothPairs:
    """Which pairs are smooth, and their contacts."""

    def __init__(self, model: Model) -> None:
        is_round = np.array([_is_round(body) for body in model.bodies], np.bool_)
        cylinder = np.array([_is_cylinder(body) for body in model.bodies], np.bool_)
        plane = np.array([_is_plane(body) for body in model.bodies], np.bool_)
        self._bodies: list[FieldBody | None] = [None] * model.n_bodies
        known = np.zeros(model.n_bodies, np.bool_)
        if is_round.any():
            self._bodies = [_with_field(body) for body in model.bodies]
            known = np.array([body is not None for body in self._bodies], np.bool_)
        flags = ROUND_SIDES * is_round + KNOWN_FIELD * known + CYLINDER * cylinder + FLAT * plane
        self.flags: Int8Array = flags.astype(np.int8)  # of bodies, for `detection`
        self._lists: dict[tuple[int, int], Any] = {}
        self._rows: ContactRows = empty_contacts(FIRST_ROWS)
        self._label, self._distance = np.empty(FIRST_ROWS, np.int32), np.empty(FIRST_ROWS)

    def contacts(
        self, a: int, b: int, max_gap: float, motion: Array, x: Array, R: Array
    ) -> ContactPoints:
        """Those of bodies a and b nearer than `max_gap` [m], at x (n, 3), R.

        `motion` (n, 6) [m, rad] is that of the step without contact.
        """
        first, second = self._bodies[a], self._bodies[b]
        assert first is not None and second is not None
        count = np.int64(0)
        for point_body, field_of in ((a, b), (b, a)):
            count = self._add((point_body, field_of), max_gap, motion, x, R, count)
        size = min(first.size, second.size)
        if count > 1:
            count = reduce_contacts(
                self._rows, 0, int(count), SAME * size, self._label, self._distance
            )
        rows, n = self._rows, int(count)
        flipped = np.where(rows.point_body[:n] == a, 1.0, -1.0)  # normals lead from b to a
        bodies = np.tile(np.array([a, b], np.int32), (n, 1))
        return ContactPoints(
            bodies, rows.point[:n].copy(), rows.gradient[:n] * flipped[:, None], -rows.depth[:n]
        )

    def _add(
        self, pair: tuple[int, int], max_gap: float, motion: Array, x: Array, R: Array,
        count: np.int64,
    ) -> np.int64:  # fmt: skip
        point_body, field_of = pair
        points, other = self._bodies[point_body], self._bodies[field_of]
        assert points is not None and other is not None and other.field is not None
        if points.samples is None:
            return count
        found = self._lists.get((point_body, field_of))
        if found is None:
            found = self._lists[point_body, field_of] = feature_pair(
                points.samples, other.field.arrays, (points.thickness, other.thickness),
                other.thickness, min(points.size, other.size),
            )  # fmt: skip
        turned = max_gap / min(points.size, other.size)  # by which points may move so far
        while True:
            more = feature_contacts(
                found, point_body, field_of, 0, max_gap, turned, motion, x, R, self._rows, count
            )
            if count + more <= len(self._rows.depth):
                return np.int64(count + more)
            self._make_space(int(count), int(count + more))

    def _make_space(self, count: int, needed: int) -> None:
        larger = empty_contacts(2 * needed)
        for name in ContactRows._fields:
            getattr(larger, name)[:count] = getattr(self._rows, name)[:count]
        self._rows = larger
        self._label, self._distance = np.empty(2 * needed, np.int32), np.empty(2 * needed)


def _with_field(body: CheckedBody) -> FieldBody | None:
    """Prepared where the shape's field has a closed form."""
    if body.shape is None or of_shape(body.shape) is None:
        return None
    return field_body(body, 0)


def _is_round(body: CheckedBody) -> bool:
    return isinstance(body.shape, Cylinder | Cone | Torus)


def _is_cylinder(body: CheckedBody) -> bool:
    return isinstance(body.shape, Cylinder)


def _is_plane(body: CheckedBody) -> bool:
    return isinstance(body.shape, HalfSpace)
