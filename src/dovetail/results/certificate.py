"""The judge of a result: did any two bodies meet, at a recorded state or on the way between?

It uses no code of a solver: states are tested exactly (`examination`), and the way from each
recorded frame to the next by subdivision (`kernels.path_clearance`): by way of the waypoints that
the run left, and at a constant world twist between them (`recorded_motion`). Where only every
k-th step was recorded and no waypoints, the way between recorded frames is what is certified, not
the steps in between.

With a clearance asked for, to meet is to come closer than that.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from dovetail.errors import InputError
from dovetail.geometry.body_sweep import overlapping_boxes
from dovetail.kernels.path_clearance import CLEAR, MEET, path_between
from dovetail.kernels.plane_clearance import path_over_plane
from dovetail.kernels.read_only import read_only
from dovetail.model.values import Array
from dovetail.results.examination import Examination, examine
from dovetail.results.recorded_motion import BodyMotion, Passed, motions_of
from dovetail.results.result import Result
from dovetail.results.status import DAMAGED

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
    clearance: float = 0.0  # [m] that was asked for

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
    states = examine(result)
    passed = Passed(result)
    if not states.finite or len(result.time) < 2:
        return Certificate(states, (), clearance=clearance)
    examiner = _PathExaminer(
        motions_of(result), passed, states.orthogonality, tests_per_path, clearance
    )
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
        self._doubts: dict[tuple[str, str], int] = {}
        self.tests = 0

    def findings(self) -> Iterator[PathFinding]:
        intervals = len(self._bodies[0].v) if self._bodies else 0
        wider = 0.5 * self._clearance * np.array([-1, -1, -1, 1, 1, 1])
        for k in range(intervals):
            swept = np.array([body.swept_boxes[k] for body in self._bodies]) + wider
            near = overlapping_boxes(swept)
            for i, j in near[np.lexsort((near[:, 1], near[:, 0]))].tolist():
                yield from self._judged(self._bodies[i], self._bodies[j], k)
            for plane in self._planes:
                for body in self._bodies:
                    yield from self._judged(plane, body, k)

    def _judged(self, a: BodyMotion, b: BodyMotion, k: int) -> Iterator[PathFinding]:
        """At most one finding; a pair with many doubts is let go after the last is told."""
        seen = k > 0 or self._clearance == 0.0  # by the interval before, or by the states
        if (a.rests[k] and b.rests[k] and seen) or self._passed.over(a.checked, b.checked):
            return
        names = (a.name, b.name)
        if self._doubts.get(names, 0) >= MOST_DOUBTS:
            return
        found = self._finding(a, b, k)
        if found is not None:
            if found.verdict == "undecided":
                self._doubts[names] = self._doubts.get(names, 0) + 1
            yield found

    def _finding(self, a: BodyMotion, b: BodyMotion, k: int) -> PathFinding | None:
        begin, end = float(a.time[k]), float(a.time[k + 1])
        turned = next((body for body in (a, b) if body.turned_too_far[k]), None)
        if turned is not None and not _ball_is_clear(a, b, k, self._clearance):
            reason = (
                f"'{turned.name}' makes more than half a turn between these frames, so its way is "
                "not known; record more frames"
            )
            return PathFinding("undecided", begin, begin, end, a.name, b.name, -1, -1, reason)
        if turned is not None:
            return None
        if self._defect > NOT_ORTHOGONAL:
            reason = f"rotations must be orthogonal to {NOT_ORTHOGONAL:g}, got {self._defect:.1e}"
            return PathFinding("undecided", begin, begin, end, a.name, b.name, -1, -1, reason)
        code, s, i, j, tests = self._path(a, b, k)
        self.tests += tests
        if code == CLEAR:
            return None
        reason = ""
        if code != MEET:
            over = tests >= self._budget
            reason = (
                f"not decided within {self._budget} tests"
                if over
                else "they come closer than rounding can tell"
            )
        verdict: Literal["intersecting", "undecided"] = (
            "intersecting" if code == MEET else "undecided"
        )
        time = begin + s * (end - begin)
        return PathFinding(verdict, time, begin, end, a.name, b.name, i, j, reason)

    def _path(self, a: BodyMotion, b: BodyMotion, k: int) -> tuple[int, float, int, int, int]:
        D, v = _triple(b.x[k] - a.x[k]), _triple(b.v[k] - a.v[k])
        w_a, w_b = _triple(a.w[k]), _triple(b.w[k])
        R_b = _rows(b.R[k])
        if a.half_space is not None:
            normal = _triple(a.R[k] @ a.half_space.unit_normal)
            code, s, vertex, tests = path_over_plane(
                b.tree.vertices, D, v, R_b, w_b, normal, w_a, b.tree.radius, self._clearance,
                self._budget,
            )  # fmt: skip
            return code, s, 0, vertex, tests
        found: tuple[int, float, int, int, int] = path_between(
            _arrays(a), _arrays(b), D, v, _rows(a.R[k]), w_a, R_b, w_b,
            a.tree.radius, b.tree.radius, self._defect, self._clearance, self._budget,
        )  # fmt: skip
        return found


def _ball_is_clear(a: BodyMotion, b: BodyMotion, k: int, clearance: float) -> bool:
    """The balls around the two centres that hold the bodies in any attitude stay apart."""
    if a.half_space is not None:
        normals = [a.R[n] @ a.half_space.unit_normal for n in (k, k + 1)]
        if not np.array_equal(*normals):
            return False
        least = min(float((b.x[n] - a.x[n]) @ normals[0]) for n in (k, k + 1))
        return least > (b.tree.radius + clearance) * (1 + 1e-12)
    D, v = b.x[k] - a.x[k], b.v[k] - a.v[k]
    speed = float(v @ v)
    s = min(1.0, max(0.0, -float(D @ v) / speed)) if speed > 0 else 0.0
    reach = a.tree.radius + b.tree.radius + clearance
    return float(np.linalg.norm(D + s * v)) > reach * (1 + 1e-12)


def _arrays(body: BodyMotion) -> tuple[Any, ...]:
    tree = body.tree
    return (
        read_only(tree.vertices),
        read_only(tree.simplices, np.int32),
        read_only(tree.boxes),
        read_only(tree.right, np.int32),
    )


def _triple(a: Array) -> tuple[float, float, float]:
    return (float(a[0]), float(a[1]), float(a[2]))


def _rows(R: Array) -> tuple[tuple[float, float, float], ...]:
    return (_triple(R[0]), _triple(R[1]), _triple(R[2]))
