"""Looking a result over with code the solver does not use: exact tests of every recorded state.

Only recorded states are examined here, not the paths between them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dovetail.geometry.body_sweep import overlapping_boxes
from dovetail.geometry.bvh import PairBuffer, bvh_of
from dovetail.geometry.intersections import PlacedTree, intersecting_pairs
from dovetail.model.shapes import HalfSpace
from dovetail.results.result import Result


@dataclass(frozen=True)
class Crossing:
    """Two bodies whose surfaces have a common point at a recorded time [s]."""

    time: float
    body_a: str
    body_b: str
    triangle_a: int
    triangle_b: int
    pairs: int  # how many pairs of triangles, wires or points meet


@dataclass(frozen=True)
class Examination:
    """What was found in the recorded states."""

    frames: int
    finite: bool
    orthogonality: float  # largest |R^T R - I|
    energy_change: float  # largest |E - E_0| [J]
    energy_scale: float  # largest kinetic energy or change of potential energy [J]
    crossings: tuple[Crossing, ...]

    @property
    def sound(self) -> bool:
        return self.finite and not self.crossings


def examine(result: Result) -> Examination:
    """Test every recorded state for numbers that are none and for bodies that intersect."""
    rotations = np.stack([result.rotation(name) for name in result.names], axis=1)
    positions = np.stack([result.position(name) for name in result.names], axis=1)
    finite = bool(np.isfinite(rotations).all() and np.isfinite(positions).all())
    product = np.einsum("fnji,fnjk->fnik", rotations, rotations)
    energy = result.energy
    total, potential = energy["total"], energy["potential"]
    scale = max(float(np.max(energy["kinetic"])), float(np.ptp(potential)))
    return Examination(
        frames=len(result.time),
        finite=finite,
        orthogonality=float(np.max(np.abs(product - np.eye(3)))),
        energy_change=float(np.max(np.abs(total - total[0]))),
        energy_scale=scale,
        crossings=tuple(_crossings(result, positions, rotations)) if finite else (),
    )


def _crossings(result: Result, positions: np.ndarray, rotations: np.ndarray) -> Iterator[Crossing]:
    """Pairs of bodies that meet, frame by frame; pairs in which nothing moves are left out."""
    names = list(result.names)
    checked = [result.scene.bodies[name].checked for name in names]
    rows = [
        i
        for i, body in enumerate(checked)
        if len(body.surface.vertices) and not isinstance(body.shape, HalfSpace)
    ]
    if len(rows) < 2:
        return
    trees = {i: bvh_of(checked[i].surface) for i in rows}
    buffer = PairBuffer()
    for frame, time in enumerate(result.time.tolist()):
        placed = [PlacedTree(trees[i], positions[frame, i], rotations[frame, i]) for i in rows]
        near = overlapping_boxes(np.array([body.box_world for body in placed]))
        for first, second in near[np.lexsort((near[:, 1], near[:, 0]))].tolist():
            a, b = rows[first], rows[second]
            if checked[a].motion == checked[b].motion == "static":
                continue
            pairs = intersecting_pairs(placed[first], placed[second], buffer)
            if len(pairs):
                i, j = pairs[0].tolist()
                yield Crossing(time, names[a], names[b], i, j, len(pairs))
