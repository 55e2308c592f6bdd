"""Candidate pairs kept while bodies move little, as neighbour lists of molecular dynamics are.

A list made for reach + slack holds all pairs within reach until the two bodies together have
moved more than the slack: a point of a body moves by at most |dx| + |turn| radius, the turn being
the angle of R R_made^T (Verlet, Physical Review 159 (1967) 98).
"""

from dataclasses import dataclass

import numpy as np

from dovetail.geometry.body_sweep import overlapping_boxes
from dovetail.geometry.bvh import PairBuffer
from dovetail.geometry.contact_features import Candidates, ContactFeatures, candidates_between
from dovetail.geometry.relative_pose import relative_pose
from dovetail.lie import so3
from dovetail.model.values import Array


@dataclass(frozen=True, eq=False)
class _Made:
    """A list and the poses it was made at."""

    candidates: Candidates
    x: Array  # (2, 3)
    R: Array  # (2, 3, 3)
    reach: float  # [m] with the slack


class SlackLists:
    """Candidates of all pairs of bodies that may touch.

    `may_touch` says which pairs are looked at at all (both numbers, the smaller first); `slack`
    [m] is how far a pair may move before its list is made anew.
    """

    def __init__(
        self, bodies: list[ContactFeatures], may_touch: set[tuple[int, int]], slack: float
    ) -> None:
        self._bodies, self._may_touch, self._slack = bodies, may_touch, slack
        self._made: dict[tuple[int, int], _Made] = {}
        self._buffer = PairBuffer()
        self.rebuilt = 0

    def within(self, x: Array, R: Array, reach: float) -> dict[tuple[int, int], Candidates]:
        """Candidates within `reach` [m] at the poses x (n, 3), R (n, 3, 3), by pair of bodies.

        Pairs with none are left out. The order is that of the numbers of the bodies.
        """
        near = overlapping_boxes(self._boxes(x, R, reach / 2), self._buffer).tolist()
        found = {}
        for i, j in sorted((i, j) for i, j in near if (i, j) in self._may_touch):
            made = self._made.get((i, j))
            poses = x[[i, j]], R[[i, j]]
            if made is None or made.reach < reach + self._moved((i, j), made, *poses):
                made = self._make((i, j), *poses, reach + self._slack)
            if made.candidates.count:
                found[i, j] = made.candidates
        return found

    def _boxes(self, x: Array, R: Array, margin: float) -> Array:
        """(n, 6) [m] around each body, grown by the margin."""
        rows = np.empty((len(self._bodies), 6))
        for k, body in enumerate(self._bodies):
            lower, upper = body.surface.bounds
            middle, half = R[k] @ (upper + lower) / 2 + x[k], np.abs(R[k]) @ (upper - lower) / 2
            grown = half + margin + 1e-14 * (np.abs(middle) + half + body.radius)
            rows[k] = *(middle - grown), *(middle + grown)
        return rows

    def _moved(self, pair: tuple[int, int], made: _Made, x: Array, R: Array) -> float:
        """[m] how much closer two points of the bodies can have come since the list was made."""
        shift = float(np.linalg.norm((x[1] - x[0]) - (made.x[1] - made.x[0])))
        turns = np.linalg.norm(so3.log(R @ np.swapaxes(made.R, 1, 2)), axis=1)
        radii = [self._bodies[k].radius for k in pair]
        return shift + float(turns @ radii) + 1e-13 * (sum(radii) + shift)

    def _make(self, pair: tuple[int, int], x: Array, R: Array, reach: float) -> _Made:
        a, b = (self._bodies[k] for k in pair)
        pose = relative_pose(x[0], R[0], x[1], R[1], a.radius, b.radius)
        candidates = candidates_between(a, b, pose, reach, self._buffer)
        made = _Made(candidates, x.copy(), R.copy(), reach)
        self._made[pair] = made
        self.rebuilt += 1
        return made
