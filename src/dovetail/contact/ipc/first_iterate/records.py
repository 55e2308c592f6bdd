"""Rows of the linearised contact problem that the first iterate follows from."""

from typing import NamedTuple

import numpy as np

from dovetail.runtime.records import FloatArray, Int32Array, Int64Array

NORMAL, FIRST, SECOND = range(3)  # directions of a contact: its normal and two tangents
WIDTH = 12  # of one row of J: (s, w) of body a, then of b


class LinearContacts(NamedTuple):
    """Contacts linearised at one pose; forces are h^2 times those in N [kg m]."""

    count: Int64Array  # type: ignore[assignment]  # (1,)
    bodies: Int32Array  # (r, 2) a < b
    candidate: Int64Array  # (r,) in the lists in use
    J: FloatArray  # (r, 3 WIDTH) d(displacement of a against b)/d(twists) along the directions
    WJ: FloatArray  # (r, 3 WIDTH) W J^T
    response: FloatArray  # (r, 2) [1/kg] J W J^T of the normal, the largest of the tangents
    distance: FloatArray  # (r,) [m] at the pose
    slip: FloatArray  # (r, 2) [m] since the step began, and presliding, along the tangents
    barrier: FloatArray  # (r, 2) dhat [m] and h^2 K [kg m^2] of the contact
    mu: FloatArray  # (r,) friction coefficient
    force: FloatArray  # (r, 3) along the directions, on a
    inverse: FloatArray  # (n, 12) W: 1/mass by axis [1/kg], inverse inertia by rows [1/(kg m^2)]
    seed: FloatArray  # (c,) normal force by candidate


def linear_contacts(n: int, rows: int, candidates: int) -> LinearContacts:
    """Memory for so many contacts of n bodies."""
    return LinearContacts(
        np.zeros(1, np.int64), np.zeros((rows, 2), np.int32), np.zeros(rows, np.int64),
        np.zeros((rows, 3 * WIDTH)), np.zeros((rows, 3 * WIDTH)), np.zeros((rows, 2)),
        np.zeros(rows), np.zeros((rows, 2)), np.zeros((rows, 2)), np.zeros(rows),
        np.zeros((rows, 3)), np.zeros((n, 12)), np.zeros(candidates),
    )  # fmt: skip
