"""The relative pose and velocity that a list of motions gives, in plain NumPy.

What the compiled tree does at every step, written once more without speed in mind: to check what a
joint type declares, and to find which of its motions interact.
"""

import math
from functools import cache

import numpy as np

from dovetail.model.joints.equations import DOT, HELIX, Equation
from dovetail.model.joints.motions import (
    BallRotation,
    FreeMotion,
    Motion,
    Rotation,
    Translation,
)
from dovetail.model.values import Array

ROUND_OFF = 1e-12
SAMPLES = 3
LEAD = 0.37  # [m/rad] of a helix while it is checked


def relative_pose(motions: tuple[Motion, ...], q: Array, lead: float) -> tuple[Array, Array]:
    """Rotation (3, 3) and position (3,) of the second body's joint frame in the first's."""
    R, p = np.eye(3), np.zeros(3)
    for motion, part in zip(motions, _parts(motions, q), strict=True):
        R, p = _moved(motion, part, lead, R, p)
    return R, p


def subspace(motions: tuple[Motion, ...], q: Array, lead: float) -> list[Array]:
    """Of each motion the columns (n_v, 6) of its velocity: angular, linear at the end's origin."""
    R, p = np.eye(3), np.zeros(3)
    found = []
    for motion, part in zip(motions, _parts(motions, q), strict=True):
        before = R
        R, p = _moved(motion, part, lead, R, p)
        found.append((_columns(motion, lead, before, R), p))
    for columns, origin in found:
        columns[:, 3:] += np.cross(columns[:, :3], p - origin)
    return [columns for columns, _ in found]


def random_coordinates(motions: tuple[Motion, ...], rng: np.random.Generator) -> Array:
    """Coordinates in [-1, 1] and uniform rotations."""
    parts = [rng.uniform(-1.0, 1.0, motion.n_q) for motion in motions]
    for motion, part in zip(motions, parts, strict=True):
        if not motion.has_values:
            quaternion = rng.normal(size=4)
            part[-4:] = quaternion / np.linalg.norm(quaternion)
    return np.concatenate([np.zeros(0), *parts])


def residual(equation: Equation, R: Array, p: Array, lead: float) -> float:
    """How far a relative pose is from keeping an equation [m or 1]."""
    a, b = equation.axis_a, equation.axis_b
    if equation.kind == DOT:
        return float(R[a, b])
    angle = math.atan2(R[(a + 2) % 3, (a + 1) % 3], R[(a + 1) % 3, (a + 1) % 3])
    return float(p[a]) - (lead * angle if equation.kind == HELIX else 0.0)


def gradient(equation: Equation, R: Array, lead: float) -> Array:
    """(6,) rate of the residual per relative velocity (angular, linear), axes of the first body."""
    row = np.zeros(6)
    if equation.kind == DOT:
        row[:3] = np.cross(R[:, equation.axis_b], np.eye(3)[equation.axis_a])
        return row
    row[3 + equation.axis_a] = 1.0
    row[equation.axis_a] = -lead if equation.kind == HELIX else 0.0
    return row


@cache
def couplings(motions: tuple[Motion, ...]) -> tuple[bool, bool]:
    """Whether velocities alone cause an angular, a linear acceleration across the joint.

    These are the parts of S_i x S_j of motions i before j; both zero where all motions commute.
    """
    angular = linear = 0.0
    for columns in _samples(motions):
        for j, later in enumerate(columns):
            for first in (row for earlier in columns[:j] for row in earlier):
                for second in later:
                    w, u = np.abs(_bracket(first, second)).reshape(2, 3).max(axis=1)
                    angular, linear = max(angular, float(w)), max(linear, float(u))
    return angular > ROUND_OFF, linear > ROUND_OFF


@cache
def is_carried_off(motions: tuple[Motion, ...]) -> bool:
    """Whether a motion moves the joint's end off the axis of a rotation before it."""
    rng = np.random.default_rng(0)
    for _ in range(SAMPLES):
        q = random_coordinates(motions, rng)
        R, p = np.eye(3), np.zeros(3)
        found = []
        for motion, part in zip(motions, _parts(motions, q), strict=True):
            before = R
            R, p = _moved(motion, part, LEAD, R, p)
            found.append((_columns(motion, LEAD, before, R)[:, :3], p))
        if any(np.abs(np.cross(axes, p - end)).max() > ROUND_OFF for axes, end in found):
            return True
    return False


def _samples(motions: tuple[Motion, ...]) -> list[list[Array]]:
    rng = np.random.default_rng(0)
    return [subspace(motions, random_coordinates(motions, rng), LEAD) for _ in range(SAMPLES)]


def _bracket(a: Array, b: Array) -> Array:
    """Spatial cross product of two velocities (angular, linear)."""
    return np.concatenate((np.cross(a[:3], b[:3]), np.cross(a[:3], b[3:]) + np.cross(a[3:], b[:3])))


def _parts(motions: tuple[Motion, ...], q: Array) -> list[Array]:
    ends = np.cumsum([motion.n_q for motion in motions])
    return np.split(q, ends[:-1]) if motions else []


def _moved(motion: Motion, q: Array, lead: float, R: Array, p: Array) -> tuple[Array, Array]:
    """The frame (R, p) after one motion."""
    match motion:
        case Translation(axis=axis):
            return R, p + q[0] * R[:, axis]
        case BallRotation():
            return R @ _from_quaternion(q), p
        case FreeMotion():
            return R @ _from_quaternion(q[3:]), p + R @ q[:3]
    axis = motion.axis
    advance = 0.0 if isinstance(motion, Rotation) else lead * q[0]
    return R @ _about(axis, q[0]), p + advance * R[:, axis]


def _columns(motion: Motion, lead: float, before: Array, after: Array) -> Array:
    """Velocity per unit of each v at the end of the motion itself, (n_v, 6)."""
    columns = np.zeros((motion.n_v, 6))
    match motion:
        case Translation(axis=axis):
            columns[0, 3:] = before[:, axis]
        case BallRotation():
            columns[:, :3] = after.T
        case FreeMotion():
            columns[:3, 3:] = columns[3:, :3] = after.T
        case _:
            axis = motion.axis
            columns[0, :3] = before[:, axis]
            columns[0, 3:] = (0.0 if isinstance(motion, Rotation) else lead) * before[:, axis]
    return columns


def _about(axis: int, angle: float) -> Array:
    R = np.eye(3)
    y, z = (axis + 1) % 3, (axis + 2) % 3
    R[y, y] = R[z, z] = math.cos(angle)
    R[z, y] = math.sin(angle)
    R[y, z] = -R[z, y]
    return R


def _from_quaternion(q: Array) -> Array:
    w, v = q[0], q[1:]
    cross = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.asarray(np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross)
