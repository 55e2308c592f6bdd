"""The distance field of a body and the box around it, both about its centre of mass."""

import numpy as np

from dovetail.collision.broad_phase.obb import Obb, tight_box
from dovetail.collision.sdf.analytic import moved, of_shape
from dovetail.collision.sdf.building import build
from dovetail.collision.sdf.field import Field
from dovetail.model.checked_body import CheckedBody
from dovetail.model.shapes import HalfSpace, Sphere


def field_of(body: CheckedBody, resolution: int) -> Field | None:
    """Exact where the shape has one, else built from the mesh; None of a wire or a cloud."""
    field = of_shape(body.shape) if body.shape is not None else None
    if field is not None:
        return moved(field, np.eye(3), -body.centre)
    return build(body.surface, resolution) if len(body.surface.faces) else None


def box_of(body: CheckedBody) -> Obb | None:
    """That of a ball is around the ball, not around its triangles; None of a half-space."""
    if isinstance(body.shape, HalfSpace):
        return None
    if isinstance(body.shape, Sphere):
        radius = float(body.shape.radius)
        return Obb(-body.centre, np.eye(3), (radius, radius, radius))
    return tight_box(body.surface.vertices)
