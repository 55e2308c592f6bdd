"""The one decorator every compiled kernel uses."""

from numba import njit
from numba.core.dispatcher import Dispatcher


def jit(function):
    """Compile `function` with Numba: cached on disk, without the GIL, IEEE division."""
    return njit(cache=True, nogil=True, error_model="numpy")(function)


def is_compiled_kernel(kernel) -> bool:
    """Whether `kernel` is compiled, and not plain Python because of NUMBA_DISABLE_JIT=1."""
    return isinstance(kernel, Dispatcher)
