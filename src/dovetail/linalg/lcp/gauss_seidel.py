"""Projected Gauss-Seidel sweeps on a sparse LCP: each row solved for its own unknown in turn.

The kernel of `linalg.lcp.sweeps`. The contact solver has sweeps of its own, which work on body
velocities and never form the matrix (`contact.impulse.gauss_seidel`).
"""

import numpy as np

from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


@jit
def projected_sweeps(data, indices, starts, diagonal, b, x, sweeps, tolerance):
    """x_i <- max(0, x_i - (A x + b)_i / A_ii) for all rows, up to `sweeps` times.

    A (n, n) in compressed rows, diagonal > 0. Stops when no x_i changes by more than
    tolerance max(1, |x|). Returns (sweeps made, largest change in the last one).
    """
    n = b.shape[0]
    change = 0.0
    for made in range(sweeps):
        change, largest = 0.0, 1.0
        for i in range(n):
            y = b[i]
            for k in range(starts[i], starts[i + 1]):
                y += data[k] * x[indices[k]]
            value = max(0.0, x[i] - y / diagonal[i])
            change = max(change, abs(value - x[i]))
            largest = max(largest, value)
            x[i] = value
        if change <= tolerance * largest:
            return made + 1, change
        if not largest < 1e100:
            return made + 1, change
    return sweeps, change


_floats, _ints = read_only(np.empty(0)), read_only(np.empty(0), np.int32)
warm(projected_sweeps, _floats, _ints, _ints, _floats, _floats, np.empty(0), 0, 0.0)
