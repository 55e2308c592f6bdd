"""The records that the kernels of a sweep take and return."""

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


class Cell(NamedTuple):
    """A box of swept coordinates."""

    low: FloatArray  # (k,) [rad or m]
    high: FloatArray  # (k,)


class Demand(NamedTuple):
    """What a search is to decide."""

    clearance: float  # [m] to meet is to come closer than that
    best: float  # [m] a distance that is known to occur; inf if none is
    minimise: bool  # find the least distance instead of stopping below the clearance
    relative: float  # accuracy of the least distance
    absolute: float  # [m] the same
    smallest: float  # cells are halved down to this fraction of the whole
    budget: int  # of tests


class Workspace(NamedTuple):
    """Memory of one search."""

    nodes: Int64Array  # (depth, 2) pairs of tree nodes still to test
    low: FloatArray  # (depth, k) and the cells they are to be tested in
    high: FloatArray  # (depth, k)
    screws: FloatArray  # (k, 6) at the middle of the current cell
    middle: FloatArray  # (k,)
    half: FloatArray  # (k,)
    at: FloatArray  # (k,) where the least distance, a meeting or a doubt was found


class Found(NamedTuple):
    """What a search has found; the coordinates are in the workspace."""

    code: int | np.int64  # CLEAR, MEET or UNDECIDED
    distance: float  # [m] the least that was met at a tested configuration
    proven: float  # [m] all of the cell keeps this distance, where CLEAR
    simplex_a: int | np.int64  # of that configuration; -1 if none was tested
    simplex_b: int | np.int64
    tests: int | np.int64
