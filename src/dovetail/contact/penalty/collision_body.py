"""A body prepared for penalty contact: its field, its detection points and its box."""

from dataclasses import dataclass

import numpy as np

from dovetail.collision.broad_phase.obb import Obb
from dovetail.collision.sdf.body_field import box_of, field_of
from dovetail.collision.sdf.detection_points import (
    DetectionPoints,
    ball,
    points_of_surface,
    thick_segment,
)
from dovetail.collision.sdf.field import Field
from dovetail.collision.sdf.octree import Octree
from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import Capsule, HalfSpace, Sphere
from dovetail.model.values import Array


@dataclass(frozen=True, eq=False)
class CollisionBody:
    """All in the body's frame, origin at the centre of mass."""

    field: Field | None  # None: a wire or cloud, which has points but encloses nothing
    samples: DetectionPoints | None  # None: a half-space, which cannot be sampled
    octree: Octree | None
    box: Obb | None  # None: unbounded
    is_round: bool  # a sphere or capsule, which its few points with their radius describe

    @property
    def ball(self) -> tuple[Array, float] | None:
        """Centre and radius [m] of a ball, else None."""
        samples = self.samples
        if not self.is_round or samples is None or len(samples.points) != 1:
            return None
        return samples.points[0], float(samples.reach[0])

    @property
    def size(self) -> float:
        """Diagonal of the box [m]; infinite for a half-space."""
        return np.inf if self.box is None else self.box.diagonal

    @property
    def thickness(self) -> float:
        """Least side of the box [m]."""
        return np.inf if self.box is None else 2 * min(self.box.half)


def collision_body(body: CheckedBody, resolution: int) -> CollisionBody | None:
    """Prepare one body; None where it has no surface."""
    shape = body.shape
    if shape is None or not len(body.surface.vertices):
        return None
    field = field_of(body, resolution)
    if isinstance(shape, HalfSpace):
        return CollisionBody(field, None, None, None, is_round=False)
    if isinstance(shape, Sphere):
        samples = ball(float(shape.radius), -body.centre)
    elif isinstance(shape, Capsule):
        half = float(shape.height) / 2
        ends = np.array([[0, 0, -half], [0, 0, half]]) - body.centre
        samples = thick_segment(float(shape.radius), ends)
    else:
        samples = points_of_surface(body.surface)
    return CollisionBody(
        field=field,
        samples=samples,
        octree=Octree(samples.points, samples.reach),
        box=box_of(body),
        is_round=isinstance(shape, Sphere | Capsule),
    )
