"""How large the numbers of a state are, in one call."""

from typing import NamedTuple

import numpy as np

from dovetail.runtime.jit import jit, jit_in_place
from dovetail.runtime.records import FloatArray, bundler
from dovetail.runtime.warmup import warm, warm_later


class MotionArrays(NamedTuple):
    """The motion of n bodies."""

    x: FloatArray  # (n, 3) [m]
    R: FloatArray  # (n, 3, 3)
    v: FloatArray  # (n, 3) [m/s]
    omega: FloatArray  # (n, 3) [rad/s]


bundle_motion_arrays = bundler(MotionArrays)


@jit
def motion_squares(motion):
    """(sum of v^2, of omega^2, of x^2 and R^2): each inf or nan where a number is not finite."""
    return squares_of(motion)


@jit_in_place
def squares_of(motion):
    """See `motion_squares`; any record with these arrays."""
    x, R, v, omega = motion.x, motion.R, motion.v, motion.omega
    v2, w2, places = 0.0, 0.0, 0.0
    for i in range(x.shape[0]):
        for k in range(3):
            v2 += v[i, k] * v[i, k]
            w2 += omega[i, k] * omega[i, k]
            places += x[i, k] * x[i, k]
            for c in range(3):
                places += R[i, k, c] * R[i, k, c]
    return v2, w2, places


def _register() -> None:
    place = np.zeros((0, 3))
    warm(motion_squares, bundle_motion_arrays(place, np.zeros((0, 3, 3)), place, place))


warm_later(_register)
