"""Rotation matrices from the ways scene files write them."""

import numpy as np

from dovetail.errors import InputError
from dovetail.linalg.lie import so3
from dovetail.model.values import Array, quote

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def about(axis: str, angle: float) -> Array:
    """A turn of `angle` [rad] about the coordinate axis x, y or z."""
    return so3.exp(np.array(AXES[axis]) * angle)


def from_roll_pitch_yaw(angles: Array) -> Array:
    """R = R_z(yaw) R_y(pitch) R_x(roll) with (roll, pitch, yaw) [rad]: turns about fixed axes."""
    roll, pitch, yaw = (float(angle) for angle in angles)
    return about("z", yaw) @ about("y", pitch) @ about("x", roll)


def from_euler(angles: Array, sequence: str) -> Array:
    """Three turns [rad] in the order of `sequence`.

    Lower-case letters turn about the axes that move with the body (R = R_1 R_2 R_3),
    upper-case ones about the fixed axes (R = R_3 R_2 R_1); MuJoCo's `eulerseq`.
    """
    rotation = np.eye(3)
    for letter, angle in zip(sequence, angles):
        turn = about(letter.lower(), float(angle))
        rotation = rotation @ turn if letter.islower() else turn @ rotation
    return rotation


def from_quaternion(values: Array, what: str) -> Array:
    """From (w, x, y, z) of any length > 0."""
    length = float(np.linalg.norm(values))
    if not 1e-12 < length < 1e12:
        raise InputError(f"{what} must be a quaternion (w, x, y, z) != 0, got {quote(values)}")
    return so3.from_quaternion(values / length)


def from_axis_angle(values: Array, what: str, degree: float) -> Array:
    """From (x, y, z, angle); `degree` is the unit of the angle in radians."""
    return so3.exp(direction(values[:3], what) * float(values[3]) * degree)


def from_x_and_y(values: Array, what: str) -> Array:
    """From the frame's x axis and a vector in its x-y plane, six numbers."""
    x = direction(values[:3], what)
    y = direction(values[3:] - (values[3:] @ x) * x, what)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def from_z(values: Array, what: str) -> Array:
    """The smallest turn that takes (0, 0, 1) to the given direction."""
    z = direction(values, what)
    axis = np.cross([0.0, 0.0, 1.0], z)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        return np.eye(3) if z[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return so3.exp(axis / sine * np.arctan2(sine, z[2]))


def direction(values: Array, what: str) -> Array:
    """The unit vector along `values`."""
    length = float(np.linalg.norm(values))
    if not 1e-12 < length < 1e100:
        raise InputError(f"{what} must have a direction, got {quote(values)}")
    return np.asarray(values / length, dtype=np.float64)
