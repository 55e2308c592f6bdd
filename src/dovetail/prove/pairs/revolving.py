"""Two bodies whose relative motion is about one axis: what their profiles about it leave open."""

import numpy as np

from dovetail.collision.bvh.forest_arrays import Forest
from dovetail.model.values import Array
from dovetail.prove.motion.chains import PairMotion
from dovetail.prove.motion.course import spread_over
from dovetail.prove.motion.records import Cell, workspace
from dovetail.prove.pairs.screw_profile import (
    N_DIRECTIONS,
    Profile,
    ScrewAxis,
    pairs_left,
    write_profile,
)
from dovetail.runtime.records import Int64Array

SAME_LINE = 1e-14  # of the extent: axes within this are one; the allowance for rounding is larger
MOST_PAIRS = 100_000  # of triangles that profiles may leave
MOST_TESTS = 4_000_000
DEPTH = 512


class Revolving:
    """Profiles of both bodies about their axis."""

    def __init__(
        self, forest: Forest, numbers: tuple[int, int], motion: PairMotion, axis: ScrewAxis
    ) -> None:
        self._forest, self._numbers, self._motion, self._axis = forest, numbers, motion, axis
        chain = motion.chain
        self._advances = chain.screws[:, 3:] @ axis.direction
        a, b = numbers
        self._a = _profile(forest, a, chain.R_a, chain.x_a, axis)
        self._b = _profile(forest, b, chain.R_b, chain.x_b, axis)
        self._stack = np.zeros((DEPTH, 2), np.int64)
        self._pairs = np.zeros((MOST_PAIRS, 2), np.int64)
        self._work = workspace(1, len(motion.parameters), len(chain.screws))

    def pairs_left(self, cell: Cell, least: float, budget: int) -> tuple[Int64Array | None, int]:
        """Pairs of leaves that may come closer than `least` [m]; None: too many to say."""
        spread_over(self._motion.course, cell.low, cell.high, self._work)
        rises = self._advances * self._work.middle
        wide = np.abs(self._advances) * self._work.half
        rise = float((rises - wide).sum()), float((rises + wide).sum())
        count, tests = pairs_left(
            self._forest, *self._numbers, self._a, self._b, self._axis, rise, least, self._stack,
            self._pairs, min(budget, MOST_TESTS),
        )  # fmt: skip
        return (None if count < 0 else self._pairs[:count].copy()), int(tests)


def revolving(forest: Forest, numbers: tuple[int, int], motion: PairMotion) -> Revolving | None:
    """None where the motion between the two is not about one axis."""
    axis = _common_axis(motion.chain.screws, float(sum(forest.radius[n] for n in numbers)))
    return None if axis is None else Revolving(forest, numbers, motion, axis)


def _common_axis(screws: Array, extent: float) -> ScrewAxis | None:
    turning = [row for row in screws if row[:3].any()]
    if not turning:
        return None
    w, v = turning[0][:3], turning[0][3:]
    point = np.cross(w, v)
    for row in screws:
        direction = row[:3] if row[:3].any() else row[3:]
        if np.linalg.norm(np.cross(direction, w)) > SAME_LINE:
            return None
        if row[:3].any() and np.linalg.norm(np.cross(row[:3], row[3:]) - point) > SAME_LINE * (
            extent + np.linalg.norm(point)
        ):
            return None
    single = len(screws) == 1
    return ScrewAxis(point, w.copy(), float(w @ v) if single else 0.0, single)


def _profile(forest: Forest, body: int, R: Array, x: Array, axis: ScrewAxis) -> Profile:
    root = int(forest.root[body])
    count = n_nodes(forest, root)
    low, high = np.zeros((count, N_DIRECTIONS)), np.zeros((count, N_DIRECTIONS))
    along = np.zeros((count, 2))
    write_profile(forest, body, R, x, axis, low, high, along)
    return Profile(low, high, along)


def n_nodes(forest: Forest, root: int) -> int:
    """Of the tree that begins at `root`: one more leaf than nodes with children."""
    node = root
    while forest.right[node] >= 0:
        node = int(forest.right[node])
    return node - root + 1
