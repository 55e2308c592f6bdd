"""Rotations over time as quaternions (x, y, z, w), as players of animations want them."""

import numpy as np

from dovetail.linalg.lie import so3
from dovetail.model.values import Array


def steady_quaternions(rotations: Array) -> Array:
    """Quaternions (n, 4) without sign jumps, so that players take the short path."""
    wxyz = so3.to_quaternion(rotations)
    turned = np.sum(wxyz[1:] * wxyz[:-1], axis=1) < 0
    signs = np.concatenate([[1.0], np.cumprod(np.where(turned, -1.0, 1.0))])
    return np.asarray(wxyz[:, [1, 2, 3, 0]] * signs[:, None])


def shortest_turn(start: Array, end: Array) -> Array:
    """The shortest turn that takes one unit vector to another, as a unit quaternion."""
    cosine = float(start @ end)
    if cosine < -1 + 1e-12:  # half a turn about any axis across
        across = np.cross(start, np.eye(3)[int(np.argmin(np.abs(start)))])
        return np.array([*(across / np.linalg.norm(across)), 0.0])
    turn = np.array([*np.cross(start, end), 1.0 + cosine])
    return np.asarray(turn / np.linalg.norm(turn))
