"""Pairs of overlapping boxes among many bodies: sort along one axis and sweep."""

import numpy as np

from dovetail.runtime.jit import jit
from dovetail.runtime.read_only import read_only
from dovetail.runtime.warmup import warm


@jit
def sweep_pairs(boxes, order, axis, pairs):
    """Pairs (i < j) of boxes (n, 6) that overlap, closed; `order` sorts their lower ends on `axis`.

    Returns how many there are, which may be more than fit into `pairs`.
    """
    count = 0
    n = order.shape[0]
    for s in range(n):
        i = order[s]
        for r in range(s + 1, n):
            j = order[r]
            if boxes[j, axis] > boxes[i, 3 + axis]:
                break
            if (
                boxes[i, 0] <= boxes[j, 3]
                and boxes[j, 0] <= boxes[i, 3]
                and boxes[i, 1] <= boxes[j, 4]
                and boxes[j, 1] <= boxes[i, 4]
                and boxes[i, 2] <= boxes[j, 5]
                and boxes[j, 2] <= boxes[i, 5]
            ):
                if count < pairs.shape[0]:
                    pairs[count, 0] = min(i, j)
                    pairs[count, 1] = max(i, j)
                count += 1
    return count


_boxes, _order = read_only(np.empty((0, 6))), read_only(np.empty(0), np.int32)
warm(sweep_pairs, _boxes, _order, 0, np.empty((0, 2), np.int32))
