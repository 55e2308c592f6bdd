"""The one decorator every compiled kernel uses."""

from numba import njit


def jit(function):
    """Compile `function` with Numba: cached on disk, without the GIL, IEEE division."""
    return njit(cache=True, nogil=True, error_model="numpy")(function)
