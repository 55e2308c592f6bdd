"""Where body b is in the frame of body a, and how far rounding can have moved anything."""

from dataclasses import dataclass

import numpy as np

from dovetail.model.values import Array

UNIT = 2.0**-53
Rows = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True)
class RelativePose:
    """A point at r_b in b's frame is at R r_b + t in a's, up to `slack` [m] in any direction."""

    R: Rows
    t: tuple[float, float, float]
    slack: float


def relative_pose(
    x_a: Array, R_a: Array, x_b: Array, R_b: Array, radius_a: float, radius_b: float
) -> RelativePose:
    """R = R_a^T R_b, t = R_a^T (x_b - x_a) for points within the radii [m] of their origins.

    World points p = fl(R r + x) of the two bodies that coincide satisfy, with the defect
    D = R_a^T R_a - I and the rounding errors e of the world points,
    r_a = R_a^T R_b r_b + R_a^T (x_b - x_a) - D r_a + R_a^T (e_b - e_a).
    Each product of a row with a vector rounds by at most 3 UNIT times the product of their
    lengths, each sum by UNIT; |R| <= 1 + |D| rounds by less than the factor 2 taken over all.
    So slack = 2 (|D| r_a + 8 sqrt(3) UNIT (|x_a| + |x_b| + r_a + r_b)).
    """
    defect = float(np.linalg.norm(R_a.T @ R_a - np.eye(3))) + 8 * UNIT
    R = R_a.T @ R_b
    t = R_a.T @ (x_b - x_a)
    size = float(np.linalg.norm(x_a) + np.linalg.norm(x_b)) + radius_a + radius_b
    slack = 2 * (defect * radius_a + 8 * np.sqrt(3) * UNIT * size)
    return RelativePose(_rows(R), (float(t[0]), float(t[1]), float(t[2])), float(slack))


def _rows(R: Array) -> Rows:
    first, second, third = (tuple(row) for row in R.tolist())
    return (first, second, third)
