"""A body prepared for contact in fields: its field, its features and its box."""

from dataclasses import dataclass

import numpy as np

from dovetail.collision.broad_phase.obb import Obb
from dovetail.collision.field_contacts.outer_points import outer_points
from dovetail.collision.sdf.body_field import box_of, field_of
from dovetail.collision.sdf.features import FeatureArrays, features_of
from dovetail.collision.sdf.field import Field
from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import HalfSpace, Sphere, Torus
from dovetail.model.values import Array


@dataclass(frozen=True, eq=False)
class FieldBody:
    """All in the body's frame, origin at the centre of mass."""

    field: Field | None  # None: a wire or cloud, which encloses nothing
    samples: FeatureArrays | None  # None: a half-space, which has none
    box: Obb | None  # None: unbounded
    is_round: bool  # a ball, whose one vertex says all
    is_ring: bool = False  # has a hole, in which a ball touches it all around
    outer: tuple[Array, ...] = ()  # (n, 3) [m] of each part, whose hull has it inside

    @property
    def ball(self) -> tuple[Array, float] | None:
        """Centre and radius [m] of a ball, else None."""
        if not self.is_round or self.samples is None:
            return None
        tree = self.samples.vertices
        return tree.points[0], float(tree.reach[0])

    @property
    def size(self) -> float:
        """Diagonal of the box [m]; infinite for a half-space."""
        return np.inf if self.box is None else self.box.diagonal

    @property
    def thickness(self) -> float:
        """Least side of the box [m] that is not 0."""
        if self.box is None:
            return np.inf
        return 2 * min((half for half in self.box.half if half > 0), default=0.0)


def field_body(body: CheckedBody, resolution: int) -> FieldBody | None:
    """Prepare one body; None where it has no surface."""
    shape = body.shape
    if shape is None or not len(body.surface.vertices):
        return None
    field = field_of(body, resolution)
    if isinstance(shape, HalfSpace):
        return FieldBody(field, None, None, is_round=False)
    return FieldBody(
        field, features_of(shape, body.surface, body.centre), box_of(body),
        isinstance(shape, Sphere), isinstance(shape, Torus),
        outer_points(shape, body.surface, body.centre),
    )  # fmt: skip
