"""The problem x >= 0, y = A x + b >= 0, x.y = 0: read from the user, and scaled to order one."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.runtime.extras import require

Array = NDArray[np.float64]
SCALING_SWEEPS = 6
CLOSE_ENOUGH = 1.0  # binary digits by which the largest entry of a row may differ from 1
TOLERANCE = 1e-10  # of the residual of the scaled problem


@dataclass(frozen=True)
class Problem:
    """A (n, n), dense or compressed rows, and b (n,), with the scales of unknowns and values.

    The scaled problem has A' = S A S and b' = S b / beta, so x = beta S x' and y = beta y' / S.
    S is diagonal and positive: it keeps A positive definite, copositive or P where it is. All
    scales are powers of two, so that scaling rounds nothing.
    """

    A: Any
    b: Array
    scale: Array  # the diagonal of S
    beta: float

    @property
    def size(self) -> int:
        return len(self.b)

    @property
    def is_sparse(self) -> bool:
        return bool(is_sparse(self.A))

    @cached_property
    def scaled_A(self) -> Any:
        if self.is_sparse:
            diagonal = require("scipy.sparse").diags_array(self.scale)
            return (diagonal @ self.A @ diagonal).tocsr()
        return self.scale[:, None] * self.A * self.scale

    @cached_property
    def dense_A(self) -> Array:
        """The scaled matrix as an array."""
        full = self.scaled_A.toarray() if self.is_sparse else self.scaled_A
        return np.ascontiguousarray(full)

    @cached_property
    def absolute_A(self) -> Any:
        return abs(self.scaled_A)

    @cached_property
    def scaled_b(self) -> Array:
        return np.asarray(self.scale * self.b / self.beta)

    def unscaled(self, x: Array) -> Array:
        """x in the units of the user."""
        return np.asarray(self.beta * self.scale * x)

    def residual(self, x: Array) -> float:
        """max_i |min(x_i / X, y_i / s_i)| with X = max |x| and s_i the size of the terms of y_i.

        s_i = |b_i| + sum_j |A_ij| (|x_j| + X / 100): the last part allows for what rounding in the
        large unknowns leaves in the small ones. Zero at a solution only, and without units.
        """
        if not self.size:
            return 0.0
        if not np.all(np.isfinite(x)):
            return np.inf
        largest = float(np.max(np.abs(x)))
        y = self.scaled_A @ x + self.scaled_b
        size = np.abs(self.scaled_b) + self.absolute_A @ (np.abs(x) + 0.01 * largest)
        relative_x = x / largest if largest > 0 else x
        relative_y = np.divide(y, size, out=np.zeros_like(y), where=size > 0)
        return float(np.max(np.abs(np.minimum(relative_x, relative_y))))


def is_sparse(A: Any) -> bool:
    """Whether A is a sparse matrix or array of SciPy, which is then there."""
    return type(A).__module__.startswith("scipy.sparse")


def read_problem(A: Any, b: Any) -> Problem:
    """Clean arrays, or one InputError that names every mistake."""
    mistakes: list[str] = []
    matrix = read_matrix(A, "A", mistakes)
    vector = _read_vector(b, "b", mistakes)
    if matrix is not None and vector is not None and len(vector) != matrix.shape[0]:
        mistakes.append(
            f"`b` must have one number per row of `A`, got {len(vector)} numbers for "
            f"{matrix.shape[0]} rows"
        )
    if mistakes or matrix is None or vector is None:
        raise InputError(mistakes)
    scale = symmetric_scale(matrix)
    with np.errstate(over="ignore"):
        largest = float(np.max(np.abs(scale * vector), initial=0.0))
    if not largest < 1e290:
        raise InputError(
            "`A` and `b` must be within the range of floating-point numbers of each other, got "
            f"|b| up to {np.max(np.abs(vector)):g}; choose other units"
        )
    return Problem(matrix, vector, scale, power_of_two(largest))


def read_matrix(value: Any, name: str, mistakes: list[str]) -> Any:
    """A square matrix of finite numbers, dense or sparse as given; None after a mistake."""
    if is_sparse(value):
        matrix: Any = require("scipy.sparse").csr_array(value)
        entries = matrix.data
    else:
        matrix = entries = _numbers(value)
    if entries is None or entries.dtype.kind not in "iufb":
        mistakes.append(
            f"`{name}` must be a square matrix of real numbers, got {_described(value)}"
        )
        return None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        mistakes.append(f"`{name}` must be a square matrix, got shape {matrix.shape}")
        return None
    if not np.all(np.isfinite(entries)):
        where = ""
        if not is_sparse(matrix):
            i, j = np.argwhere(~np.isfinite(matrix))[0]
            where = f" with {matrix[i, j]} in row {i}, column {j}"
        mistakes.append(f"`{name}` must be finite numbers, got a matrix{where or ' with others'}")
        return None
    return matrix.astype(np.float64)


def _read_vector(value: Any, name: str, mistakes: list[str]) -> Array | None:
    vector = _numbers(value)
    if vector is None or vector.dtype.kind not in "iufb" or vector.ndim != 1:
        mistakes.append(f"`{name}` must be a list of real numbers, got {_described(value)}")
        return None
    vector = np.asarray(vector, dtype=np.float64)
    if not np.all(np.isfinite(vector)):
        i = int(np.flatnonzero(~np.isfinite(vector))[0])
        mistakes.append(f"`{name}` must be finite numbers, got {vector[i]} at {i}")
        return None
    return np.asarray(vector)


def _numbers(value: Any) -> Any:
    try:
        return np.asarray(value)
    except Exception:  # ragged lists, objects that fail to become an array
        return None


def _described(value: Any) -> str:
    array = _numbers(value)
    if array is not None and array.ndim:
        return f"an array of shape {array.shape} of {array.dtype}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def power_of_two(size: float) -> float:
    """The power of two nearest to `size`; 1 for zero."""
    return float(2.0 ** np.round(np.log2(size))) if size > 0 else 1.0


def symmetric_scale(A: Any) -> Array:
    """Powers of two s such that the largest |s_i A_ij s_j| of row and column i is about 1.

    Source: Ruiz 2001, "A scaling algorithm to equilibrate both rows and columns norms".
    """
    sizes = abs(A)
    exponent = np.zeros(A.shape[0])
    for _ in range(SCALING_SWEEPS if A.shape[0] else 0):
        s = np.exp2(exponent)
        if is_sparse(A):
            diagonal = require("scipy.sparse").diags_array(s)
            scaled = diagonal @ sizes @ diagonal
        else:
            scaled = s[:, None] * sizes * s
        largest = np.maximum(_largest(scaled, 0), _largest(scaled, 1))
        step = np.zeros_like(largest)
        np.log2(largest, out=step, where=largest > 0)
        exponent -= 0.5 * step
        if np.max(np.abs(step)) <= CLOSE_ENOUGH:
            break
    return np.asarray(np.exp2(np.round(exponent)))


def _largest(A: Any, axis: int) -> Array:
    largest = A.max(axis=axis)
    return np.asarray(largest.toarray() if is_sparse(largest) else largest).ravel()
