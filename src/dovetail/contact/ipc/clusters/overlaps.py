"""Which of many balls overlap: sort along one axis, sweep, unite."""

import numpy as np

from dovetail.linalg.union_find import root
from dovetail.runtime.jit import jit
from dovetail.runtime.warmup import warm


@jit
def connect_balls(x, radius, order, axis, leader):
    """Unite balls that overlap: centres x (m, 3), `order` by their lower ends on `axis`.

    `leader` (m,) has the union-find, then the least ball that each is connected with.
    """
    m = order.shape[0]
    for i in range(m):
        leader[i] = i
    for s in range(m):
        i = order[s]
        for r in range(s + 1, m):
            j = order[r]
            if x[j, axis] - radius[j] > x[i, axis] + radius[i]:
                break
            squared, reach = 0.0, radius[i] + radius[j]
            for k in range(3):
                squared += (x[j, k] - x[i, k]) ** 2
            if squared <= reach * reach:
                a, b = root(leader, i), root(leader, j)
                leader[max(a, b)] = min(a, b)
    for i in range(m):
        leader[i] = root(leader, i)


_numbers = np.empty(0, np.int64)
warm(connect_balls, np.empty((0, 3)), np.empty(0), _numbers, 0, _numbers)
