"""Arrays that a sparse Cholesky factor of 6x6 blocks lives in, owned by the caller.

A = U^T U with one 6x6 block per body on the diagonal and one per pair of bodies off it, U upper
triangular in the order of elimination. "Place" means the position in that order.
"""

from typing import Any, NamedTuple

import numpy as np

N_BODIES, N_PAIRS, N_BLOCKS, N_ISLANDS = 0, 1, 2, 3  # entries of BlockFactor.count


class BlockFactor(NamedTuple):
    """Arrays for n bodies, m pairs and c blocks off the diagonal of the factor."""

    count: Any  # (4,) int64: bodies, pairs, blocks of the analysed pattern, islands
    order: Any  # (n,) int32 body at each place
    place: Any  # (n,) int32 place of each body
    parent: Any  # (n,) int32 place of the parent in the elimination tree, -1 at a root
    island: Any  # (n,) int32 connected component of each body, numbered from 0 by lowest body
    first: Any  # (n + 1,) int64 where the blocks of each row of U begin
    column: Any  # (c,) int32 place of each block's column, ascending in a row
    slot: Any  # (m,) int64 block of U that each pair adds to
    flipped: Any  # (m,) bool whether it adds its transpose
    diagonal: Any  # (n, 6, 6) U_ii
    block: Any  # (c, 6, 6) U_ij
    work: Any  # (9, n + 1) int32 scratch of the ordering
    link: Any  # (2 m,) int32 scratch: neighbours of each body
    spare: Any  # (c,) int32 scratch


def empty_factor(n: int, m: int, blocks: int | None = None) -> BlockFactor:
    """Arrays for n bodies, up to m pairs and as many blocks in the factor (default 2 m + n)."""
    c = 2 * m + n if blocks is None else blocks
    return BlockFactor(
        count=np.array([-1, 0, 0, 0]),
        order=np.empty(n, np.int32),
        place=np.empty(n, np.int32),
        parent=np.empty(n, np.int32),
        island=np.empty(n, np.int32),
        first=np.zeros(n + 1, np.int64),
        column=np.empty(c, np.int32),
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
    return empty_factor(n, m, 2 * len(factor.column) + n)
