"""Overlaps within a tolerance: a motion nearby has none.

Two bodies overlap by no more than the tolerance if body b can be moved by translations u(t) of at
most that length, without a jump, so that it is clear of body a at all times. Where u might jump, a
wire would pass through a wire and a plate through a plate that is thinner than the tolerance.

On pieces of the path u is fixed in the world, which the path test decides. Where u changes between
two pieces, and where it begins and ends, both bodies are held and b is moved from the one
translation to the other, by the same test. Balls, capsules and half-spaces are instead made smaller
by the tolerance.
"""

from collections.abc import Sequence

import numpy as np

from dovetail.model.values import Array
from dovetail.verifier.depth import Depth, PairDepth
from dovetail.verifier.path_clearance import path_between
from dovetail.verifier.path_search import Search
from dovetail.verifier.plane_clearance import path_over_plane
from dovetail.verifier.recorded_motion import BodyMotion
from dovetail.verifier.records import CLEAR, TOUCH, Limits, Mat3, RelativeMotion

HALVINGS = 4  # of the path between two stops, each with a translation of its own
ZERO = np.zeros(3)
ZERO.setflags(write=False)
Instant = tuple[int, float]  # a stop, and the part of the path from it to the next


class WithinTolerance:
    """Whether two bodies overlap by no more than a tolerance on paths."""

    def __init__(
        self,
        a: BodyMotion,
        b: BodyMotion,
        numbers: dict[str, int],
        search: Search,
        tolerance: float,
    ) -> None:
        self._a, self._b, self._search, self._tolerance = a, b, search, tolerance
        self._numbers = numbers
        self._depth = PairDepth(a, b)
        self._shift: Array = ZERO  # that parted them last

    def on_paths(self, stops: Sequence[int]) -> bool:
        """On the paths from these stops to the next; on all others the two are clear."""
        if self._a.half_space is not None:
            return all(self._over_plane(k) for k in stops)
        if any(self._a.ambiguous_rotation[k] or self._b.ambiguous_rotation[k] for k in stops):
            return False
        if self._a.verified.outer_radius + self._b.verified.outer_radius > self._tolerance:
            return all(self._as_smaller(k) for k in stops)
        listed, last = set(stops), len(self._a.v) - 1
        for k in stops:
            if k > 0 and k - 1 not in listed:
                self._shift = ZERO
            if not self._halved(k, 0.0, 1.0, HALVINGS):
                return False
            if k < last and k + 1 not in listed and not self._leads((k, 1.0), self._shift, ZERO):
                return False
        return True

    def _over_plane(self, k: int) -> bool:
        a, b = self._a, self._b
        if a.ambiguous_rotation[k] or b.ambiguous_rotation[k]:
            return False
        code, *_ = path_over_plane(
            b.verified.discs, tuple(b.x[k] - a.x[k]), tuple(b.v[k] - a.v[k]), _rows(b.R[k]),
            tuple(b.w[k]), tuple(a.R[k] @ a.normal), tuple(a.w[k]), b.verified.radius,
            -self._tolerance, self._search.budget,
        )  # fmt: skip
        return bool(code in (CLEAR, TOUCH))

    def _as_smaller(self, k: int) -> bool:
        motion = self._motion((k, 0.0), 1.0, ZERO)
        return self._code(motion, -self._tolerance) in (CLEAR, TOUCH)

    def _motion(self, at: Instant, part: float, shift: Array) -> RelativeMotion:
        """For so large a part of the path from that instant on, b moved by `shift`."""
        k = at[0]
        (x_a, R_a), (x_b, R_b) = self._a.between(*at), self._b.between(*at)
        return RelativeMotion(
            tuple(x_b - x_a + shift), tuple(part * (self._b.v[k] - self._a.v[k])), _rows(R_a),
            tuple(part * self._a.w[k]), _rows(R_b), tuple(part * self._b.w[k]),
        )  # fmt: skip

    def _code(self, motion: RelativeMotion, clearance: float) -> int:
        defect = self._search.defect + max(self._a.axis_error, self._b.axis_error)
        limits = Limits(defect, clearance, self._search.budget, 0.0)
        numbers = self._numbers[self._a.name], self._numbers[self._b.name]
        return int(path_between(self._search.surfaces, *numbers, motion, limits).code)

    def _halved(self, k: int, begin: float, end: float, halvings: int) -> bool:
        """Whether a translation that the last one leads to parts them, or one for each half."""
        if np.any(self._shift) and self._parts(k, begin, end, self._shift):
            return True
        middle = 0.5 * (begin + end)
        for at in (middle, end, begin):  # where they are apart a direction tells nothing
            found = self._depth.at(self._a.between(k, at), self._b.between(k, at))
            if found.depth > self._tolerance:
                return False
            if self._parted_along(k, begin, end, found):
                return True
        if halvings == 0:
            return False
        return self._halved(k, begin, middle, halvings - 1) and self._halved(
            k, middle, end, halvings - 1
        )

    def _parted_along(self, k: int, begin: float, end: float, found: Depth) -> bool:
        """Whether a translation along the direction that was found parts them there."""
        depth = max(0.0, found.depth)  # below 0: how far they are apart
        for length in (self._tolerance, 0.5 * (depth + self._tolerance), 1.1 * depth):
            shift = min(length, self._tolerance) * found.direction
            if not self._parts(k, begin, end, shift):
                continue
            first = k == 0 and begin == 0.0
            if first or self._leads((k, begin), self._shift, shift):
                self._shift = shift
                return True
        return False

    def _parts(self, k: int, begin: float, end: float, shift: Array) -> bool:
        """Whether b moved by `shift` is clear of a on that part of the path, and not inside."""
        middle = 0.5 * (begin + end)
        if not self._depth.parted(self._a.between(k, middle), self._b.between(k, middle), shift):
            return False
        return self._code(self._motion((k, begin), end - begin, shift), 0.0) == CLEAR

    def _leads(self, at: Instant, old: Array, new: Array) -> bool:
        """Whether b is clear of a while it is moved from one translation to the other.

        Straight, or by way of one as long as the tolerance allows that lies between the two.
        """
        if np.array_equal(old, new) or self._moves(at, old, new):
            return True
        between = old + new
        size = float(np.linalg.norm(between))
        if not size > 0.0:
            return False
        between = self._tolerance / size * between
        return self._moves(at, old, between) and self._moves(at, between, new)

    def _moves(self, at: Instant, old: Array, new: Array) -> bool:
        held = self._motion(at, 0.0, old)
        return self._code(held._replace(v=tuple(new - old)), 0.0) == CLEAR


def _rows(R: Array) -> Mat3:
    a, b, c = R.tolist()
    return (a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2])
