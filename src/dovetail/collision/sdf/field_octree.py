"""A field stored in an octree instead of a grid: for one of the four methods of detection."""

import numpy as np
from numpy.typing import ArrayLike

from dovetail.collision.sdf.field import Field, Samples
from dovetail.collision.sdf.octree_cells import FieldOctree, evaluate_octree_many
from dovetail.model.values import Array
from dovetail.runtime.options import named_parameters
from dovetail.runtime.read_only import read_only

CORNERS = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], dtype=float)
MIDDLES = np.array(
    [[i, j, k] for i in (0, 0.5, 1) for j in (0, 0.5, 1) for k in (0, 0.5, 1) if 0.5 in (i, j, k)]
)
TOLERANCE = 0.02  # of the grid's spacing: where a cell is this good, it is not cut
FAR_TOLERANCE = 0.1  # of the least distance of a cell's corners, which no contact needs


@named_parameters
class OctreeField:
    """The cells of `field`: cut where eight corners do not give the field, down to its spacing.

    Analytic fields need a `spacing` [m] of the smallest cells and a `bounds` (2, 3) [m].
    """

    def __init__(
        self, field: Field, bounds: Array | None = None, spacing: float | None = None
    ) -> None:
        lower, upper = field.bounds if bounds is None else np.asarray(bounds, dtype=float)
        smallest = spacing or field.spacing
        assert smallest is not None, "an analytic field needs a spacing"
        depth = int(np.ceil(np.log2(np.max(upper - lower) / smallest)))
        size = smallest * 2.0**depth
        self.arrays = _cells(field, lower, size, depth, TOLERANCE * smallest)

    @property
    def n_cells(self) -> int:
        return len(self.arrays.child)

    def samples(self, points: ArrayLike) -> Samples:
        """Values (n,) [m] and gradients (n, 3)."""
        rows = read_only(points)
        values, gradients = np.empty(len(rows)), np.empty((len(rows), 3))
        evaluate_octree_many(self.arrays, rows, values, gradients)
        return Samples(values, gradients)


def _cells(field: Field, origin: Array, size: float, depth: int, tolerance: float) -> FieldOctree:
    """Level by level from the cube down."""
    weights = np.prod(
        np.where(CORNERS[None] == 1, MIDDLES[:, None], 1 - MIDDLES[:, None]), axis=2
    )  # (19, 8) of the corners at the middles
    places = np.zeros((1, 3))
    child, corners, total = [], [], 1
    for level in range(depth + 1):
        side = size / 2**level
        at_corners = _sampled(field, origin + side * (places[:, None] + CORNERS))
        corners.append(at_corners)
        first = np.full(len(places), -1, np.int32)
        if level < depth:
            at_middles = _sampled(field, origin + side * (places[:, None] + MIDDLES))
            allowed = tolerance + FAR_TOLERANCE * np.abs(at_corners).min(axis=1)
            bad = np.abs(at_corners @ weights.T - at_middles).max(axis=1) > allowed
            first[bad] = total + 8 * np.arange(bad.sum())
            total += 8 * int(bad.sum())
            places = (2 * places[bad][:, None] + CORNERS).reshape(-1, 3)
        child.append(first)
        if level < depth and not len(places):
            break
    at = (float(origin[0]), float(origin[1]), float(origin[2]))
    values = np.concatenate(corners).reshape(-1, 2, 2, 2)
    return FieldOctree(
        read_only(np.concatenate(child), np.int32), read_only(values, np.float32), at, size
    )


def _sampled(field: Field, points: Array) -> Array:
    return field.value(points.reshape(-1, 3)).reshape(points.shape[:-1])
