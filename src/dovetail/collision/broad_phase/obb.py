"""Tight oriented boxes around bodies."""

from dataclasses import dataclass

import numpy as np

from dovetail.collision.broad_phase.obb_overlap import boxes_overlap
from dovetail.collision.relative_pose import Rows
from dovetail.linalg.exact.convex_hull import convex_hull
from dovetail.model.values import Array

ANGLES = (0.2, 0.05, 0.0125)  # [rad] steps of the refinement


@dataclass(frozen=True, eq=False)
class Obb:
    """A box with half sizes along the columns of `axes` about `centre`, in the body's frame."""

    centre: Array  # (3,) [m]
    axes: Array  # (3, 3)
    half: tuple[float, float, float]  # [m]

    @property
    def volume(self) -> float:
        """[m^3]."""
        return 8 * self.half[0] * self.half[1] * self.half[2]

    @property
    def diagonal(self) -> float:
        """[m]."""
        return float(2 * np.linalg.norm(self.half))


def tight_box(points: Array) -> Obb:
    """A box around points (n, 3): principal axes, then rotated while that makes it smaller.

    Each pass rotates about the box's own axes by +- the `ANGLES` as long as the volume falls.
    The axes of the body are tried as well.
    """
    outer = _outermost(points)
    principal = np.linalg.svd(outer - outer.mean(axis=0), full_matrices=False)[2].T
    if principal.shape != (3, 3):
        principal = np.eye(3)
    if np.linalg.det(principal) < 0:
        principal = principal * [1, 1, -1]
    best = min((_refined(outer, start) for start in (np.eye(3), principal)), key=lambda x: x[0])
    axes = best[1]
    along = points @ axes
    lower, upper = along.min(axis=0), along.max(axis=0)
    half = (upper - lower) / 2 * (1 + 1e-12)
    return Obb(axes @ ((lower + upper) / 2), axes, (float(half[0]), float(half[1]), float(half[2])))


def overlap(a: Obb, pose_a: tuple[Array, Array], b: Obb, pose_b: tuple[Array, Array]) -> bool:
    """Whether the boxes of two bodies at poses (R, x) overlap: 15 axes."""
    axes_a, axes_b = pose_a[0] @ a.axes, pose_b[0] @ b.axes
    apart = pose_b[0] @ b.centre + pose_b[1] - pose_a[0] @ a.centre - pose_a[1]
    t = axes_a.T @ apart
    R = axes_a.T @ axes_b
    rows: Rows = tuple(tuple(row) for row in R.tolist())  # type: ignore[assignment]
    return bool(boxes_overlap(a.half, b.half, rows, (float(t[0]), float(t[1]), float(t[2]))))


def _outermost(points: Array) -> Array:
    """The points that can touch a box: corners of the convex hull, or all where it is flat."""
    hull = None if len(points) < 5 else convex_hull(points)
    return points if hull is None else points[np.unique(hull)]


def _size(points: Array, axes: Array) -> float:
    """Volume, with a share of the surface so that flat bodies have a least box too."""
    x, y, z = np.ptp(points @ axes, axis=0)
    return float(x * y * z + 1e-3 * np.cbrt(x * y * z + 1e-300) * (x * y + y * z + z * x))


def _refined(points: Array, axes: Array) -> tuple[float, Array]:
    best = _size(points, axes)
    for angle in ANGLES:
        better = True
        while better:
            better = False
            for axis in range(3):
                for sign in (1, -1):
                    tried = axes @ _rotation(axis, sign * angle)
                    size = _size(points, tried)
                    if size < best * (1 - 1e-9):
                        best, axes, better = size, tried, True
    return best, axes


def _rotation(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R
