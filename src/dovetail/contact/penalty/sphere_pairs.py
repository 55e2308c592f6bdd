"""Spheres against analytic fields: found in one compiled call for all pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dovetail.collision.sdf.evaluate import NO_SHAPES
from dovetail.collision.sdf.field import Field
from dovetail.contact.penalty.records import Spheres
from dovetail.contact.penalty.sphere_contacts import sphere_contacts
from dovetail.contact.penalty.workspace import ContactWorkspace
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, eq=False)
class SpherePairs:
    """Which bodies are spheres, which have analytic fields, and both as arrays."""

    spheres: Spheres
    is_sphere: BoolArray  # (n,)
    has_field: BoolArray  # (n,) of the analytic kind

    def add_contacts(
        self, near: Int32Array, pair_rows: Int64Array, x: Array, R: Array, into: ContactWorkspace
    ) -> BoolArray:
        """Add the contacts of pairs with a sphere; returns which pairs remain, (m,)."""
        self.add_near(near, pair_rows, x, R, np.zeros(len(x)), into)
        return self.remaining(near)

    def remaining(self, near: Int32Array) -> BoolArray:
        """Which of pairs (m, 2) are not found here."""
        i, j = near[:, 0], near[:, 1]
        of_sphere = (self.is_sphere[i] & self.has_field[j]) | (
            self.is_sphere[j] & self.has_field[i]
        )
        return ~of_sphere

    def add_near(
        self, near: Int32Array, pair_rows: Int64Array, x: Array, R: Array, margin: Array,
        into: ContactWorkspace,
    ) -> None:  # fmt: skip
        """Add gaps below the margins (n,) [m] of both bodies together."""
        i, j = near[:, 0], near[:, 1]
        forward = self.is_sphere[i] & self.has_field[j]
        here = ~self.remaining(near)
        if here.any():
            point_body, field_body = np.where(forward, i, j)[here], np.where(forward, j, i)[here]
            into.reserve(len(point_body))
            into.count += sphere_contacts(
                self.spheres, point_body, field_body, pair_rows[here].astype(np.int32), margin,
                x, R, into.rows, into.count,
            )  # fmt: skip


class MaybeBall(Protocol):
    """A body with a field, which may be a ball."""

    @property
    def field(self) -> Field | None:
        """None for one that encloses nothing."""

    @property
    def ball(self) -> tuple[Array, float] | None:
        """Centre and radius [m] of a ball, else None."""


def sphere_pairs(bodies: Sequence[MaybeBall | None]) -> SpherePairs:
    """Spheres of all bodies, and their analytic fields."""
    n = len(bodies)
    radius, centre, first_shape = np.zeros(n), np.zeros((n, 3)), np.zeros(n + 1, np.int32)
    is_sphere, has_field = np.zeros((2, n), np.bool_)
    shapes = [NO_SHAPES]
    for i, body in enumerate(bodies):
        if body is not None:
            if body.field is not None and len(body.field.arrays.shapes):
                has_field[i] = True
                shapes.append(body.field.arrays.shapes)
            if body.ball is not None:
                is_sphere[i] = True
                centre[i], radius[i] = body.ball
        first_shape[i + 1] = first_shape[i] + (len(shapes[-1]) if has_field[i] else 0)
    spheres = Spheres(
        read_only(radius), read_only(centre), read_only(np.concatenate(shapes)),
        read_only(first_shape, np.int32),
    )  # fmt: skip
    return SpherePairs(spheres, is_sphere, has_field)
