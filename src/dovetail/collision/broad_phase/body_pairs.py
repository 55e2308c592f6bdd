"""Which bodies come near each other at all: a sweep over their boxes."""

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.broad_phase.sweep_and_prune import sweep_pairs
from dovetail.collision.bvh.tree import PairBuffer
from dovetail.model.values import Array
from dovetail.runtime.read_only import read_only


def overlapping_boxes(boxes: Array, buffer: PairBuffer | None = None) -> NDArray[np.int32]:
    """Pairs i < j of closed boxes (n, 6) = (lower, upper) [m] that overlap, (n_pairs, 2).

    Sweeps along the axis on which the middles of the boxes spread most. Boxes may be infinite.
    The order depends on the boxes only.
    """
    buffer = buffer or PairBuffer()
    rows = read_only(boxes)
    if len(rows) < 2:
        return buffer.rows[:0]
    finite = rows[np.all(np.isfinite(rows), axis=1)]
    middles = (finite[:, :3] + finite[:, 3:]) / 2
    axis = int(np.argmax(np.var(middles, axis=0))) if len(finite) else 0
    order = read_only(np.argsort(rows[:, axis], kind="stable"), np.int32)
    return buffer.filled_by(lambda pairs: sweep_pairs(rows, order, axis, pairs))
