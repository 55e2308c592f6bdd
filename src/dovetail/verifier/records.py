"""The records that the kernels of the verifier take and return."""

from typing import NamedTuple

import numpy as np

from dovetail.collision.bvh.forest_arrays import NO_FOREST, Forest
from dovetail.runtime.read_only import read_only
from dovetail.runtime.records import BoolArray, FloatArray

Vec3 = tuple[float, float, float]
Mat3 = tuple[Vec3, Vec3, Vec3]

CLEAR, MEET, UNDECIDED, TOUCH = 0, 1, 2, 3  # codes of a path

# columns of what was found on a path
PATH_TIME, SIMPLEX_A, SIMPLEX_B, TESTS = 0, 1, 2, 3
PATH_COLUMNS = 4


class RelativeMotion(NamedTuple):
    """Bodies a and b at constant world twists, s from 0 to 1, seen from the centre of a."""

    D: Vec3  # [m] from the centre of a to that of b at s = 0
    v: Vec3  # [m] displacement of b relative to a
    R_a: Mat3  # at s = 0
    w_a: Vec3  # [rad] rotation vector
    R_b: Mat3
    w_b: Vec3


class VerifiedSurfaces(NamedTuple):
    """The surfaces of n bodies, each between simplices around it and simplices within it.

    The two are the same for polyhedra. A ball is a point with a radius, a capsule a wire with one.
    """

    forest: Forest  # simplices that, with the outer radius, hold the surface
    inner: FloatArray  # (n_vertices, 3) [m] corners of simplices that, with the inner radius, are
    # part of the solid
    outer_radius: FloatArray  # (n,) [m]
    inner_radius: FloatArray  # (n,) [m]
    band: FloatArray  # (n,) [m] how far the one is from the other
    thin: BoolArray  # (n,) wires, sheets and points, which can pass through in one instant


_none = read_only(np.empty(0))
NO_SURFACES = VerifiedSurfaces(
    NO_FOREST, read_only(np.empty((0, 3))), _none, _none, _none, read_only(np.empty(0), np.bool_)
)


class Limits(NamedTuple):
    """What paths are verified for."""

    defect: float  # the largest |R^T R - I|
    clearance: float  # [m] to meet is to come closer than that
    budget: int  # of tests
    margin: float  # [m] beyond the clearance that would be good to know


class Discs(NamedTuple):
    """A convex hull over a half-space: n discs (points where the radius is 0) and a ball."""

    centre: FloatArray  # (n, 3) [m] body frame
    axis: FloatArray  # (n, 3) unit vectors, body frame
    radius: FloatArray  # (n,) [m]
    ball: float  # [m] that is added all around


class PathOutcome(NamedTuple):
    """What was found about two bodies while s goes from 0 to 1."""

    code: int  # CLEAR, MEET, UNDECIDED or TOUCH
    s: float  # where they meet, or where it could not be decided
    simplex_a: int  # -1 where there is none
    simplex_b: int
    tests: int
    margin: float  # [m] by which clear bodies keep more than the clearance, up to the limit


class StopMotions(NamedTuple):
    """Poses of n bodies at a stop and their twists to the next."""

    x: FloatArray  # (n, 3) [m]
    R: FloatArray  # (n, 3, 3)
    v: FloatArray  # (n, 3) [m]
    w: FloatArray  # (n, 3) [rad]


class AngularVelocities(NamedTuple):
    """Of bodies a and b relative to a rotating frame, and of the frame, in one set of axes."""

    alpha: Vec3
    beta: Vec3
    c: Vec3


class Kinematics(NamedTuple):
    """Two bodies at one instant as the separation test of their boxes needs them, in axes of a."""

    M: Mat3  # rotation of b
    D: Vec3  # [m] place of b
    velocity: Vec3  # [m] of b relative to a in the rotating frame
    in_a: AngularVelocities  # [rad] axes of a
    in_b: AngularVelocities  # [rad] axes of b
    rate_by_a: Mat3  # of the entries of M by the rotation of a
    rate_by_b: Mat3  # and of b
    speeds: Vec3  # [rad] |alpha|, |beta|, |c|
    drift_a: float  # |c x w_a|
    drift_b: float  # |c x w_b|
    origin: float  # [m] 2 |v| + |c x D|
    origin_rate: float  # [m] |c x v|
