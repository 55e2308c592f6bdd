"""Solutions on a set S whose submatrix A_SS is singular: none, a point, or infinitely many."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.linalg.lcp.linear_program import minimise
from dovetail.linalg.lcp.problem import TOLERANCE, Problem
from dovetail.linalg.lcp.solution import Solution, answer

Array = NDArray[np.float64]
NULL = 1e-11  # singular values below this times the largest span the null space
NAME = "enumeration"


@dataclass(frozen=True)
class Family:
    """Infinitely many solutions: point + directions.T t, as far as x >= 0 and y >= 0 allow.

    Attributes:
        support: the indices where x > 0 inside the family.
        solution: a point inside it; `point` is its x.
        directions: (dimension, n), orthogonal in the scaled unknowns.
        ends: for a family of dimension one, x at its two ends, None where it goes on for ever.
    """

    support: tuple[int, ...]
    solution: Solution
    directions: Array
    ends: tuple[Array | None, Array | None] | None

    @property
    def point(self) -> Array:
        return self.solution.x


def inside_singular_set(problem: Problem, support: list[int]) -> Family | Array | None:
    """The solutions with x > 0 exactly on `support`: a family, one scaled point, or none."""
    chosen = np.array(support, dtype=np.intp)
    A, b = problem.dense_A, problem.scaled_b
    square = A[np.ix_(chosen, chosen)]
    _, sizes, rows = np.linalg.svd(square)
    null = rows[sizes <= NULL * max(1.0, float(sizes[0]))]
    if not len(null):
        null = rows[-1:]
    particular = np.linalg.lstsq(square, -b[chosen], rcond=NULL)[0]
    if np.max(np.abs(square @ particular + b[chosen])) > TOLERANCE:
        return None
    off = np.setdiff1d(np.arange(problem.size), chosen)
    # values >= 0 along the null space: x on the set, y off it
    offset = np.concatenate([particular, A[np.ix_(off, chosen)] @ particular + b[off]])
    slopes = np.vstack([null.T, A[np.ix_(off, chosen)] @ null.T])
    if len(null) == 1:
        interval = _interval(offset, slopes[:, 0])
        if interval is None:
            return None
        middle = np.array([_between(*interval)])
        bounds = interval
        is_point = interval[1] - interval[0] <= TOLERANCE * max(1.0, abs(interval[0]))
    else:
        inner = _inner_point(offset, slopes, len(chosen))
        if inner is None:
            return None
        middle, bounds = inner, None
        is_point = _has_no_width(offset, slopes)
    if np.min((offset + slopes @ middle)[: len(chosen)]) <= TOLERANCE:
        return None  # on a smaller support, where it is found too
    x = _spread(problem, chosen, particular + null.T @ middle)
    if is_point:
        return x
    solution = answer(problem, x, NAME, 1 << problem.size, "a family lost to rounding")
    if not solution.solved:
        return None
    ends = None
    if bounds is not None:
        ends = tuple(
            problem.unscaled(_spread(problem, chosen, particular + null[0] * t))
            if np.isfinite(t)
            else None
            for t in bounds
        )
    directions = np.array([problem.scale * _spread(problem, chosen, row) for row in null])
    return Family(tuple(support), solution, directions, ends)  # type: ignore[arg-type]


def _spread(problem: Problem, chosen: NDArray[Any], values: Array) -> Array:
    x = np.zeros(problem.size)
    x[chosen] = values
    return x


def _interval(offset: Array, slope: Array) -> tuple[float, float] | None:
    """All t with offset + slope t >= 0, up to rounding."""
    flat = np.abs(slope) <= NULL
    if np.any(offset[flat] < -TOLERANCE):
        return None
    up, down = slope > NULL, slope < -NULL
    low = float(np.max(-offset[up] / slope[up], initial=-np.inf))
    high = float(np.min(-offset[down] / slope[down], initial=np.inf))
    if low > high + TOLERANCE * max(1.0, abs(low)):
        return None
    return low, max(low, high)


def _between(low: float, high: float) -> float:
    if np.isfinite(low) and np.isfinite(high):
        return 0.5 * (low + high)
    if np.isfinite(low):
        return low + max(1.0, abs(low))
    return high - max(1.0, abs(high)) if np.isfinite(high) else 0.0


def _inner_point(offset: Array, slopes: Array, n_support: int) -> Array | None:
    """t with offset + slopes t >= 0 that keeps x on the support as far from zero as 1 allows."""
    dimension = slopes.shape[1]
    margin = np.zeros(len(offset))
    margin[:n_support] = 1.0
    bounds = np.zeros((2, dimension + 1))
    bounds[:, -1] = 1.0, -1.0  # the margin is between 0 and 1
    found = minimise(
        np.append(np.zeros(dimension), -1.0),
        np.vstack([np.column_stack([-slopes, margin]), bounds]),
        np.concatenate([offset + TOLERANCE * 1e-2, [1.0, 0.0]]),
        nonnegative=False,
    )
    return found.x[:dimension] if found.status == "solved" else None


def _has_no_width(offset: Array, slopes: Array) -> bool:
    """Whether {t : offset + slopes t >= 0} is a single point: no extent in a generic direction."""
    generic = np.sqrt(np.arange(2.0, 2.0 + slopes.shape[1]))
    extent = []
    for sign in (1.0, -1.0):
        found = minimise(sign * generic, -slopes, offset + TOLERANCE * 1e-2, nonnegative=False)
        if found.status != "solved":  # unbounded
            return False
        extent.append(found.x)
    return bool(np.max(np.abs(extent[0] - extent[1])) <= 1e3 * TOLERANCE)
