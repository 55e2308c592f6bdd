"""Signs of a distance grid: do neighbours agree, and new signs from winding numbers.

A surface passes between two neighbouring nodes only if their distances add up to at most the
spacing; where they add up to more, both nodes are on the same side.
"""

import numpy as np

from dovetail.collision.sdf.mesh_distance import EMPTY, winding
from dovetail.linalg.vec3 import ZERO, add_scaled
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm

ROUNDING = 1.0 + 1e-5  # of float32 distances


@jit
def _same_side(a, b, spacing):
    """Whether no surface can pass between neighbours with distances a and b."""
    return abs(a) + abs(b) > ROUNDING * spacing


@jit
def contradictions(values, spacing, begin, end):
    """How many neighbours of nodes begin <= i < end have the other sign and no surface between."""
    count = 0
    for i in range(begin, end):
        for j in range(values.shape[1]):
            for k in range(values.shape[2]):
                a = values[i, j, k]
                if i > 0:
                    b = values[i - 1, j, k]
                    count += (a < 0) != (b < 0) and _same_side(a, b, spacing)
                if j > 0:
                    b = values[i, j - 1, k]
                    count += (a < 0) != (b < 0) and _same_side(a, b, spacing)
                if k > 0:
                    b = values[i, j, k - 1]
                    count += (a < 0) != (b < 0) and _same_side(a, b, spacing)
    return count


@jit
def sign_by_winding(mesh, origin, spacing, begin, end, values):
    """Give nodes begin <= i < end the sign of their winding number, or of a neighbour's."""
    for i in range(begin, end):
        for j in range(values.shape[1]):
            for k in range(values.shape[2]):
                size = abs(values[i, j, k])
                if k > 0 and _same_side(size, values[i, j, k - 1], spacing):
                    inside = values[i, j, k - 1] < 0
                elif j > 0 and _same_side(size, values[i, j - 1, k], spacing):
                    inside = values[i, j - 1, k] < 0
                else:
                    p = add_scaled(origin, spacing, (float(i), float(j), float(k)))
                    inside = winding(mesh, p) > 0.5
                values[i, j, k] = -size if inside else size


_values = np.empty((0, 0, 0), np.float32)
warm(contradictions, _values, 1.0, 0, 0)
warm(sign_by_winding, EMPTY, ZERO, 1.0, 0, 0, _values)
