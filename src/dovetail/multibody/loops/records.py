"""What the loop kernels read: the equations that keep cut joints closed, one row each.

The rows are those of `model.joints.equations`, between body a and body b of a cut joint, with
p_a, p_b the joint's point on either body and vectors that rotate with the body they name:
    GAP    e = d_a . (p_b - p_a)                 [m]
    DOT    e = d_a . d_b                         [1], the vectors are at right angles when closed
    HELIX  e = d_a . (p_b - p_a) - lead * angle  [m], the angle of x_b about d_a from x_a
Couplings of coordinates come last, of kind COUPLING:
    e = sum of c_1 q + c_2 q^2 + ... over their terms - offset
"""

from typing import NamedTuple

import numpy as np

from dovetail.model.couplings import MAX_DEGREE
from dovetail.runtime.records import FloatArray, Int64Array


class LoopArrays(NamedTuple):
    """m closure equations; constant during a run."""

    kind: Int64Array  # (m,) GAP, DOT or HELIX
    bodies: Int64Array  # (m, 2) labels of bodies a and b; 0 is the ground
    points: FloatArray  # (m, 2, 3) the joint's point in the frames of a and b [m]
    directions: FloatArray  # (m, 2, 3) d_a in the frame of a, d_b in that of b
    sides: FloatArray  # (m, 3, 3) of a HELIX: x_a, y_a in the frame of a, x_b in that of b
    lead: FloatArray  # (m,) of a HELIX [m/rad]
    size: FloatArray  # (m,) what makes each residual a length: 1, or metres per radian
    term_start: Int64Array  # (m + 1,) terms of a COUPLING; others have none
    term_q: Int64Array  # (t,) where the coordinate of a term has its value
    term_v: Int64Array  # (t,) and its velocity
    term_factor: FloatArray  # (t, MAX_DEGREE) c_1, c_2, ...
    offset: FloatArray  # (m,) of a COUPLING


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
        term_start=np.zeros(1, dtype=np.int64),
        term_q=np.zeros(0, dtype=np.int64),
        term_v=np.zeros(0, dtype=np.int64),
        term_factor=np.zeros((0, MAX_DEGREE)),
        offset=np.zeros(0),
    )
