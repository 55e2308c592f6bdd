"""The findings on the paths between recorded states."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.model.values import Array
from dovetail.runtime.records import BoolArray, Int32Array
from dovetail.verifier.excused_pairs import Excused, ExcusedPairs
from dovetail.verifier.paths import KnownMargins, PathVerifier
from dovetail.verifier.plane_clearance import path_over_plane
from dovetail.verifier.recorded_motion import BodyMotion
from dovetail.verifier.records import CLEAR, MEET, TESTS, TOUCH, VerifiedSurfaces
from dovetail.verifier.stop_arrays import StopArrays

MAX_UNDECIDED = 10  # of one pair of bodies in one range, then its further paths are skipped


@dataclass(frozen=True)
class PathFinding:
    """Two bodies that meet or touch between two recorded times, or may do so."""

    verdict: Literal["intersecting", "touching", "undecided"]
    time: float  # [s] where they meet, or where it could not be decided
    begin: float  # [s] of the frame or waypoint before
    end: float  # [s] of the one after
    body_a: str
    body_b: str
    simplex_a: int
    simplex_b: int
    reason: str
    stop: int = 0  # number of the stop at `begin`


@dataclass(frozen=True, eq=False)
class Search:
    """What all ranges of intervals share."""

    bodies: list[BodyMotion]
    planes: list[BodyMotion]
    surfaces: VerifiedSurfaces
    pairs: ExcusedPairs
    defect: float  # largest |R^T R - I|
    budget: int  # tests of one pair between two stops
    clearance: float  # [m]


class PathSearch:
    """The findings in one range of intervals, one after the other."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._bodies, self._clearance = search.bodies, search.clearance
        self._swept = StopArrays(self._bodies, "swept_boxes")
        self._at_rest = StopArrays(self._bodies, "at_rest")
        self._ambiguous = StopArrays(self._bodies, "ambiguous_rotation")
        self._exact = np.array([body.verified.exact for body in self._bodies], bool)
        self._undecided: dict[tuple[str, str], int] = {}
        self._dropped: set[tuple[str, str]] = set()
        self._margins = KnownMargins(len(self._bodies))
        self._verifier = PathVerifier(
            self._bodies, search.surfaces, search.defect, search.clearance, search.budget
        )
        self.tests = self.intervals = 0
        self.excused: list[Excused] = []

    def findings(self, begin: int, end: int) -> Iterator[PathFinding]:
        """On the paths from stops begin ... end - 1 to the next."""
        for k in range(begin, end):
            for found in self._at(k):
                yield from self._counted(found)

    def _at(self, k: int) -> Iterator[PathFinding]:
        yield from self._among_bodies(k)
        for plane in self._search.planes:
            yield from self._over_plane(plane, k)

    def _among_bodies(self, k: int) -> Iterator[PathFinding]:
        """The findings among pairs that come near each other; margins are kept for the next."""
        bodies = self._bodies
        if not bodies:
            return
        wider = 0.5 * self._clearance * np.array([-1, -1, -1, 1, 1, 1])
        near = overlapping_boxes(self._swept[k] + wider)
        near = near[np.lexsort((near[:, 1], near[:, 0]))]
        margins = self._margins.of(near)
        considered: BoolArray = ~self._skipped(near)
        # what rests from stop k on was verified by the interval before, or by the states
        known = np.all(self._exact[near], axis=1) & (self._clearance == 0.0) | (k > 0)
        considered &= ~(known & np.all(self._at_rest[k][near], axis=1))
        unknown = considered & np.any(self._ambiguous[k][near], axis=1)
        tested = np.flatnonzero(considered & ~unknown)
        self.intervals += int(np.count_nonzero(considered))
        margins[unknown] = 0.0
        codes, found, margins[tested] = self._verifier.verify(near[tested], margins[tested], k)
        self._margins.keep(near, margins)
        self.tests += int(found[:, TESTS].sum())
        not_clear = {
            int(tested[m]): (int(codes[m]), found[m]) for m in np.flatnonzero(codes != CLEAR)
        }
        for n in sorted([*not_clear, *map(int, np.flatnonzero(unknown))]):
            a, b = bodies[near[n, 0]], bodies[near[n, 1]]
            if n in not_clear:
                code, (s, i, j, tests) = not_clear[n]
                yield self._finding(a, b, k, code, s, int(i), int(j), int(tests))
            else:
                yield from self._unknown_path(a, b, k)

    def _skipped(self, near: Int32Array) -> BoolArray:
        """Pairs with many undecided paths, and excused ones that were found to meet."""
        many = {names for names, count in self._undecided.items() if count >= MAX_UNDECIDED}
        many |= self._dropped
        if not many:
            return np.zeros(len(near), bool)
        names = [body.name for body in self._bodies]
        return np.array([(names[i], names[j]) in many for i, j in near.tolist()], bool)

    def _counted(self, found: PathFinding) -> Iterator[PathFinding]:
        """The finding, unless the pair is excused."""
        names = (found.body_a, found.body_b)
        by_name = {body.name: body for body in (*self._search.planes, *self._bodies)}
        why = self._search.pairs.reason(by_name[names[0]].checked, by_name[names[1]].checked)
        if why:
            if names not in self._dropped:
                self.excused.append(Excused(*names, why, found.time, found.verdict))
            self._dropped.add(names)
            return
        if found.verdict == "undecided":
            self._undecided[names] = self._undecided.get(names, 0) + 1
        yield found

    def _over_plane(self, plane: BodyMotion, k: int) -> Iterator[PathFinding]:
        """Findings of bodies that come low over a half-space, or over one that moves."""
        low = plane.heights_of_boxes(self._swept[k], k) <= self._clearance
        for body, is_low in zip(self._bodies, low.tolist(), strict=True):
            at_rest = plane.at_rest[k] and body.at_rest[k] and k > 0
            names = (plane.name, body.name)
            if at_rest or names in self._dropped:
                continue
            if self._undecided.get(names, 0) >= MAX_UNDECIDED:
                continue
            if is_low or not plane.at_rest[k]:
                self.intervals += 1
                yield from self._low_over_plane(plane, body, k)

    def _low_over_plane(self, plane: BodyMotion, body: BodyMotion, k: int) -> Iterator[PathFinding]:
        """At most one finding."""
        if plane.ambiguous_rotation[k] or body.ambiguous_rotation[k]:
            yield from self._unknown_path(plane, body, k)
            return
        normal = _triple(plane.R[k] @ plane.normal)
        code, s, disc, tests = path_over_plane(
            body.verified.discs, _triple(body.x[k] - plane.x[k]), _triple(body.v[k] - plane.v[k]),
            _rows(body.R[k]), _triple(body.w[k]), normal, _triple(plane.w[k]), body.verified.radius,
            self._clearance, self._search.budget,
        )  # fmt: skip
        self.tests += tests
        if code != CLEAR:
            yield self._finding(plane, body, k, code, s, 0, disc, tests)

    def _unknown_path(self, a: BodyMotion, b: BodyMotion, k: int) -> Iterator[PathFinding]:
        """A pair whose path between two stops is not known, unless it does not matter."""
        rotated = next(body for body in (a, b) if body.ambiguous_rotation[k])
        if _ball_is_clear(a, b, k, self._clearance):
            return
        reason = (
            f"'{rotated.name}' makes more than half a revolution between these frames, so its "
            "path is not known; record more frames"
        )
        begin, end = float(a.time[k]), float(a.time[k + 1])
        yield PathFinding("undecided", begin, begin, end, a.name, b.name, -1, -1, reason, k)

    def _finding(
        self, a: BodyMotion, b: BodyMotion, k: int, code: int, s: float, i: int, j: int, tests: int
    ) -> PathFinding:
        """What a code other than CLEAR means."""
        begin, end = float(a.time[k]), float(a.time[k + 1])
        time = begin + float(s) * (end - begin)
        if code == MEET:
            return PathFinding("intersecting", time, begin, end, a.name, b.name, i, j, "", k)
        if code == TOUCH:
            return PathFinding("touching", time, begin, end, a.name, b.name, i, j, "", k)
        over = tests >= self._search.budget
        reason = (
            f"not decided within {self._search.budget} tests"
            if over
            else "they come closer than rounding can resolve"
        )
        return PathFinding("undecided", time, begin, end, a.name, b.name, i, j, reason, k)


def _ball_is_clear(a: BodyMotion, b: BodyMotion, k: int, clearance: float) -> bool:
    """The balls around the two centres that hold the bodies in any attitude stay apart."""
    if a.half_space is not None:
        normals = [a.R[n] @ a.normal for n in (k, k + 1)]
        if not np.array_equal(*normals):
            return False
        least = min(float((b.x[n] - a.x[n]) @ normals[0]) for n in (k, k + 1))
        return least > (b.verified.radius + clearance) * (1 + 1e-12)
    D, v = b.x[k] - a.x[k], b.v[k] - a.v[k]
    speed = float(v @ v)
    s = min(1.0, max(0.0, -float(D @ v) / speed)) if speed > 0 else 0.0
    reach = a.verified.radius + b.verified.radius + clearance
    return float(np.linalg.norm(D + s * v)) > reach * (1 + 1e-12)


def _triple(a: Array) -> tuple[float, float, float]:
    return (float(a[0]), float(a[1]), float(a[2]))


def _rows(R: Array) -> tuple[tuple[float, float, float], ...]:
    return (_triple(R[0]), _triple(R[1]), _triple(R[2]))
