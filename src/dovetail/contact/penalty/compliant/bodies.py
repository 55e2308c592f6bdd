"""A body prepared for compliant contact: its field, its features and its box."""

from dataclasses import dataclass

import numpy as np

from dovetail.collision.broad_phase.obb import Obb, tight_box
from dovetail.collision.sdf.analytic import moved, of_shape
from dovetail.collision.sdf.building import build
from dovetail.collision.sdf.features import FeatureArrays, features_of
from dovetail.collision.sdf.field import Field
from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import HalfSpace, Sphere
from dovetail.model.values import Array


@dataclass(frozen=True, eq=False)
class CompliantBody:
    """All in the body's frame, origin at the centre of mass."""

    field: Field | None  # None: a wire or cloud, which encloses nothing
    samples: FeatureArrays | None  # None: a half-space, which has none
    box: Obb | None  # None: unbounded
    is_round: bool  # a ball, whose one vertex says all

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


def compliant_body(body: CheckedBody, resolution: int) -> CompliantBody | None:
    """Prepare one body; None where it has no surface."""
    shape, surface = body.shape, body.surface
    if shape is None or not len(surface.vertices):
        return None
    field = of_shape(shape)
    if field is not None:
        field = moved(field, np.eye(3), -body.centre)
    elif len(surface.faces):
        field = build(surface, resolution)
    if isinstance(shape, HalfSpace):
        return CompliantBody(field, None, None, is_round=False)
    box = tight_box(surface.vertices)
    if isinstance(shape, Sphere):
        radius = float(shape.radius)
        box = Obb(-body.centre, np.eye(3), (radius, radius, radius))
    return CompliantBody(
        field, features_of(shape, surface, body.centre), box, isinstance(shape, Sphere)
    )
