"""Where the blocks of a sparse Cholesky factor stand, found once per pattern of pairs."""

from dovetail.linalg.block_cholesky.ordering import eliminate_by_least_degree
from dovetail.linalg.block_cholesky.workspace import (
    N_BLOCKS,
    N_BODIES,
    N_ISLANDS,
    N_ORDERED,
    N_PAIRS,
)
from dovetail.runtime.jit import jit_in_place


@jit_in_place
def prepare(factor, n, pair, m):
    """Make `factor` fit bodies 0..n-1 and the m pairs (m, 2) of them; False: allocate more.

    Keeps the last order while it covers the pairs and at most half of its own are unused, so that
    contacts that come and go cost a look-up. Where a new order is asked for (count[N_BODIES] < 0)
    and the pairs are those of the last one, it is the same, and is kept, too. Pairs are of two
    different bodies, in either order; the blocks of one that appears several times add up. False
    leaves a factor of no use until called again with twice the blocks.
    """
    count = factor.count
    if count[N_BODIES] == n and 2 * m >= count[N_PAIRS] and locate(factor, pair, m) == m:
        return True
    if count[N_BODIES] < 0 and count[N_ORDERED] == n and _are_ordered(factor, pair, m):
        count[N_BODIES] = n
        return locate(factor, pair, m) == m
    return analyse(factor, n, pair, m)


@jit_in_place
def _are_ordered(factor, pair, m):
    """Whether these are the pairs that the last order was found for, one by one."""
    if factor.count[N_PAIRS] != m:
        return False
    ordered = factor.ordered
    for k in range(m):
        if ordered[k, 0] != pair[k, 0] or ordered[k, 1] != pair[k, 1]:
            return False
    return True


@jit_in_place
def analyse(factor, n, pair, m):
    """Order the bodies and find all blocks of U; False when they exceed the capacity."""
    count, order, place, first = factor.count, factor.order, factor.place, factor.first
    column, spare, work, link = factor.column, factor.spare, factor.work, factor.link
    count[N_BODIES] = count[N_ORDERED] = -1
    blocks = eliminate_by_least_degree(n, pair, m, order, place, first, column, link, work)
    if blocks < 0:
        return False
    _sort_rows(n, place, first, column, spare, work)
    count[N_BODIES], count[N_PAIRS], count[N_BLOCKS], count[N_ORDERED] = n, m, blocks, n
    for k in range(m):
        factor.ordered[k, 0], factor.ordered[k, 1] = pair[k, 0], pair[k, 1]
    count[N_ISLANDS] = _find_islands(n, factor.parent, first, column, place, factor.island, work)
    return locate(factor, pair, m) == m


@jit_in_place
def locate(factor, pair, m):
    """Find the block of U for each of the m pairs; the number found before one that has none."""
    place, first, column = factor.place, factor.first, factor.column
    slot, flipped = factor.slot, factor.flipped
    for k in range(m):
        row, col = place[pair[k, 0]], place[pair[k, 1]]
        flipped[k] = row > col
        if row > col:
            row, col = col, row
        low, high = first[row], first[row + 1]
        while low < high:
            middle = (low + high) // 2
            if column[middle] < col:
                low = middle + 1
            else:
                high = middle
        if low == first[row + 1] or column[low] != col:
            return k
        slot[k] = low
    return m


@jit_in_place
def _sort_rows(n, place, first, column, spare, work):
    """Name the columns of each row by place, ascending: the transpose of the transpose."""
    for c in range(n + 1):
        work[0, c] = 0
    for at in range(first[n]):
        column[at] = place[column[at]]
        work[0, column[at]] += 1
    end = 0
    for c in range(n):
        end += work[0, c]
        work[0, c] = end - work[0, c]
    for row in range(n):
        for at in range(first[row], first[row + 1]):
            c = column[at]
            spare[work[0, c]] = row
            work[0, c] += 1
    for row in range(n):
        work[1, row] = 0
    at = 0
    for c in range(n):
        while at < work[0, c]:
            row = spare[at]
            column[first[row] + work[1, row]] = c
            work[1, row] += 1
            at += 1


@jit_in_place
def _find_islands(n, parent, first, column, place, island, work):
    """Elimination tree; the bodies of one tree are connected. Number of trees."""
    for k in range(n - 1, -1, -1):
        parent[k] = column[first[k]] if first[k] < first[k + 1] else -1
        work[0, k] = k if parent[k] < 0 else work[0, parent[k]]
        work[1, k] = -1
    islands = 0
    for i in range(n):
        root = work[0, place[i]]
        if work[1, root] < 0:
            work[1, root] = islands
            islands += 1
        island[i] = work[1, root]
    return islands
