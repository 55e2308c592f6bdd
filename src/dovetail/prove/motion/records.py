"""The records that the kernels of a sweep take and return.

m parameters are swept; k joint coordinates move the one body relative to the other. Without a
course they are the same.
"""

from typing import NamedTuple

import numpy as np

from dovetail.runtime.records import FloatArray, Int64Array

CLEAR, MEET, UNDECIDED = 0, 1, 2  # outcomes of a cell


class Chain(NamedTuple):
    """How body b moves relative to body a: k swept coordinates, from a outwards.

    A point of b at p in the initial pose is at exp(s_1 X_1) ... exp(s_k X_k) p while a stays where
    it is; X = (w, v) is the screw of a coordinate in world axes at the initial pose: |w| = 1, or
    w = 0 and |v| = 1 for a translation (Murray, Li, Sastry 1994, section 3.2).
    """

    screws: FloatArray  # (k, 6) w [1], v [m] (or [1])
    x_a: FloatArray  # (3,) [m] initial pose of a
    R_a: FloatArray  # (3, 3)
    x_b: FloatArray  # (3,) [m] initial pose of b
    R_b: FloatArray  # (3, 3)


class Course(NamedTuple):
    """Coordinates as functions of one parameter t: a driven joint, or the place on a path.

    Cubic polynomials between break points, each within `error` of the true function. Where there
    are none there is no course: every coordinate is a parameter of its own.
    """

    knots: FloatArray  # (n + 1,) rising
    cubics: FloatArray  # (n, k, 4) of t from its start: value, slope, ... [rad or m]
    slowest: FloatArray  # (levels, n, k) least slope over the 2^level pieces from each one on
    fastest: FloatArray  # (levels, n, k) and the largest
    error: FloatArray  # (k,) [rad or m]
    reach: FloatArray  # (k,) largest |value| [rad or m]


class Spread(NamedTuple):
    """A cell in motion: the screws in its middle, and how far each coordinate goes from there.

    On a course |q_k - middle_k - slope_k (t - middle)| <= excess_k, with |t - middle| <= `along`.
    Without one `along` is negative.
    """

    screws: FloatArray  # (k, 6)
    half: FloatArray  # (k,) |q_k - middle_k| at most
    slope: FloatArray  # (k,)
    excess: FloatArray  # (k,)
    along: float


class Cell(NamedTuple):
    """A box of parameters."""

    low: FloatArray  # (m,) [rad or m]
    high: FloatArray  # (m,)


class Demand(NamedTuple):
    """What a search is to decide."""

    clearance: float  # [m] to meet is to come closer than that
    best: float  # [m] a distance that is known to occur; inf if none is
    minimise: bool  # find the least distance instead of stopping below the clearance
    relative: float  # accuracy of the least distance, of what is beyond `radius`
    absolute: float  # [m] the same
    smallest: float  # cells are halved down to this fraction of the whole
    budget: int  # of tests
    radius: float = 0.0  # [m] the bodies are all that lies within it of what is examined


class Workspace(NamedTuple):
    """Memory of one search."""

    nodes: Int64Array  # (depth, 2) pairs of tree nodes still to test
    low: FloatArray  # (depth, m) and the cells they are to be tested in
    high: FloatArray  # (depth, m)
    screws: FloatArray  # (k, 6) at the middle of the current cell
    cell_low: FloatArray  # (m,) the current cell
    cell_high: FloatArray  # (m,)
    centre: FloatArray  # (m,) parameters of its middle
    middle: FloatArray  # (k,) coordinates of it
    half: FloatArray  # (k,) as in `Spread`
    slope: FloatArray  # (k,)
    excess: FloatArray  # (k,)
    back_screws: FloatArray  # (k, 6) of the motion of a relative to b, as in `Spread`
    back_half: FloatArray  # (k,)
    back_slope: FloatArray  # (k,)
    back_excess: FloatArray  # (k,)
    at: FloatArray  # (m,) where the least distance, a meeting or a doubt was found


class Found(NamedTuple):
    """What a search has found; the coordinates are in the workspace."""

    code: int | np.int64  # CLEAR, MEET or UNDECIDED
    distance: float  # [m] the least that was met at a tested configuration
    proven: float  # [m] all of the cell keeps this distance, where CLEAR
    simplex_a: int | np.int64  # of that configuration; -1 if none was tested
    simplex_b: int | np.int64
    tests: int | np.int64


NO_COURSE = Course(
    np.zeros(0), np.zeros((0, 0, 4)), np.zeros((0, 0, 0)), np.zeros((0, 0, 0)), np.zeros(0),
    np.zeros(0),
)  # fmt: skip
NO_CHAIN = Chain(np.zeros((0, 6)), np.zeros(3), np.eye(3), np.zeros(3), np.eye(3))
NO_CELL = Cell(np.zeros(0), np.zeros(0))


def workspace(depth: int, m: int, k: int) -> Workspace:
    """Memory for m parameters and k coordinates."""
    return Workspace(
        nodes=np.zeros((depth, 2), np.int64),
        low=np.zeros((depth, m)),
        high=np.zeros((depth, m)),
        screws=np.zeros((k, 6)),
        cell_low=np.zeros(m),
        cell_high=np.zeros(m),
        centre=np.zeros(m),
        middle=np.zeros(k),
        half=np.zeros(k),
        slope=np.zeros(k),
        excess=np.zeros(k),
        back_screws=np.zeros((k, 6)),
        back_half=np.zeros(k),
        back_slope=np.zeros(k),
        back_excess=np.zeros(k),
        at=np.zeros(m),
    )
