"""Which equations are independent, and small dense systems."""

import math

import numpy as np

from dovetail.runtime.jit import jit_in_place
from dovetail.runtime.warmup import warm


@jit_in_place
def independent_rows(Y, n_first, sizes, tolerance, chosen):
    """Choose independent rows of Y (m, n); returns how many, their numbers in `chosen` (m,).

    Gram-Schmidt with pivoting, each row against what it was at the start, so no unit or scale
    matters: a row counts as dependent when less than `tolerance` of it is new. The first n_first
    rows are taken before all others, in order. Of the others, made comparable by `sizes`
    (m - n_first,), one that is less than `tolerance` of the largest is round-off and left out.
    Y is overwritten with an orthonormal basis.
    """
    m, n = Y.shape
    rank = 0
    largest = 0.0
    for row in range(n_first, m):
        largest = max(largest, sizes[row - n_first] * _length(Y, row))
    for row in range(m):
        size = _length(Y, row)
        if row >= n_first and sizes[row - n_first] * size <= tolerance * largest:
            size = 0.0
        chosen[row] = 0 if size > 0.0 else 1  # a mark while choosing: 1 is used up
        if size > 0.0:
            for k in range(n):
                Y[row, k] /= size
    while True:
        best, most = -1, tolerance
        for row in range(m):
            if chosen[row] == 0:
                left = _length(Y, row)
                if left <= tolerance:
                    chosen[row] = 1
                elif row < n_first:
                    best = row
                    break
                elif left > most:
                    best, most = row, left
        if best < 0:
            break
        size = _length(Y, best)
        for k in range(n):
            Y[best, k] /= size
        chosen[best] = 2
        rank += 1
        for row in range(m):
            if chosen[row] == 0:
                for _ in range(2):  # once more, for what round-off left in the first time
                    part = 0.0
                    for k in range(n):
                        part += Y[row, k] * Y[best, k]
                    for k in range(n):
                        Y[row, k] -= part * Y[best, k]
    count = 0
    for row in range(m):
        if chosen[row] == 2:
            chosen[count] = row
            count += 1
    return rank


@jit_in_place
def _length(Y, row):
    total = 0.0
    for k in range(Y.shape[1]):
        total += Y[row, k] * Y[row, k]
    return math.sqrt(total)


_SQUARE, _NUMBERS = np.empty((0, 0)), np.empty(0, dtype=np.int64)
warm(independent_rows, _SQUARE, 0, np.empty(0), 0.0, _NUMBERS)
