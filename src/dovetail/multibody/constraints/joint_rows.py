"""The rows of a joint: those that its equations make, and those that measure its coordinates."""

import numpy as np

from dovetail.model.joints import Joint
from dovetail.model.joints.equations import DOT, HELIX, Equation
from dovetail.model.values import Array
from dovetail.multibody.constraints.measures import Measure, measures
from dovetail.multibody.constraints.row import Pair, Row


def joint_frame(joint: Joint) -> Array:
    """Rows x, y, z in the world at the initial pose: z along `axis`, x along `axis2` or a normal.

    Without an axis the world's.
    """
    if not joint.axes:
        return np.eye(3)
    z = _unit(joint.axis)
    second = np.eye(3)[np.argmin(np.abs(z))]
    if joint.axes == 2:
        second = np.asarray(joint.axis2, dtype=float)  # type: ignore[attr-defined]
    x = _unit(second - (second @ z) * z)
    return np.array((x, np.cross(z, x), z))


def constraint_rows(joint: Joint, pair: Pair) -> list[Row]:
    """One row for each equation of the joint, sorted: gaps, right angles by axes, the helix."""
    frame, point = joint_frame(joint), np.asarray(joint.point, dtype=float)
    return [_row(equation, joint, pair, frame, point) for equation in sorted(joint.equations)]


def _row(equation: Equation, joint: Joint, pair: Pair, frame: Array, point: Array) -> Row:
    a, b = equation.axis_a, equation.axis_b
    if equation.kind == DOT:
        return pair.dot_row(frame[a], frame[b])
    if equation.kind == HELIX and joint.lead != 0.0:
        return pair.helix_row(frame[a], frame[(a + 1) % 3], point, joint.lead)
    return pair.gap_row(frame[a], point)


def coordinate_rows(joint: Joint, pair: Pair) -> list[Row | None]:
    """One row per coordinate in its natural order, zero at the initial pose; None without one.

    Angles [rad] and displacements [m] of b against a. A ball has the angular velocity of b against
    a along three axes of b, rates without values.
    """
    frame, point = joint_frame(joint), np.asarray(joint.point, dtype=float)
    return [_measuring_row(one, pair, frame, point) for one in measures(joint.motions)]


def _measuring_row(measure: Measure | None, pair: Pair, frame: Array, point: Array) -> Row | None:
    if measure is None:
        return None
    axis, start = frame[measure.axis], frame[measure.start]
    match measure.what, measure.on_b:
        case "gap", False:
            return pair.gap_row(axis, point)
        case "gap", True:
            return pair.gap_row_along_b(axis, point)
        case "angle", False:
            return pair.angle_row(axis, start)
        case "angle", True:
            return pair.angle_row_about_b(axis, start)
    return pair.spin_row(axis)


def _unit(vector: object) -> Array:
    array = np.asarray(vector, dtype=float)
    return np.asarray(array / np.linalg.norm(array))
