"""Signed distance fields: values, gradients and normals at points."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dovetail.collision.sdf.evaluate import FieldArrays, evaluate_many
from dovetail.errors import InputError
from dovetail.model.values import Array, quote, shape_of
from dovetail.runtime.parallel import over_ranges
from dovetail.runtime.read_only import read_only

GRAIN = 1 << 16  # points per piece of work


class Samples(NamedTuple):
    """A field at some points."""

    values: Array  # (n,) [m]
    gradients: Array  # (n, 3)


@dataclass(frozen=True, eq=False)
class Field:
    """Signed distance [m] from a surface: < 0 inside, > 0 outside.

    `error` [m] is the largest |value| found at random points of the surface (0 for analytic
    fields). Points are (n, 3) or (3,) in the frame of the body.
    """

    arrays: FieldArrays
    error: float
    closed: bool = True  # False: the mesh has holes, which count as covered
    by_windings: bool = False  # signs are those of winding numbers, not of pseudonormals

    @property
    def spacing(self) -> float | None:
        """[m] between nodes; None where the field is analytic."""
        return None if len(self.arrays.shapes) else self.arrays.spacing

    @property
    def bounds(self) -> Array:
        """(2, 3) [m] lower and upper corner of the grid; infinite for analytic fields."""
        if self.spacing is None:
            return np.array([[-np.inf] * 3, [np.inf] * 3])
        lower = np.array(self.arrays.origin)
        return np.array([lower, lower + self.spacing * (np.array(self.arrays.values.shape) - 1)])

    @property
    def nbytes(self) -> int:
        """Memory of the stored values [bytes]."""
        return int(self.arrays.values.nbytes + self.arrays.shapes.nbytes)

    def samples(self, points: ArrayLike) -> Samples:
        """Values and gradients together, at the cost of one."""
        rows = read_only(np.reshape(_checked(points), (-1, 3)))
        values, gradients = np.empty(len(rows)), np.empty((len(rows), 3))
        over_ranges(
            lambda begin, end: evaluate_many(self.arrays, rows, begin, end, values, gradients),
            len(rows),
            GRAIN,
        )
        return Samples(values, gradients)

    def value(self, points: ArrayLike) -> Array:
        """(n,) or () [m]."""
        return self.samples(points).values.reshape(np.shape(points)[:-1])

    def gradient(self, points: ArrayLike) -> Array:
        """(n, 3) or (3,): the derivative of `value`."""
        return self.samples(points).gradients.reshape(np.shape(points))

    def normal(self, points: ArrayLike) -> Array:
        """(n, 3) or (3,): the gradient at length 1 (0 where it vanishes)."""
        gradient = self.gradient(points)
        length = np.linalg.norm(gradient, axis=-1, keepdims=True)
        unit: Array = np.divide(gradient, length, out=np.zeros_like(gradient), where=length > 0)
        return unit


def _checked(points: ArrayLike) -> Array:
    shape = shape_of(points)
    if len(shape) not in (1, 2) or shape[-1] != 3:
        raise InputError(f"`points` must be (n, 3) or (3,) coordinates in m, got {quote(points)}")
    array = np.asarray(points, dtype=np.float64)
    if not np.all(np.isfinite(array)):
        raise InputError("`points` must be finite coordinates in m, got inf or nan")
    return array
