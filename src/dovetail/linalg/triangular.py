"""Triangular systems by NumPy's LU factorisation, which leaves an upper triangle as it is."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def solve_upper(U: Array, b: Array) -> Array:
    """U^-1 b for an upper triangle U (n, n) and b (n,) or (n, k): back substitution."""
    return np.asarray(np.linalg.solve(U, b)) if len(U) else np.array(b, dtype=np.float64)


def solve_lower(L: Array, b: Array) -> Array:
    """L^-1 b for a lower triangle L (n, n): an upper one when read backwards."""
    return solve_upper(L[::-1, ::-1], b[::-1])[::-1]
