"""The time of impact of one candidate along constant twists."""

from typing import NamedTuple

import numpy as np

from dovetail.contact.ipc.candidates.records import FEATURE_I, FEATURE_J, KIND, SWAP
from dovetail.contact.ipc.feature_pair import (
    place_candidate,
    squared_distance,
    time_of_impact,
)
from dovetail.linalg.vec3 import load3, sub
from dovetail.runtime.jit import jit_in_place, jit_within
from dovetail.runtime.records import FloatArray


class Twists(NamedTuple):
    """A search direction: constant twists of n bodies from their positions."""

    x: FloatArray  # (n, 3) [m]
    twist: FloatArray  # (n, 6) [m, rad]
    dmin: float  # [m] minimum separation
    min_gap_fraction: float  # part of every gap that is left
    most_kept: float  # [m] what is left of wide gaps


@jit_within
def relative_twists(twist, a, b):
    """(translation of b less that of a [m], rotation of a, rotation of b [rad])."""
    ds = (twist[b, 0] - twist[a, 0], twist[b, 1] - twist[a, 1], twist[b, 2] - twist[a, 2])
    w_a = (twist[a, 3], twist[a, 4], twist[a, 5])
    return ds, w_a, (twist[b, 3], twist[b, 4], twist[b, 5])


@jit_in_place
def impact_of(rows, c, a, b, features, motion, near, t):
    """The time of impact of candidate c of the pair a, b."""
    if rows[c, SWAP] == 1:
        a, b = b, a
    kind, i, j = np.int64(rows[c, KIND]), np.int64(rows[c, FEATURE_I]), np.int64(rows[c, FEATURE_J])
    return impact(kind, i, j, np.int64(a), np.int64(b), features, motion, near, t)


@jit_in_place
def impact(kind, i, j, a, b, features, motion, near, t):
    """The time of impact of feature i of body a and j of b, at most t: t if not within `near` [m].

    A negative `near` lets all pass. All integers are int64, so that it is compiled once.
    """
    place_candidate(kind, i, j, features)
    D = sub(load3(motion.x, b), load3(motion.x, a))
    if near >= 0.0 and squared_distance(kind, i, j, D, features) > near * near:
        return t
    ds, w_a, w_b = relative_twists(motion.twist, a, b)
    return time_of_impact(
        kind, i, j, D, ds, w_a, w_b, features, motion.dmin, t, motion.min_gap_fraction,
        motion.most_kept,
    )  # fmt: skip
