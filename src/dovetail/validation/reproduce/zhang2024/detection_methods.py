"""The four methods of detection that section 4.2 of the paper compares."""

from typing import Any

import numpy as np

from dovetail.collision.sdf.detection import METHODS, DistanceField, FoundBuffer, run_detection
from dovetail.collision.sdf.distance_mesh import exact_distance
from dovetail.collision.sdf.field_octree import OctreeField
from dovetail.contact import SDF
from dovetail.contact.penalty.collision_body import CollisionBody
from dovetail.contact.penalty.contact_rows import write_points_inside
from dovetail.contact.penalty.detection import ContactDetector, relative_pose
from dovetail.contact.penalty.pairs import ContactPairs
from dovetail.contact.penalty.workspace import ContactWorkspace
from dovetail.errors import InputError
from dovetail.model.checked_body import CheckedBody
from dovetail.model.frozen import Model
from dovetail.model.values import Array, quote


class SdfByMethod(SDF):
    """`SDF` whose detection points are found by one of "brute", "sdf_octree_grid", "sdf"."""

    def __init__(self, method: str, **settings: Any) -> None:
        super().__init__(**settings)
        if method not in METHODS:
            raise InputError(f"`method` must be one of {', '.join(METHODS)}, got {quote(method)}")
        self.method = method

    def detector(
        self, model: Model, bodies: list[CollisionBody | None], pairs: ContactPairs
    ) -> ContactDetector:
        """That of the method; "sdf_octree" is the package's own."""
        if self.method == "sdf_octree":
            return super().detector(model, bodies, pairs)
        given = zip(model.bodies, bodies)
        fields = [_field(body, known, self.method, self.resolution) for body, known in given]
        return MethodDetector(bodies, pairs, fields, self.method)


class MethodDetector(ContactDetector):
    """Points by the method, then edges and faces as always; brute force knows points only."""

    def __init__(
        self, bodies: list[CollisionBody | None], pairs: ContactPairs,
        fields: list[DistanceField | None], method: str,
    ) -> None:  # fmt: skip
        super().__init__(bodies, pairs)
        self._fields, self._method, self._found = fields, method, FoundBuffer()
        if method != "sdf":
            self._spheres.is_sphere[...] = False  # their fields are others

    def _add(
        self, k: int, point_body: int, field_body: int, x: Array, R: Array, into: ContactWorkspace
    ) -> None:
        s, field = self._bodies[point_body], self._fields[field_body]
        assert s is not None and s.octree is not None and field is not None
        pose = relative_pose(x, R, point_body, field_body)
        count = run_detection(field, s.octree, pose, self._found, self._method)
        into.reserve(count)
        write_points_inside(
            into.rows, into.count, self._found.rows, count, s.octree.points, s.octree.reach,
            point_body, field_body, k, x, R,
        )  # fmt: skip
        into.count += count
        if self._method != "brute":
            self._add_surface(k, point_body, field_body, x, R, into, False)


def _field(
    body: CheckedBody, known: CollisionBody | None, method: str, resolution: int
) -> DistanceField | None:
    """What the method evaluates in place of the body's field."""
    if known is None or known.field is None:
        return None
    field = known.field
    if method == "brute" and known.box is not None:
        exact = exact_distance(body.surface)
        return exact.by_windings() if field.by_windings else exact
    if method == "sdf_octree_grid" and known.box is not None:
        spacing = field.spacing or known.box.diagonal / resolution
        lower, upper = body.surface.bounds
        return OctreeField(field, np.array([lower - 3 * spacing, upper + 3 * spacing]), spacing)
    return field
