"""Rows of the linearised contact problem that the first iterate follows from."""

from typing import NamedTuple

import numpy as np

from dovetail.runtime.records import ByteArray, FloatArray, Int32Array, Int64Array

NORMAL, FIRST, SECOND = range(3)  # directions of a contact: its normal and two tangents
BASE = 3  # its normal at the pose where it was linearised
WIDTH = 12  # of one row of J: (s, w) of body a, then of b
ARM_A, ARM_B, AXIS, EDGE_A, EDGE_B = range(0, 15, 3)  # columns of `BentGaps.arms`
# What the normal of a contact turns with: nothing, since the contact stays linear; a face of a or
# b; two edges; an edge of a or b and a point of the other; two points.
RIGID, WITH_A, WITH_B, WITH_EDGES, FROM_EDGE_A, FROM_EDGE_B, POINTS = range(7)


class BentGaps(NamedTuple):
    """How contacts go on beyond first order, see `bent_gaps`."""

    arms: FloatArray  # (r, 15) [m] offsets of the points of a and b, normal, edges of a and b, by
    # the axes of the bodies that they turn with
    turns: ByteArray  # (r,) what the normal turns with
    steady: ByteArray  # (r,) 1 where a turn of the normal is well known however large
    radius: FloatArray  # (r, 2) [m] of the features, where they are round
    reach: FloatArray  # (r,) [m] lengths of the arms of a and b


class KnownForces(NamedTuple):
    """Normal forces of the move before, by pairs of features."""

    count: Int64Array  # type: ignore[assignment]  # (1,)
    bodies: Int32Array  # (r, 2)
    features: Int32Array  # (r, 3) kind, i, j
    force: FloatArray  # (r,) [kg m]


class InteriorPoint(NamedTuple):
    """Iterates and directions of `interior_point`, by contact."""

    slack: FloatArray  # (r,) [m] z
    gap: FloatArray  # (r,) [m] D(f), at which the barrier has the force f
    compliance: FloatArray  # (r,) [1/kg] -dD/df
    residual: FloatArray  # (r,) [m] s - D(f) - z
    acts: ByteArray  # (r,) 1 where the contact is as stiff as to matter
    change: FloatArray  # (r,) [kg m] of the force, as if bodies did not move
    d_slack: FloatArray  # (r,) [m] direction
    correction: FloatArray  # (r,) [kg m^2] z f that it leads to
    d_force: FloatArray  # (r,) [kg m]
    slip: FloatArray  # (r, 2) [m]
    start_slip: FloatArray  # (r, 2) [m] without twists, by the first rows of J
    tangent: FloatArray  # (r, 4) [kg] stiffness of friction, xx xy yy; 1/w [1/m]


class LinearContacts(NamedTuple):
    """Contacts linearised at one pose; forces are h^2 times those in N [kg m]."""

    count: Int64Array  # type: ignore[assignment]  # (1,)
    bodies: Int32Array  # (r, 2) a < b
    pair: Int64Array  # (r,) of the lists in use
    features: Int32Array  # (r, 3) kind, i, j
    J: FloatArray  # (r, 4 WIDTH) d(displacement of a against b)/d(twists) along the directions
    response: FloatArray  # (r,) [1/kg] J W J^T of the normal
    distance: FloatArray  # (r,) [m] at the pose
    slip: FloatArray  # (r, 3) [m] presliding displacement where the step began
    barrier: FloatArray  # (r, 2) dhat [m] and h^2 K [kg m^2] of the contact
    mu: FloatArray  # (r,) friction coefficient
    force: FloatArray  # (r, 3) along the directions, on a
    inverse: FloatArray  # (n, 12) W: 1/mass by axis [1/kg], inverse inertia by rows [1/(kg m^2)]
    way: FloatArray  # (n, 6) twists to a solution
    bent: BentGaps
    known: KnownForces
    interior: InteriorPoint


def linear_contacts(n: int, rows: int) -> LinearContacts:
    """Memory for so many contacts of n bodies."""
    return LinearContacts(
        np.zeros(1, np.int64), np.zeros((rows, 2), np.int32), np.zeros(rows, np.int64),
        np.zeros((rows, 3), np.int32), np.zeros((rows, 4 * WIDTH)),
        np.zeros(rows), np.zeros(rows), np.zeros((rows, 3)), np.zeros((rows, 2)), np.zeros(rows),
        np.zeros((rows, 3)), np.zeros((n, 12)), np.zeros((n, 6)),
        BentGaps(
            np.zeros((rows, 15)), np.zeros(rows, np.uint8), np.zeros(rows, np.uint8),
            np.zeros((rows, 2)), np.zeros(rows),
        ),
        KnownForces(
            np.zeros(1, np.int64), np.zeros((rows, 2), np.int32), np.zeros((rows, 3), np.int32),
            np.zeros(rows),
        ),
        InteriorPoint(
            np.zeros(rows), np.zeros(rows), np.zeros(rows), np.zeros(rows),
            np.zeros(rows, np.uint8), np.zeros(rows), np.zeros(rows), np.zeros(rows),
            np.zeros(rows), np.zeros((rows, 2)), np.zeros((rows, 2)), np.zeros((rows, 4)),
        ),
    )  # fmt: skip
