"""The rows that hold each kind of joint, and those that measure its coordinates."""

import math

import numpy as np

from dovetail.model.joints import Joint, Screw, Universal
from dovetail.model.values import Array
from dovetail.multibody.constraints.row import Pair, Row

POINT_NORMALS = {  # along which joint axes (x, y, z = `axis`) the two points may not part
    "fixed": "xyz", "revolute": "xyz", "prismatic": "xy", "cylindrical": "xy",
    "universal": "xyz", "spherical": "xyz", "planar": "z", "screw": "xy", "free": "",
}  # fmt: skip
AXIS_ANGLES = {  # which axes of a and b stay at right angles
    "fixed": ("xy", "xz", "yz"), "revolute": ("xz", "yz"), "prismatic": ("xy", "xz", "yz"),
    "cylindrical": ("xz", "yz"), "universal": ("zx",), "spherical": (), "planar": ("xz", "yz"),
    "screw": ("xz", "yz"), "free": (),
}  # fmt: skip


def joint_frame(joint: Joint) -> dict[str, Array]:
    """Axes in the world at the initial pose: z along `axis`, x along `axis2` or any normal."""
    if not joint.axes:
        return dict(zip("xyz", np.eye(3)))
    z = _unit(joint.axis)
    second = np.eye(3)[np.argmin(np.abs(z))]
    if isinstance(joint, Universal):
        second = np.asarray(joint.axis2, dtype=float)
    x = _unit(second - (second @ z) * z)
    return {"x": x, "y": np.cross(z, x), "z": z}


def holding_rows(joint: Joint, pair: Pair) -> list[Row]:
    """The constraints of a joint; as many as motions it takes away."""
    frame, point = joint_frame(joint), np.asarray(joint.point, dtype=float)
    rows = [pair.plane_row(frame[axis], point) for axis in POINT_NORMALS[joint.kind]]
    rows += [pair.angle_row(frame[ab[0]], frame[ab[1]]) for ab in AXIS_ANGLES[joint.kind]]
    if isinstance(joint, Screw):
        lead = float(joint.pitch) / (2.0 * math.pi)
        if lead == 0.0:
            rows.append(pair.plane_row(frame["z"], point))
        else:
            rows.append(pair.screw_row(frame["z"], frame["x"], point, lead))
    return rows


def coordinate_rows(joint: Joint, pair: Pair) -> list[Row]:
    """One row per coordinate in its natural order, zero at the initial pose.

    Turns [rad] of b against a about the axis, slides [m] along it; a planar joint has two slides,
    then a turn. A spherical joint has the angular velocity of b against a along three axes of b,
    rates without values; a free joint has no such rows.
    """
    frame, point = joint_frame(joint), np.asarray(joint.point, dtype=float)
    x, y, z = frame["x"], frame["y"], frame["z"]
    match joint.kind:
        case "revolute" | "screw":
            return [pair.turn_row(z, x)]
        case "prismatic":
            return [pair.plane_row(z, point)]
        case "cylindrical":
            return [pair.turn_row(z, x), pair.plane_row(z, point)]
        case "universal":
            return [pair.turn_row(z, x), pair.turn_row_about_b(x, z)]
        case "planar":
            return [pair.plane_row(x, point), pair.plane_row(y, point), pair.turn_row(z, x)]
        case "spherical":
            return [pair.spin_row(axis) for axis in (x, y, z)]
    return []


def _unit(vector: object) -> Array:
    array = np.asarray(vector, dtype=float)
    return np.asarray(array / np.linalg.norm(array))
