"""Which angle or distance between the two bodies of a joint is a coordinate of it.

A tree has a joint's coordinates as its unknowns; maximal coordinates have poses, and must read off
them what a limit, spring or motor acts on. For each motion the simplest measures are tried; one
that equals the coordinate at random poses of the joint is it.
"""

from functools import cache
from math import atan2
from typing import NamedTuple

import numpy as np

from dovetail.model.joints.motions import Motion, Translation
from dovetail.model.joints.relative_motion import (
    LEAD,
    SAMPLES,
    random_coordinates,
    relative_pose,
)
from dovetail.model.values import Array

SAME = 1e-9  # [m or rad]


class Measure(NamedTuple):
    """What to measure, in axes of the joint frame as body a or body b carries it."""

    what: str
    """"gap" along `axis`, "angle" about it, or "spin": the angular velocity along it."""
    axis: int
    start: int = 0
    """Of an angle: the direction, normal to the axis, that is followed on the other body."""
    on_b: bool = False
    """Whether the second body carries the axis."""

    def value(self, R: Array, p: Array) -> float:
        """At the relative pose of b in a."""
        if self.on_b:
            R, p = R.T, -R.T @ p
        if self.what == "gap":
            return float(-p[self.axis] if self.on_b else p[self.axis])
        side = np.cross(np.eye(3)[self.axis], np.eye(3)[self.start])
        angle = atan2(float(side @ R[:, self.start]), float(R[self.start, self.start]))
        return -angle if self.on_b else angle

    def is_regular(self, R: Array) -> bool:
        """Whether the direction that an angle follows is normal to its axis at this pose."""
        followed = R[self.start] if self.on_b else R[:, self.start]
        return self.what != "angle" or abs(float(followed[self.axis])) < SAME


@cache
def measures(motions: tuple[Motion, ...]) -> tuple[Measure | None, ...]:
    """One for each coordinate, None where no single measure gives it."""
    rng = np.random.default_rng(3)
    samples = [random_coordinates(motions, rng) for _ in range(SAMPLES)]
    poses = [relative_pose(motions, q, LEAD) for q in samples]
    found: list[Measure | None] = []
    q_index = 0
    for motion in motions:
        if motion.has_values:
            values = [float(q[q_index]) for q in samples]
            fitting = (one for one in _candidates(motion) if _equals(one, poses, values))
            found.append(next(fitting, None))
        else:
            found += _spins(motion, motions)
        q_index += motion.n_q
    return tuple(found)


def _candidates(motion: Motion) -> list[Measure]:
    axis = motion.axis
    if isinstance(motion, Translation):
        return [Measure("gap", axis), Measure("gap", axis, on_b=True)]
    starts = (axis + 1) % 3, (axis + 2) % 3
    return [Measure("angle", axis, start, on_b) for on_b in (False, True) for start in starts]


def _equals(measure: Measure, poses: list[tuple[Array, Array]], values: list[float]) -> bool:
    return all(
        measure.is_regular(R) and abs(measure.value(R, p) - value) < SAME
        for (R, p), value in zip(poses, values, strict=True)
    )


def _spins(motion: Motion, motions: tuple[Motion, ...]) -> list[Measure | None]:
    """Of a ball that is the joint's only rotation; others have none."""
    others = [one for one in motions if one is not motion]
    if motion.n_v == 3 and all(isinstance(one, Translation) for one in others):
        return [Measure("spin", axis) for axis in range(3)]
    return [None] * motion.n_v
