"""Which balls are connected, against all pairs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dovetail.contact.ipc.clusters.overlaps import connect_balls


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(0, 2))
def test_balls_are_connected_as_by_all_pairs(seed, m, axis):
    rng = np.random.default_rng(seed)
    x, radius = rng.uniform(0, 3, (m, 3)), rng.uniform(0.05, 0.5, m)
    leader = np.empty(m, np.int64)
    order = np.argsort(x[:, axis] - radius, kind="stable")
    connect_balls(x, radius, order, axis, leader)
    wanted = np.arange(m)
    changed = True
    while changed:
        changed = False
        for i in range(m):
            for j in range(m):
                near = np.linalg.norm(x[i] - x[j]) <= radius[i] + radius[j]
                if near and wanted[i] < wanted[j]:
                    wanted[j], changed = wanted[i], True
    np.testing.assert_array_equal(leader, wanted)
