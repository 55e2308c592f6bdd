"""What the loop kernels read: the equations that keep cut joints closed, one row each.

Every equation of every kind of joint is one of three, between body a and body b of the joint,
with p_a, p_b the joint's point on either body and vectors that turn with the body they name:
    SLIDE  e = d_a . (p_b - p_a)                 [m]
    TURN   e = d_a . d_b                         [1], the vectors are at right angles when closed
    SCREW  e = z_a . (p_b - p_a) - lead * angle  [m], the angle of x_b about z_a from x_a
"""

from typing import NamedTuple

import numpy as np

SLIDE, TURN, SCREW = range(3)


class LoopArrays(NamedTuple):
    """m closure equations; constant during a run."""

    kind: np.ndarray  # (m,) SLIDE, TURN or SCREW
    bodies: np.ndarray  # (m, 2) labels of bodies a and b; 0 is the ground
    points: np.ndarray  # (m, 2, 3) the joint's point in the frames of a and b [m]
    directions: np.ndarray  # (m, 2, 3) d_a in the frame of a, d_b in that of b
    sides: np.ndarray  # (m, 3, 3) of a screw: x_a, y_a in the frame of a, x_b in that of b
    lead: np.ndarray  # (m,) of a screw [m/rad]
    size: np.ndarray  # (m,) what makes each residual a length: 1, or metres per radian


def no_loops() -> LoopArrays:
    """No equations at all; also tells the compiler all types."""
    return LoopArrays(
        kind=np.zeros(0, dtype=np.int64),
        bodies=np.zeros((0, 2), dtype=np.int64),
        points=np.zeros((0, 2, 3)),
        directions=np.zeros((0, 2, 3)),
        sides=np.zeros((0, 3, 3)),
        lead=np.zeros(0),
        size=np.zeros(0),
    )
