"""The time of impact of one candidate along constant twists.

Most vertices that are not far from a face stay apart from its plane by all that has to be left:
then no distance is needed (`candidates.face_pairs.stay_apart_along`). What keeps more than
dmin + 1.25 `most_kept` is not stopped by its CCD (`ccd.additive_ccd`).
"""

from typing import NamedTuple

import numpy as np

from dovetail.contact.ipc.candidates.face_pairs import normal_of, stay_apart_along
from dovetail.contact.ipc.candidates.records import FEATURE_I, FEATURE_J, KIND, SWAP
from dovetail.contact.ipc.candidates.relative_motion import ROUNDING
from dovetail.contact.ipc.feature_pair import (
    face_of,
    place_candidate,
    radii,
    squared_distance,
    time_of_impact,
)
from dovetail.contact.ipc.records import POINT_FACE
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


@jit_within
def _size(r):
    return abs(r[0]) + abs(r[1]) + abs(r[2])


@jit_in_place
def _stays_off_plane(i, j, D, ds, w_a, w_b, features, motion, t):
    """Whether vertex i stays off the plane of face j until t by all that has to be left."""
    p, face = load3(features.r_world, i), face_of(features, j)
    of_i, of_j = radii(POINT_FACE, i, j, features)
    size = _size(D) + _size(ds) + (1.0 + _size(w_a)) * _size(p) + of_i + of_j
    size += (1.0 + _size(w_b)) * (_size(face[0]) + _size(face[1]) + _size(face[2]))
    beyond = motion.dmin + 1.25 * motion.most_kept * 1.000001 + of_i + of_j + 4.0 * ROUNDING * size
    return stay_apart_along(normal_of(face), (p,), face, D, ds, w_a, w_b, t, beyond)


@jit_in_place
def impact(kind, i, j, a, b, features, motion, near, t):
    """The time of impact of feature i of body a and j of b, at most t: t if not within `near` [m].

    A negative `near` lets all pass. All integers are int64, so that it is compiled once.
    """
    place_candidate(kind, i, j, features)
    D = sub(load3(motion.x, b), load3(motion.x, a))
    ds, w_a, w_b = relative_twists(motion.twist, a, b)
    if near >= 0.0:
        if kind == POINT_FACE and _stays_off_plane(i, j, D, ds, w_a, w_b, features, motion, t):
            return t
        if squared_distance(kind, i, j, D, features) > near * near:
            return t
    return time_of_impact(
        kind, i, j, D, ds, w_a, w_b, features, motion.dmin, t, motion.min_gap_fraction,
        motion.most_kept,
    )  # fmt: skip
