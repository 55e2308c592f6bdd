"""The arrays of a sparse Cholesky factor of 6x6 blocks, owned by the caller.

A = U^T U with one 6x6 block per body on the diagonal and one per pair of bodies off it, U upper
triangular in the order of elimination. "Place" means the position in that order.
"""

from typing import NamedTuple

import numpy as np

from dovetail.runtime.records import BoolArray, FloatArray, Int32Array, Int64Array

# entries of BlockFactor.count; N_BODIES -1: a new order is asked for, N_ORDERED those of the last
N_BODIES, N_PAIRS, N_BLOCKS, N_ISLANDS, N_ORDERED = 0, 1, 2, 3, 4


class BlockFactor(NamedTuple):
    """Arrays for n bodies, m pairs and c blocks off the diagonal of the factor."""

    count: Int64Array  # type: ignore[assignment]  # (5,) bodies, pairs, blocks, islands
    order: Int32Array  # (n,) body at each place
    place: Int32Array  # (n,) place of each body
    parent: Int32Array  # (n,) place of the parent in the elimination tree, -1 at a root
    island: Int32Array  # (n,) connected component of each body, numbered from 0 by lowest body
    first: Int64Array  # (n + 1,) where the blocks of each row of U begin
    column: Int32Array  # (c,) place of each block's column, ascending in a row
    ordered: Int32Array  # (m, 2) the pairs that the order was found for
    slot: Int64Array  # (m,) block of U that each pair adds to
    flipped: BoolArray  # (m,) whether it adds its transpose
    diagonal: FloatArray  # (n, 6, 6) U_ii
    block: FloatArray  # (c, 6, 6) U_ij
    work: Int32Array  # (9, n + 1) scratch of the ordering
    link: Int32Array  # (2 m,) scratch: neighbours of each body
    spare: Int32Array  # (c,) scratch


def factor_workspace(n: int, m: int, blocks: int | None = None) -> BlockFactor:
    """Arrays for n bodies, up to m pairs and as many blocks in the factor (default 2 m + n)."""
    c = 2 * m + n if blocks is None else blocks
    return BlockFactor(
        count=np.array([-1, 0, 0, 0, -1]),
        order=np.empty(n, np.int32),
        place=np.empty(n, np.int32),
        parent=np.empty(n, np.int32),
        island=np.empty(n, np.int32),
        first=np.zeros(n + 1, np.int64),
        column=np.empty(c, np.int32),
        ordered=np.empty((m, 2), np.int32),
        slot=np.empty(m, np.int64),
        flipped=np.empty(m, np.bool_),
        diagonal=np.empty((n, 6, 6)),
        block=np.empty((c, 6, 6)),
        work=np.empty((9, n + 1), np.int32),
        link=np.empty(2 * m, np.int32),
        spare=np.empty(c, np.int32),
    )


def with_more_blocks(factor: BlockFactor) -> BlockFactor:
    """New arrays for the same bodies and pairs, and twice the blocks."""
    n, m = len(factor.order), len(factor.slot)
    return factor_workspace(n, m, 2 * len(factor.column) + n)
