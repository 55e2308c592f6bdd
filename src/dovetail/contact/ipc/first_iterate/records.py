"""Rows of the linearised contact problem that the first iterate follows from."""

from typing import NamedTuple

import numpy as np

from dovetail.runtime.records import FloatArray, Int32Array, Int64Array

NORMAL, FIRST, SECOND = range(3)  # directions of a contact: its normal and two tangents
WIDTH = 12  # of one row of J: (s, w) of body a, then of b
# columns of `Multipliers.stiffness`: along the normal, the slip, across it, and the slip's cosines
ALONG_NORMAL, ALONG_SLIP, ACROSS_SLIP, COSINE, SINE = range(5)


class Multipliers(NamedTuple):
    """The augmented Lagrangian of the contacts (`first_iterate.proximal`)."""

    compliance: FloatArray  # (r, 2) [1/kg] 1/penalty of the normal and of the tangents
    limit: FloatArray  # (r,) [kg m] of friction
    gap: FloatArray  # (r,) [m] proximal gap
    place: FloatArray  # (r, 3) [m] gap and slips of the twists
    rate: FloatArray  # (r, 3) [m] their change by the search direction
    force: FloatArray  # (r, 3) [kg m] of `place`
    stiffness: FloatArray  # (r, 5) [kg], see above
    gradient: FloatArray  # (m, 6) of inertia at the pose
    inertia: FloatArray  # (m, 6, 6)
    direction: FloatArray  # (n, 6) of the search
    stiffness_of_pair: FloatArray  # (r,) h^2 K [kg m^2]
    row: FloatArray  # (WIDTH,) a combination of the rows of one contact


class KnownForces(NamedTuple):
    """Forces of the linearisation before, by features; ascending by pair."""

    count: Int64Array  # type: ignore[assignment]  # (1,)
    bodies: Int32Array  # (r, 2)
    features: Int32Array  # (r, 4)
    force: FloatArray  # (r, 3) [kg m] world axes, on a


class LinearContacts(NamedTuple):
    """Contacts linearised at one pose; forces are h^2 times those in N [kg m]."""

    count: Int64Array  # type: ignore[assignment]  # (1,)
    bodies: Int32Array  # (r, 2) a < b
    features: Int32Array  # (r, 4) kind, features and order of the candidate
    J: FloatArray  # (r, 3 WIDTH) d(displacement of a against b)/d(twists) along the directions
    axes: FloatArray  # (r, 9) normal and tangents, world axes
    response: FloatArray  # (r, 2) [1/kg] J W J^T of the normal, the largest of the tangents
    distance: FloatArray  # (r,) [m] at the pose
    slip: FloatArray  # (r, 2) [m] since the step began, and presliding, along the tangents
    barrier: FloatArray  # (r, 2) dhat [m] and h^2 K [kg m^2] of the contact
    mu: FloatArray  # (r,) friction coefficient
    field: Int64Array  # (r,) of presliding, or -1
    force: FloatArray  # (r, 3) along the directions, on a
    inverse: FloatArray  # (n, 12) W: 1/mass by axis [1/kg], inverse inertia by rows [1/(kg m^2)]
    multipliers: Multipliers
    known: KnownForces


def linear_contacts(n: int, rows: int) -> LinearContacts:
    """Memory for so many contacts of n bodies."""
    multipliers = Multipliers(
        np.zeros((rows, 2)), np.zeros(rows), np.zeros(rows), np.zeros((rows, 3)),
        np.zeros((rows, 3)), np.zeros((rows, 3)), np.zeros((rows, 5)), np.zeros((n, 6)),
        np.zeros((n, 6, 6)), np.zeros((n, 6)), np.zeros(rows), np.zeros(WIDTH),
    )  # fmt: skip
    known = KnownForces(
        np.zeros(1, np.int64), np.zeros((rows, 2), np.int32), np.zeros((rows, 4), np.int32),
        np.zeros((rows, 3)),
    )  # fmt: skip
    return LinearContacts(
        np.zeros(1, np.int64), np.zeros((rows, 2), np.int32), np.zeros((rows, 4), np.int32),
        np.zeros((rows, 3 * WIDTH)), np.zeros((rows, 9)), np.zeros((rows, 2)), np.zeros(rows),
        np.zeros((rows, 2)), np.zeros((rows, 2)), np.zeros(rows), np.zeros(rows, np.int64),
        np.zeros((rows, 3)), np.zeros((n, 12)), multipliers, known,
    )  # fmt: skip
