"""The verifier of a result: did any two bodies meet, at a recorded state or on the path between?

It uses no code of a solver: states are tested exactly (`examination`), and the path from each
recorded frame to the next by subdivision (`verifier.path_clearance`): through the waypoints that
the run left, and at a constant world twist between them (`recorded_motion`). Where only every
k-th step was recorded and no waypoints, the path between recorded frames is what is certified, not
the steps in between.

With a clearance, to meet is to come closer than that.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.errors import InputError
from dovetail.model.values import Array
from dovetail.results.result import Result
from dovetail.results.status import DAMAGED
from dovetail.verifier.examination import Examination, examine
from dovetail.verifier.path_clearance import CLEAR, MEET
from dovetail.verifier.paths import Margins, Paths
from dovetail.verifier.plane_clearance import path_over_plane
from dovetail.verifier.recorded_motion import BodyMotion, Passed, motions_of
from dovetail.verifier.side_by_side import SideBySide

TESTS_PER_PATH = 200_000  # of one pair of bodies between two frames, about 0.1 s
MOST_DOUBTS = 10  # of one pair of bodies, then its further paths are not examined
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

    states: Examination
    paths: tuple[PathFinding, ...]
    unexamined: dict[str, int] = field(default_factory=dict)  # pairs without a verdict, by reason
    tests: int = 0
    clearance: float = 0.0  # [m] that was requested

    @property
    def verdict(self) -> Verdict:
        if not self.states.sound or any(path.verdict == "intersecting" for path in self.paths):
            return "intersecting"
        return "undecided" if self.paths else "free"


def certify(
    result: Result, tests_per_path: int = TESTS_PER_PATH, clearance: float = 0.0
) -> Certificate:
    """Examine every recorded state and every path between two of them.

    With a `clearance` [m] the paths, their ends included, must keep that distance too.
    """
    if not 0.0 <= clearance < np.inf:
        raise InputError(f"clearance must be a length >= 0 [m], got {clearance:g}")
    if result.status == DAMAGED:
        raise InputError(f"there is no certificate for a damaged result: {result.reason}")
    motions = motions_of(result)
    states = examine(result, motions)
    passed = Passed(result)
    if not states.finite or len(result.time) < 2:
        return Certificate(states, (), clearance=clearance)
    examiner = _PathExaminer(motions, passed, states.orthogonality, tests_per_path, clearance)
    paths = tuple(examiner.findings())
    unexamined = {
        why: list(passed.pairs.values()).count(why) for why in sorted(set(passed.pairs.values()))
    }
    return Certificate(states, paths, unexamined, examiner.tests, clearance)


class _PathExaminer:
    def __init__(
        self,
        motions: list[BodyMotion],
        passed: Passed,
        defect: float,
        budget: int,
        clearance: float,
    ) -> None:
        self._bodies = [motion for motion in motions if motion.half_space is None]
        self._planes = [motion for motion in motions if motion.half_space is not None]
        self._passed, self._defect, self._budget = passed, defect, budget
        self._clearance = clearance
        self._swept = SideBySide(self._bodies, "swept_boxes")
        self._rests = SideBySide(self._bodies, "rests")
        self._far = SideBySide(self._bodies, "turned_too_far")
        self._doubts: dict[tuple[str, str], int] = {}
        self._margins = Margins(len(self._bodies))
        self._paths = Paths(self._bodies, defect, clearance, budget)
        self.tests = 0

    def findings(self) -> Iterator[PathFinding]:
        intervals = len(self._bodies[0].v) if self._bodies else 0
        for k in range(intervals):
            yield from self._among_bodies(k)
            for plane in self._planes:
                yield from self._over_plane(plane, k)

    def _seen(self, k: int) -> bool:
        """What rests from stop k on was examined in the interval before, or by the states."""
        return k > 0 or self._clearance == 0.0

    def _among_bodies(self, k: int) -> Iterator[PathFinding]:
        """The findings among pairs that come near each other; margins are kept for the next."""
        bodies = self._bodies
        wider = 0.5 * self._clearance * np.array([-1, -1, -1, 1, 1, 1])
        near = overlapping_boxes(self._swept[k] + wider)
        near = self._passed.without(bodies, near[np.lexsort((near[:, 1], near[:, 0]))])
        margins = self._margins.of(near)
        examined: NDArray[np.bool_] = ~self._let_go(near)
        if self._seen(k):
            examined &= ~np.all(self._rests[k][near], axis=1)
        far = np.any(self._far[k][near], axis=1)
        by_hand = examined & (far | (self._defect > NOT_ORTHOGONAL))
        by_kernel = np.flatnonzero(examined & ~by_hand)
        margins[by_hand] = 0.0
        codes, found, margins[by_kernel] = self._paths.examine(
            near[by_kernel], margins[by_kernel], k
        )
        self._margins.keep(near, margins)
        self.tests += int(found[:, 3].sum())
        not_clear = {
            int(by_kernel[m]): (int(codes[m]), found[m]) for m in np.flatnonzero(codes != CLEAR)
        }
        for n in sorted([*not_clear, *map(int, np.flatnonzero(by_hand))]):
            a, b = bodies[near[n, 0]], bodies[near[n, 1]]
            if n in not_clear:
                code, (s, i, j, tests) = not_clear[n]
                yield self._counted(self._finding(a, b, k, code, s, int(i), int(j), int(tests)))
            else:
                yield from map(self._counted, self._unknown_path(a, b, k))

    def _let_go(self, near: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Pairs with many doubts, after the last was reported."""
        many = {names for names, count in self._doubts.items() if count >= MOST_DOUBTS}
        if not many:
            return np.zeros(len(near), bool)
        names = [body.name for body in self._bodies]
        return np.array([(names[i], names[j]) in many for i, j in near.tolist()], bool)

    def _counted(self, found: PathFinding) -> PathFinding:
        if found.verdict == "undecided":
            names = (found.body_a, found.body_b)
            self._doubts[names] = self._doubts.get(names, 0) + 1
        return found

    def _over_plane(self, plane: BodyMotion, k: int) -> Iterator[PathFinding]:
        """Findings of bodies that come low over a half-space, or over one that moves."""
        low = plane.heights_of_boxes(self._swept[k], k) <= self._clearance
        for body, is_low in zip(self._bodies, low.tolist(), strict=True):
            rests = plane.rests[k] and body.rests[k] and self._seen(k)
            if rests or self._passed.over(plane.checked, body.checked):
                continue
            if is_low or not plane.rests[k]:
                yield from self._low_over_plane(plane, body, k)

    def _low_over_plane(self, plane: BodyMotion, body: BodyMotion, k: int) -> Iterator[PathFinding]:
        """At most one finding."""
        if self._doubts.get((plane.name, body.name), 0) >= MOST_DOUBTS:
            return
        if plane.turned_too_far[k] or body.turned_too_far[k] or self._defect > NOT_ORTHOGONAL:
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
        turned = next((body for body in (a, b) if body.turned_too_far[k]), None)
        if turned is None:
            reason = f"rotations must be orthogonal to {NOT_ORTHOGONAL:g}, got {self._defect:.1e}"
        elif _ball_is_clear(a, b, k, self._clearance):
            return
        else:
            reason = (
                f"'{turned.name}' makes more than half a turn between these frames, so its path is "
                "not known; record more frames"
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
            else "they come closer than rounding can tell"
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
