"""The certificate of a result: did any two bodies meet, at a recorded state or on a path between?

The verifier uses no code of a solver: states are tested exactly (`recorded_states`), and the path
from each recorded frame to the next by subdivision (`path_clearance`): through the waypoints that
the run recorded, and at a constant world twist between them (`recorded_motion`). Where only every
k-th step was recorded and no waypoints, the path between recorded frames is what is certified, not
the steps in between.

With a required clearance, to meet is to come closer than that.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.errors import InputError
from dovetail.model.values import Array
from dovetail.results.result import Result
from dovetail.results.status import DAMAGED
from dovetail.runtime.records import BoolArray, Int32Array
from dovetail.verifier.paths import KnownMargins, PathVerifier
from dovetail.verifier.plane_clearance import path_over_plane
from dovetail.verifier.recorded_motion import BodyMotion, IgnoredPairs, motions_of
from dovetail.verifier.recorded_states import StateFindings, check_states
from dovetail.verifier.records import CLEAR, MEET, TESTS
from dovetail.verifier.stop_arrays import StopArrays

TESTS_PER_PATH = 200_000  # of one pair of bodies between two frames, about 0.1 s
MAX_UNDECIDED = 10  # of one pair of bodies, then its further paths are skipped
NOT_ORTHOGONAL = 1e-9

Verdict = Literal["free", "intersecting", "undecided"]


@dataclass(frozen=True)
class PathFinding:
    """Two bodies that meet between two recorded times, or may do so."""

    verdict: Literal["intersecting", "undecided"]
    time: float  # [s] where they meet, or where it could not be decided
    begin: float  # [s] of the frame or waypoint before
    end: float  # [s] of the one after
    body_a: str
    body_b: str
    simplex_a: int
    simplex_b: int
    reason: str


@dataclass(frozen=True)
class Certificate:
    """What was found at and between the recorded states."""

    states: StateFindings
    paths: tuple[PathFinding, ...]
    unexamined: dict[str, int] = field(default_factory=dict)  # pairs without a verdict, by reason
    tests: int = 0
    clearance: float = 0.0  # [m] that was required

    @property
    def verdict(self) -> Verdict:
        if not self.states.valid or any(path.verdict == "intersecting" for path in self.paths):
            return "intersecting"
        return "undecided" if self.paths else "free"


def certify(
    result: Result, tests_per_path: int = TESTS_PER_PATH, clearance: float = 0.0
) -> Certificate:
    """Verify every recorded state and every path between two of them.

    With a `clearance` [m] the paths, their ends included, must keep that distance too.
    """
    if not 0.0 <= clearance < np.inf:
        raise InputError(f"clearance must be a length >= 0 [m], got {clearance:g}")
    if result.status == DAMAGED:
        raise InputError(f"there is no certificate for a damaged result: {result.reason}")
    motions = motions_of(result)
    states = check_states(result, motions)
    ignored = IgnoredPairs(result)
    if not states.finite or len(result.time) < 2:
        return Certificate(states, (), clearance=clearance)
    search = _PathSearch(motions, ignored, states.orthogonality, tests_per_path, clearance)
    paths = tuple(search.findings())
    reasons = list(ignored.reasons.values())
    unexamined = {why: reasons.count(why) for why in sorted(set(reasons))}
    return Certificate(states, paths, unexamined, search.tests, clearance)


class _PathSearch:
    """The findings on the paths between the recorded states."""

    def __init__(
        self,
        motions: list[BodyMotion],
        ignored: IgnoredPairs,
        defect: float,
        budget: int,
        clearance: float,
    ) -> None:
        self._bodies = [motion for motion in motions if motion.half_space is None]
        self._planes = [motion for motion in motions if motion.half_space is not None]
        self._ignored, self._defect, self._budget = ignored, defect, budget
        self._clearance = clearance
        self._swept = StopArrays(self._bodies, "swept_boxes")
        self._at_rest = StopArrays(self._bodies, "at_rest")
        self._ambiguous = StopArrays(self._bodies, "ambiguous_rotation")
        self._undecided: dict[tuple[str, str], int] = {}
        self._margins = KnownMargins(len(self._bodies))
        self._verifier = PathVerifier(self._bodies, defect, clearance, budget)
        self.tests = 0

    def findings(self) -> Iterator[PathFinding]:
        intervals = len(self._bodies[0].v) if self._bodies else 0
        for k in range(intervals):
            yield from self._among_bodies(k)
            for plane in self._planes:
                yield from self._over_plane(plane, k)

    def _known_at(self, k: int) -> bool:
        """What is at rest from stop k on was verified by the interval before, or by the states."""
        return k > 0 or self._clearance == 0.0

    def _among_bodies(self, k: int) -> Iterator[PathFinding]:
        """The findings among pairs that come near each other; margins are kept for the next."""
        bodies = self._bodies
        wider = 0.5 * self._clearance * np.array([-1, -1, -1, 1, 1, 1])
        near = overlapping_boxes(self._swept[k] + wider)
        near = self._ignored.without(bodies, near[np.lexsort((near[:, 1], near[:, 0]))])
        margins = self._margins.of(near)
        considered: BoolArray = ~self._skipped(near)
        if self._known_at(k):
            considered &= ~np.all(self._at_rest[k][near], axis=1)
        ambiguous = np.any(self._ambiguous[k][near], axis=1)
        unknown = considered & (ambiguous | (self._defect > NOT_ORTHOGONAL))
        tested = np.flatnonzero(considered & ~unknown)
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
                yield self._counted(self._finding(a, b, k, code, s, int(i), int(j), int(tests)))
            else:
                yield from map(self._counted, self._unknown_path(a, b, k))

    def _skipped(self, near: Int32Array) -> BoolArray:
        """Pairs with many undecided paths, after the last was reported."""
        many = {names for names, count in self._undecided.items() if count >= MAX_UNDECIDED}
        if not many:
            return np.zeros(len(near), bool)
        names = [body.name for body in self._bodies]
        return np.array([(names[i], names[j]) in many for i, j in near.tolist()], bool)

    def _counted(self, found: PathFinding) -> PathFinding:
        if found.verdict == "undecided":
            names = (found.body_a, found.body_b)
            self._undecided[names] = self._undecided.get(names, 0) + 1
        return found

    def _over_plane(self, plane: BodyMotion, k: int) -> Iterator[PathFinding]:
        """Findings of bodies that come low over a half-space, or over one that moves."""
        low = plane.heights_of_boxes(self._swept[k], k) <= self._clearance
        for body, is_low in zip(self._bodies, low.tolist(), strict=True):
            at_rest = plane.at_rest[k] and body.at_rest[k] and self._known_at(k)
            if at_rest or self._ignored.ignores(plane.checked, body.checked):
                continue
            if is_low or not plane.at_rest[k]:
                yield from self._low_over_plane(plane, body, k)

    def _low_over_plane(self, plane: BodyMotion, body: BodyMotion, k: int) -> Iterator[PathFinding]:
        """At most one finding."""
        if self._undecided.get((plane.name, body.name), 0) >= MAX_UNDECIDED:
            return
        ambiguous = plane.ambiguous_rotation[k] or body.ambiguous_rotation[k]
        if ambiguous or self._defect > NOT_ORTHOGONAL:
            yield from map(self._counted, self._unknown_path(plane, body, k))
            return
        normal = _triple(plane.R[k] @ plane.normal)
        code, s, vertex, tests = path_over_plane(
            body.tree.vertices, _triple(body.x[k] - plane.x[k]), _triple(body.v[k] - plane.v[k]),
            _rows(body.R[k]), _triple(body.w[k]), normal, _triple(plane.w[k]), body.tree.radius,
            self._clearance, self._budget,
        )  # fmt: skip
        self.tests += tests
        if code != CLEAR:
            yield self._counted(self._finding(plane, body, k, code, s, 0, vertex, tests))

    def _unknown_path(self, a: BodyMotion, b: BodyMotion, k: int) -> Iterator[PathFinding]:
        """A pair whose path between two stops is not known, unless it does not matter."""
        rotated = next((body for body in (a, b) if body.ambiguous_rotation[k]), None)
        if rotated is None:
            reason = f"rotations must be orthogonal to {NOT_ORTHOGONAL:g}, got {self._defect:.1e}"
        elif _ball_is_clear(a, b, k, self._clearance):
            return
        else:
            reason = (
                f"'{rotated.name}' makes more than half a revolution between these frames, so its "
                "path is not known; record more frames"
            )
        begin, end = float(a.time[k]), float(a.time[k + 1])
        yield PathFinding("undecided", begin, begin, end, a.name, b.name, -1, -1, reason)

    def _finding(
        self, a: BodyMotion, b: BodyMotion, k: int, code: int, s: float, i: int, j: int, tests: int
    ) -> PathFinding:
        """What a code other than CLEAR means."""
        begin, end = float(a.time[k]), float(a.time[k + 1])
        time = begin + float(s) * (end - begin)
        if code == MEET:
            return PathFinding("intersecting", time, begin, end, a.name, b.name, i, j, "")
        over = tests >= self._budget
        reason = (
            f"not decided within {self._budget} tests"
            if over
            else "they come closer than rounding can resolve"
        )
        return PathFinding("undecided", time, begin, end, a.name, b.name, i, j, reason)


def _ball_is_clear(a: BodyMotion, b: BodyMotion, k: int, clearance: float) -> bool:
    """The balls around the two centres that hold the bodies in any attitude stay apart."""
    if a.half_space is not None:
        normals = [a.R[n] @ a.normal for n in (k, k + 1)]
        if not np.array_equal(*normals):
            return False
        least = min(float((b.x[n] - a.x[n]) @ normals[0]) for n in (k, k + 1))
        return least > (b.tree.radius + clearance) * (1 + 1e-12)
    D, v = b.x[k] - a.x[k], b.v[k] - a.v[k]
    speed = float(v @ v)
    s = min(1.0, max(0.0, -float(D @ v) / speed)) if speed > 0 else 0.0
    reach = a.tree.radius + b.tree.radius + clearance
    return float(np.linalg.norm(D + s * v)) > reach * (1 + 1e-12)


def _triple(a: Array) -> tuple[float, float, float]:
    return (float(a[0]), float(a[1]), float(a[2]))


def _rows(R: Array) -> tuple[tuple[float, float, float], ...]:
    return (_triple(R[0]), _triple(R[1]), _triple(R[2]))
