"""The boxes of all bodies as arrays, and how far apart they are."""

from collections.abc import Iterator, Sequence

import numpy as np

from dovetail.collision.broad_phase.near_bodies import BOXED, HALF_SPACE, BodyBoxes
from dovetail.collision.sdf.primitives import POSITION, ROTATION
from dovetail.contact.penalty.collision_body import CollisionBody
from dovetail.contact.penalty.compliant.bodies import CompliantBody
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only


def body_boxes(bodies: Sequence[CollisionBody | CompliantBody | None]) -> BodyBoxes:
    """Boxes in the bodies' frames, planes of half-spaces."""
    n = len(bodies)
    kind, centre, axes, half = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3))
    for i, body in enumerate(bodies):
        if body is None:
            continue
        if body.box is None:
            assert body.field is not None
            row = body.field.arrays.shapes[0]
            kind[i], centre[i], axes[i] = HALF_SPACE, row[POSITION], row[ROTATION].reshape(3, 3)
        else:
            kind[i], centre[i], axes[i] = BOXED, body.box.centre, body.box.axes
            half[i] = body.box.half
    return BodyBoxes(read_only(kind, np.int32), read_only(centre), read_only(axes), read_only(half))


def nearest_first(boxes: Array) -> Iterator[tuple[tuple[int, int], float]]:
    """Pairs i < j with the distance [m] of their boxes (n, 6), the nearest ones first."""
    n = len(boxes)
    apart = np.zeros((n, n))
    with np.errstate(invalid="ignore"):
        for i in range(n):
            between = np.maximum(boxes[i, :3] - boxes[:, 3:], boxes[:, :3] - boxes[i, 3:])
            apart[i] = np.sqrt(np.sum(np.fmax(between, 0.0) ** 2, axis=1))
    first, second = np.triu_indices(n, 1)
    distance = apart[first, second]
    for k in np.argsort(distance, kind="stable"):
        yield (int(first[k]), int(second[k])), float(distance[k])
