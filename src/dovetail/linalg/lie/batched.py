"""Apply a compiled row kernel to arrays with any leading dimensions."""

import math

import numpy as np
import numpy.typing as npt

from dovetail.errors import InputError
from dovetail.linalg.lie.each import Each

Array = npt.NDArray[np.float64]


def as_rows(values: npt.ArrayLike, row: tuple[int, ...], name: str) -> Array:
    """`values` as float64 with the trailing shape `row`, or a sentence on what is wrong."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape[array.ndim - len(row) :] != row or array.ndim < len(row):
        wanted = "(..., " + ", ".join(map(str, row)) + ")"
        raise InputError(f"`{name}` must have shape {wanted}, got {array.shape}")
    return array


def apply(kernel: Each, values: npt.ArrayLike, name: str) -> Array:
    """kernel(values) for every row; shape (..., *source) becomes (..., *target)."""
    array = as_rows(values, kernel.source, name)
    leading = array.shape[: array.ndim - len(kernel.source)]
    count = math.prod(leading)
    # one memory layout, so that the kernel is compiled once: contiguous and writable
    rows = np.require(array.reshape(count, *kernel.source), requirements=["C", "W"])
    out = np.empty((count, *kernel.target))
    kernel.loop(rows, out)
    return out.reshape(leading + kernel.target)
