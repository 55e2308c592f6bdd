"""Verification of the recorded states of a result by exact tests, with code no solver uses."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.collision.bvh.forest import forest_of
from dovetail.errors import InputError
from dovetail.model.values import Array, quote
from dovetail.results.result import Result
from dovetail.runtime.parallel import over_ranges
from dovetail.verifier.excused_pairs import Excused, ExcusedPairs
from dovetail.verifier.placed_forest import PlacedForest
from dovetail.verifier.recorded_motion import BodyMotion, motions_of
from dovetail.verifier.stop_arrays import StopArrays

ROUNDING = 1e-13  # of the coordinates: heights nearer to zero are decided in exact arithmetic
NOT_ORTHOGONAL = 1e-9  # |R^T R - I| of what is no rotation
STOPS_PER_RANGE = 32  # that one thread examines


@dataclass(frozen=True)
class Crossing:
    """Two bodies whose surfaces have a common point at a recorded time [s].

    Numbers are those of triangles (then wires, then points); of a half-space it is 0 and of the
    body over it that of a vertex.
    """

    time: float
    body_a: str
    body_b: str
    triangle_a: int
    triangle_b: int
    pairs: int  # how many pairs of triangles, wires or points meet


@dataclass(frozen=True)
class StateFindings:
    """What was found in the recorded states."""

    frames: int
    waypoints: int  # times between frames that were tested as well
    orthogonality: float  # largest |R^T R - I|
    energy_change: float  # largest |E - E_0| [J]
    energy_scale: float  # largest kinetic energy or change of potential energy [J]
    crossings: tuple[Crossing, ...]
    excused: tuple[Excused, ...] = ()

    @property
    def valid(self) -> bool:
        """Free of intersections."""
        return not self.crossings


def check_states(result: Result, motions: list[BodyMotion] | None = None) -> StateFindings:
    """Test every recorded state and waypoint for intersections.

    `motions` are those of the result where the caller has them. Raises InputError where a recorded
    pose is none: numbers that are not finite, a matrix that is no rotation.
    """
    trajectory, orthogonality = result.motion_path, 0.0
    for body, name in enumerate(result.names):
        x, R, _ = trajectory.poses(body)
        _refuse_infinite(x, R, name, trajectory.time)
        orthogonality = max(orthogonality, _refuse_improper(R, name, trajectory.time))
    energy = result.energy
    total, potential = energy["total"], energy["potential"]
    scale = max(float(np.max(energy["kinetic"])), float(np.ptp(potential)))
    every = motions_of(result) if motions is None else motions
    found, excused = _crossings(every, ExcusedPairs(result))
    return StateFindings(
        frames=len(result.time),
        waypoints=len(trajectory.time) - len(result.time),
        orthogonality=orthogonality,
        energy_change=float(np.max(np.abs(total - total[0]))),
        energy_scale=scale,
        crossings=tuple(found),
        excused=tuple(excused),
    )


def _refuse_infinite(x: Array, R: Array, name: str, time: Array) -> None:
    finite = np.isfinite(x).all(axis=1) & np.isfinite(R).all(axis=(1, 2))
    if not finite.all():
        at = int(np.argmin(finite))
        raise InputError(
            f"the recorded pose of body {quote(name)} at t = {time[at]:g} s has numbers that are "
            "not finite; there is no certificate for such a result"
        )


def _refuse_improper(R: Array, name: str, time: Array) -> float:
    """The largest |R^T R - I|; raises InputError where a matrix is no rotation."""
    defects = np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max(axis=(1, 2), initial=0.0)
    reflected = np.linalg.det(R) < 0
    bad = np.flatnonzero(reflected | (defects > NOT_ORTHOGONAL))
    if len(bad):
        at = int(bad[0])
        what = (
            "a reflection (its determinant is negative)"
            if reflected[at]
            else f"off by |R^T R - I| = {defects[at]:.2g}"
        )
        raise InputError(
            f"the recorded rotation of body {quote(name)} at t = {time[at]:g} s must be a rotation "
            f"to {NOT_ORTHOGONAL:g}, it is {what}; there is no certificate for such a result"
        )
    return float(np.max(defects, initial=0.0))


def _crossings(
    motions: list[BodyMotion], excused: ExcusedPairs
) -> tuple[list[Crossing], list[Excused]]:
    """Pairs of bodies that meet, stop by stop; ranges of stops are examined side by side."""
    if len(motions) < 2:
        return [], []
    bodies = [motion for motion in motions if motion.half_space is None]
    planes = [motion for motion in motions if motion.half_space is not None]
    forest = forest_of([body.tree for body in bodies])

    def work(begin: int, end: int) -> tuple[list[Crossing], list[Excused]]:
        search = _StateSearch(bodies, planes, PlacedForest(bodies, forest), excused)
        return list(search.findings(begin, end)), search.excused

    parts = over_ranges(work, len(motions[0].time), STOPS_PER_RANGE)
    return [c for part in parts for c in part[0]], [e for part in parts for e in part[1]]


class _StateSearch:
    """The crossings in a range of stops."""

    def __init__(
        self,
        bodies: list[BodyMotion],
        planes: list[BodyMotion],
        placed: PlacedForest,
        pairs: ExcusedPairs,
    ) -> None:
        self._bodies, self._planes, self._placed, self._pairs = bodies, planes, placed, pairs
        self._at_rest = StopArrays(bodies, "at_rest")
        self._met: set[tuple[str, str]] = set()  # excused pairs that were found to meet
        self._exact = np.array([body.verified.exact for body in bodies], bool)
        self.excused: list[Excused] = []

    def findings(self, begin: int, end: int) -> Iterator[Crossing]:
        bodies, placed = self._bodies, self._placed
        before: dict[tuple[int, int], list[int]] = {}
        for stop in range(begin, end):
            placed.move_to(stop)
            boxes = placed.boxes
            near = overlapping_boxes(boxes)
            near = near[np.lexsort((near[:, 1], near[:, 0]))]
            near = near[np.all(self._exact[near], axis=1)]
            if self._met:
                names = [(bodies[i].name, bodies[j].name) for i, j in near.tolist()]
                near = near[[pair not in self._met for pair in names]]
            resting = np.zeros(len(near), bool)
            if stop > begin and len(near):
                resting = np.all(self._at_rest[stop - 1][near], axis=1)
            known = map(tuple, near[resting].tolist())
            now = {pair: before[pair] for pair in known if pair in before}
            now |= placed.meetings(near[~resting])
            for (i, j), (count, first_a, first_b) in sorted(now.items()):
                yield from self._found(bodies[i], bodies[j], stop, first_a, first_b, count)
            before = now
            for plane in self._planes:
                yield from self._below(plane, boxes, stop)

    def _below(self, plane: BodyMotion, boxes: Array, stop: int) -> Iterator[Crossing]:
        low = plane.heights_of_boxes(boxes, stop) <= 0.0
        for number in np.flatnonzero(low).tolist():
            body = self._bodies[number]
            discs = body.verified.discs
            if discs.ball > 0.0 or discs.radius.any() or (plane.name, body.name) in self._met:
                continue
            below = vertices_below(plane, self._placed.world_of(number), stop)
            if below:
                yield from self._found(plane, body, stop, 0, below[0], len(below))

    def _found(
        self, a: BodyMotion, b: BodyMotion, stop: int, first_a: int, first_b: int, count: int
    ) -> Iterator[Crossing]:
        time = float(a.time[stop])
        why = self._pairs.reason(a.checked, b.checked)
        if not why:
            yield Crossing(time, a.name, b.name, first_a, first_b, count)
        elif (a.name, b.name) not in self._met:
            self._met.add((a.name, b.name))
            self.excused.append(Excused(a.name, b.name, why, time, "intersecting"))


def vertices_below(plane: BodyMotion, world: Array, frame: int) -> list[int]:
    """Which of the points (n, 3) [m] are on or under the plane, the deepest first; exact."""
    normal = plane.R[frame] @ plane.normal
    origin = plane.x[frame]
    heights = (world - origin) @ normal
    near = ROUNDING * float(np.max(np.abs(world)) + np.max(np.abs(origin)))
    found = [
        i
        for i in np.flatnonzero(heights <= near).tolist()
        if heights[i] < -near or _exact_height(world[i], origin, normal) <= 0
    ]
    return sorted(found, key=lambda i: heights[i])


def _exact_height(point: Array, origin: Array, normal: Array) -> Fraction:
    rows = zip(point.tolist(), origin.tolist(), normal.tolist())
    return sum(((Fraction(p) - Fraction(o)) * Fraction(n) for p, o, n in rows), Fraction(0))
