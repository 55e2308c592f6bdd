"""What the equations of motion need to know of all bodies, as arrays."""

import math
from typing import NamedTuple

import numpy as np

from dovetail.linalg.vec3 import ZERO, dot, load3, load33, mat_t_vec, matvec, norm, scale
from dovetail.runtime.jit import jit
from dovetail.runtime.records import BoolArray, FloatArray, Int64Array
from dovetail.runtime.warmup import warm

HELD, HINGED, FREE = 0, 1, 2  # how a body may rotate: not at all, about one world axis, freely


class BodyArrays(NamedTuple):
    """Constants of n bodies; static and kinematic ones have inverse mass 0 and are HELD."""

    dynamic: BoolArray  # (n,) bool
    inverse_mass: FloatArray  # (n, 3) [1/kg] along each world axis, 0 where the motion is held
    turning: Int64Array  # (n,) HELD, HINGED or FREE
    inertia: FloatArray  # (n, 3, 3) [kg m^2] body axes
    inertia_inverse: FloatArray  # (n, 3, 3) body axes
    axis: FloatArray  # (n, 3) world axis of a HINGED body
    axis_inertia: FloatArray  # (n,) [kg m^2] about that axis, which stays the same as it rotates


@jit
def spin_of(bodies, R, i, L):
    """Angular velocity [rad/s], world axes, of body i with angular momentum L [N m s]."""
    if bodies.turning[i] == FREE:
        A = load33(R, i)
        return matvec(A, matvec(load33(bodies.inertia_inverse, i), mat_t_vec(A, L)))
    if bodies.turning[i] == HINGED:
        axis = load3(bodies.axis, i)
        return scale(dot(axis, L) / bodies.axis_inertia[i], axis)
    return ZERO


@jit
def free_part(bodies, i, torque):
    """The part of a world torque (or angular momentum) that can rotate body i."""
    if bodies.turning[i] == FREE:
        return torque
    if bodies.turning[i] == HINGED:
        axis = load3(bodies.axis, i)
        return scale(dot(axis, torque), axis)
    return ZERO


@jit
def per_mass(bodies, i, f):
    """Acceleration [m/s^2] of body i under a force [N]; zero along held axes."""
    return (
        bodies.inverse_mass[i, 0] * f[0],
        bodies.inverse_mass[i, 1] * f[1],
        bodies.inverse_mass[i, 2] * f[2],
    )


@jit
def velocity_change(bodies, R, i, impulse, angular_impulse):
    """M^-1 of body i on an impulse [N s] and angular impulse [N m s], world axes."""
    return per_mass(bodies, i, impulse), spin_of(bodies, R, i, angular_impulse)


@jit
def relative_change(h, bodies, R, v, spin, force, torque, more_force, more_torque):
    """What `more` of a wrench, acting for a time h [s], would change in the velocities.

    Relative to the largest v (and spin) of all bodies plus the largest change the whole wrench
    makes; returns (largest relative change, its body).
    """
    speed = spinning = kick = twist = 0.0
    for i in range(v.shape[0]):
        speed = max(speed, norm(load3(v, i)))
        spinning = max(spinning, norm(load3(spin, i)))
        dv, dspin = velocity_change(bodies, R, i, load3(force, i), load3(torque, i))
        kick, twist = max(kick, abs(h) * norm(dv)), max(twist, abs(h) * norm(dspin))
    worst, body = 0.0, 0
    for i in range(v.shape[0]):
        dv, dspin = velocity_change(bodies, R, i, load3(more_force, i), load3(more_torque, i))
        change, rotation = abs(h) * norm(dv), abs(h) * norm(dspin)
        if not math.isfinite(change + rotation):
            return math.inf, i
        relative = 0.0
        if change > 0.0:
            relative = change / (speed + kick)
        if rotation > 0.0:
            relative = max(relative, rotation / (spinning + twist))
        if relative > worst:
            worst, body = relative, i
    return worst, body


_rows, _rotations = np.zeros((0, 3)), np.zeros((0, 3, 3))
NO_BODIES = BodyArrays(
    np.zeros(0, np.bool_), _rows, np.zeros(0, np.int64), _rotations, _rotations, _rows, np.zeros(0)
)
warm(relative_change, 0.0, NO_BODIES, _rotations, _rows, _rows, _rows, _rows, _rows, _rows)
