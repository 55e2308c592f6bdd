"""Spheres against analytic fields: found in one compiled call for all pairs."""

from dataclasses import dataclass

import numpy as np

from dovetail.collision.sdf.evaluate import NO_SHAPES
from dovetail.contact.penalty.collision_body import CollisionBody
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
        i, j = near[:, 0], near[:, 1]
        forward = self.is_sphere[i] & self.has_field[j]
        here = forward | (self.is_sphere[j] & self.has_field[i])
        if here.any():
            point_body, field_body = np.where(forward, i, j)[here], np.where(forward, j, i)[here]
            into.reserve(len(point_body))
            into.count += sphere_contacts(
                self.spheres, point_body, field_body, pair_rows[here].astype(np.int32), x, R,
                into.rows, into.count,
            )  # fmt: skip
        return ~here


def sphere_pairs(bodies: list[CollisionBody | None], detection: str) -> SpherePairs:
    """Spheres of all bodies; none where the method of detection has a field of its own."""
    n = len(bodies)
    radius, centre, first_shape = np.zeros(n), np.zeros((n, 3)), np.zeros(n + 1, np.int32)
    is_sphere, has_field = np.zeros((2, n), np.bool_)
    shapes = [NO_SHAPES]
    for i, body in enumerate(bodies):
        if body is not None and detection in ("sdf", "sdf_octree"):
            if body.field is not None and len(body.field.arrays.shapes):
                has_field[i] = True
                shapes.append(body.field.arrays.shapes)
            samples = body.samples
            if body.is_round and samples is not None and len(samples.points) == 1:
                is_sphere[i] = True
                radius[i], centre[i] = samples.reach[0], samples.points[0]
        first_shape[i + 1] = first_shape[i] + (len(shapes[-1]) if has_field[i] else 0)
    spheres = Spheres(
        read_only(radius), read_only(centre), read_only(np.concatenate(shapes)),
        read_only(first_shape, np.int32),
    )  # fmt: skip
    return SpherePairs(spheres, is_sphere, has_field)
