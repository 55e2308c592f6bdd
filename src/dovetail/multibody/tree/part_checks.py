"""Whether the bodies and joints of a tree are numbers that a tree can be built from."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.errors import InputError
from dovetail.model.joints import JOINTS
from dovetail.multibody.tree.parts import TreeBody, TreeJoint

RIGHT_ANGLE_TOLERANCE = 1e-6

Array = NDArray[np.float64]


def refuse_wrong_parts(bodies: Sequence[TreeBody], joints: Sequence[TreeJoint]) -> None:
    """Raise one InputError with all mistakes; all parts are looked at at once where none is."""
    if _are_right(bodies, joints):
        return
    mistakes = [m for i, body in enumerate(bodies, 1) for m in _body_mistakes(i, body)]
    mistakes += [m for i, joint in enumerate(joints, 1) for m in _joint_mistakes(i, joint)]
    if mistakes:
        raise InputError(mistakes)


def _are_right(bodies: Sequence[TreeBody], joints: Sequence[TreeJoint]) -> bool:
    """Whether arrays of all values have their shapes and sizes, and axes no second ones."""
    if any(isinstance(j.kind, str) or j.joint_type.axes == 2 for j in joints):
        return False
    n, m = len(bodies), len(joints)
    mass, axis = [body.mass for body in bodies], [joint.axis for joint in joints]
    axis2 = [joint.axis2 for joint in joints]
    return (
        _shaped(mass, (n,)) and all(one > 0.0 for one in mass)
        and _shaped([body.com for body in bodies], (n, 3)[: 2 if n else 1])
        and _shaped([body.rotation for body in bodies], (n, 3, 3)[: 3 if n else 1])
        and _shaped([body.inertia for body in bodies], (n, 3, 3)[: 3 if n else 1])
        and _shaped([joint.point for joint in joints], (m, 3)[: 2 if m else 1])
        and _shaped(axis, (m, 3)[: 2 if m else 1]) and _shaped(axis2, (m, 3)[: 2 if m else 1])
        and all(np.any(axes, axis=1).all() for axes in (axis, axis2) if axes)
        and _shaped([joint.pitch for joint in joints], (m,))
    )  # fmt: skip


def _unit(vector: Any) -> Array:
    array = np.asarray(vector, dtype=np.float64)
    return np.asarray(array / np.linalg.norm(array))


def _shaped(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether a value is finite numbers of this shape."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return array.shape == shape and bool(np.isfinite(array).all())


def _body_mistakes(number: int, body: TreeBody) -> list[str]:
    found = []
    if not _shaped(body.mass, ()) or not body.mass > 0.0:
        found.append(f"`mass` of body {number} must be > 0 kg, got {body.mass!r}")
    if not _shaped(body.com, (3,)):
        found.append(f"`com` of body {number} must be 3 finite numbers [m], got {body.com!r}")
    for name in ("rotation", "inertia"):
        if not _shaped(getattr(body, name), (3, 3)):
            found.append(f"`{name}` of body {number} must be a finite 3x3 matrix")
    return found


def _joint_mistakes(number: int, joint: TreeJoint) -> list[str]:
    found = []
    if isinstance(joint.kind, str) and joint.kind not in JOINTS:
        known = ", ".join(JOINTS.names())
        found.append(f"`kind` of joint {number} must be one of {known}, got {joint.kind!r}")
    for name in ("point", "axis", "axis2"):
        if not _shaped(getattr(joint, name), (3,)):
            found.append(f"`{name}` of joint {number} must be 3 finite numbers")
        elif name != "point" and not np.any(getattr(joint, name)):
            found.append(f"`{name}` of joint {number} must not be zero")
    if not _shaped(joint.pitch, ()):
        found.append(f"`pitch` of joint {number} must be a number [m per revolution]")
    if not found and joint.joint_type.axes == 2:
        slant = abs(float(_unit(joint.axis) @ _unit(joint.axis2)))
        if slant > RIGHT_ANGLE_TOLERANCE:
            found.append(
                f"`axis` and `axis2` of joint {number} must be at right angles, "
                f"got a cosine of {slant:.3g}"
            )
    return found
