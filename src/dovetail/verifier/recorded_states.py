"""Verification of the recorded states of a result by exact tests, with code no solver uses."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dovetail.collision.broad_phase.body_pairs import overlapping_boxes
from dovetail.model.values import Array
from dovetail.results.result import Result
from dovetail.verifier.placed_forest import PlacedForest
from dovetail.verifier.recorded_motion import BodyMotion, IgnoredPairs, motions_of
from dovetail.verifier.stop_arrays import StopArrays

ROUNDING = 1e-13  # of the coordinates: heights nearer to zero are decided in exact arithmetic


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
    finite: bool
    orthogonality: float  # largest |R^T R - I|
    energy_change: float  # largest |E - E_0| [J]
    energy_scale: float  # largest kinetic energy or change of potential energy [J]
    crossings: tuple[Crossing, ...]

    @property
    def valid(self) -> bool:
        """Finite, and free of intersections."""
        return self.finite and not self.crossings


def check_states(result: Result, motions: list[BodyMotion] | None = None) -> StateFindings:
    """Test every recorded state and waypoint for numbers that are not finite and intersections.

    `motions` are those of the result where the caller has them.
    """
    trajectory, finite, orthogonality = result.motion_path, True, 0.0
    for body in range(len(result.names)):
        x, R, _ = trajectory.poses(body)
        finite = finite and bool(np.isfinite(x).all() and np.isfinite(R).all())
        defects = np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3))
        orthogonality = max(orthogonality, float(np.max(defects, initial=0.0)))
    energy = result.energy
    total, potential = energy["total"], energy["potential"]
    scale = max(float(np.max(energy["kinetic"])), float(np.ptp(potential)))
    found: Iterator[Crossing] = iter(())
    if finite:
        found = _crossings(motions_of(result) if motions is None else motions, IgnoredPairs(result))
    return StateFindings(
        frames=len(result.time),
        waypoints=len(trajectory.time) - len(result.time),
        finite=finite,
        orthogonality=orthogonality,
        energy_change=float(np.max(np.abs(total - total[0]))),
        energy_scale=scale,
        crossings=tuple(found),
    )


def _crossings(motions: list[BodyMotion], ignored: IgnoredPairs) -> Iterator[Crossing]:
    """Pairs of bodies that meet, frame by frame."""
    if len(motions) < 2:
        return
    bodies = [motion for motion in motions if motion.half_space is None]
    planes = [motion for motion in motions if motion.half_space is not None]
    placed, at_rest = PlacedForest(bodies), StopArrays(bodies, "at_rest")
    before: dict[tuple[int, int], list[int]] = {}
    for frame, time in enumerate(motions[0].time.tolist()):
        placed.move_to(frame)
        boxes = placed.boxes
        near = overlapping_boxes(boxes)
        near = ignored.without(bodies, near[np.lexsort((near[:, 1], near[:, 0]))])
        resting = np.zeros(len(near), bool)
        if frame and len(near):
            resting = np.all(at_rest[frame - 1][near], axis=1)
        now = {pair: before[pair] for pair in map(tuple, near[resting].tolist()) if pair in before}
        now |= placed.meetings(near[~resting])
        for (i, j), (count, first_a, first_b) in sorted(now.items()):
            yield Crossing(time, bodies[i].name, bodies[j].name, first_a, first_b, count)
        before = now
        for plane in planes:
            low = plane.heights_of_boxes(boxes, frame) <= 0.0
            for number, body in enumerate(bodies):
                if not ignored.ignores(plane.checked, body.checked) and low[number]:
                    below = vertices_below(plane, placed.world_of(number), frame)
                    if below:
                        yield Crossing(time, plane.name, body.name, 0, below[0], len(below))


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
