"""When contacts close: the first root of gap + rate t + acceleration t^2 / 2."""

import numpy as np

from dovetail.model.values import Array


def times_of_impact(gap: Array, rate: Array, acceleration: Array) -> Array:
    """(m,) [s] when each gap [m] closes at a rate [m/s] and acceleration [m/s^2]; inf: never.

    The root is 2 g / (-r + sqrt(r^2 - 2 a g)), which does not cancel where contacts approach.
    """
    gap = np.maximum(gap, 0.0)
    square = rate * rate - 2.0 * acceleration * gap
    below = -rate + np.sqrt(np.maximum(square, 0.0))
    closes = (square >= 0.0) & (below > 0.0)
    time = np.divide(2.0 * gap, below, out=np.full(len(gap), np.inf), where=closes)
    return np.asarray(time)
