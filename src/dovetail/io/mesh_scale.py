"""The scale of a mesh as a person would write it."""

import numpy as np

from dovetail.model.values import Array


def shortest_scale(scale: Array) -> float | tuple[float, ...]:
    """One number where the three factors (3,) are equal, else all three."""
    return float(scale[0]) if np.all(scale == scale[0]) else tuple(scale.tolist())
