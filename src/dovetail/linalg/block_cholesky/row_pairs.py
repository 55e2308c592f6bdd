"""Which pairs of bodies rows couple: the blocks off the diagonal of M + J^T H J."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from dovetail.runtime.records import BoolArray, Int32Array, Int64Array


class RowPairs(NamedTuple):
    """The pairs of r rows of k bodies; those of a row are its sides 0-1, 0-2, ..., 1-2, ..."""

    pair: Int32Array  # (m, 2) smaller number first, each once
    of_row: Int64Array  # (r, k (k - 1) / 2) pair of two sides, -1 where one of them does not move
    swapped: BoolArray  # (r, k (k - 1) / 2) whether the first side comes second in the pair


def row_pairs(body: Int32Array | Int64Array, moves: BoolArray) -> RowPairs:
    """Of the bodies (r, k) of rows, -1: none; moves (n,) which bodies have unknowns."""
    n = len(moves)
    known = np.append(moves, False)
    sides = list(combinations(range(body.shape[1]), 2))
    first = body[:, [i for i, _ in sides]].astype(np.int64)
    second = body[:, [j for _, j in sides]].astype(np.int64)
    both = known[first] & known[second] & (first != second)
    keys = np.minimum(first, second) * n + np.maximum(first, second)
    found, which = np.unique(keys[both], return_inverse=True)
    of_row = np.full(both.shape, -1, np.int64)
    of_row[both] = which.reshape(-1)
    pair = np.column_stack([found // max(n, 1), found % max(n, 1)]).astype(np.int32)
    return RowPairs(pair, of_row, np.ascontiguousarray(first > second))
