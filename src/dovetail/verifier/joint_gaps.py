"""How far the joints of a result are open, from the recorded poses alone.

The two bodies of a joint carry its point and its axes from where the scene has them. Between
p_a, p_b and e_i(a), e_j(b) as carried by either body a joint keeps (`model.joints.equations`)
    GAP    e_i(a) . (p_b - p_a) = 0
    DOT    e_i(a) . e_j(b) = 0
    HELIX  e_i(a) . (p_b - p_a) - lead * angle = 0, the angle up to whole revolutions
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dovetail.model.frozen import Model, PlacedJoint
from dovetail.model.joints import Joint
from dovetail.model.joints.equations import DOT, GAP, HELIX, Equation
from dovetail.model.values import Array
from dovetail.multibody.state import initial_state
from dovetail.results.result import Result


@dataclass(frozen=True, eq=False)
class JointGap:
    """One joint."""

    name: str
    bodies: tuple[str, ...]
    off: Array
    """(frames,) [m or rad] the largest defect of its equations."""


@dataclass(frozen=True, eq=False)
class _Carried:
    """Point (frames, 3) [m] and axes (frames, 3, 3), in rows, of a joint as a body carries them."""

    point: Array
    axes: Array


def joint_gaps(result: Result) -> Iterator[JointGap]:
    """All joints but those whose bodies the scene places only roughly."""
    model = result.scene.build()
    for placed in model.joints:
        if placed.joint.is_rough or placed.start:
            continue
        a = _carried(result, model, placed.joint, placed.body_a)
        b = _carried(result, model, placed.joint, placed.body_b)
        off = np.zeros(len(result.time))
        for equation in placed.joint.equations:
            off = np.maximum(off, np.abs(_defect(equation, placed.joint, a, b)))
        yield JointGap(placed.name, _names(model, placed), off)


def _names(model: Model, placed: PlacedJoint) -> tuple[str, ...]:
    return tuple(model.names[i] for i in (placed.body_a, placed.body_b) if i >= 0)


def _carried(result: Result, model: Model, joint: Joint, body: int) -> _Carried:
    axes, point = _frame(joint), np.asarray(joint.point, float)
    if body < 0:
        count = len(result.time)
        return _Carried(np.tile(point, (count, 1)), np.tile(axes, (count, 1, 1)))
    start, name = initial_state(model), model.names[body]
    R, x = result.rotation(name), result.position(name)
    own_point = start.R[body].T @ (point - start.x[body])
    return _Carried(x + R @ own_point, np.einsum("fij,kj->fki", R, axes @ start.R[body]))


def _frame(joint: Joint) -> Array:
    """Rows x, y, z: z along the axis, x along `axis2` or any normal."""
    if not joint.axes:
        return np.eye(3)
    z = np.asarray(joint.axis, float) / np.linalg.norm(np.asarray(joint.axis, float))
    second = getattr(joint, "axis2", None) if joint.axes == 2 else np.eye(3)[np.argmin(np.abs(z))]
    x = np.asarray(second, float)
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.array((x, np.cross(z, x), z))


def _defect(equation: Equation, joint: Joint, a: _Carried, b: _Carried) -> Array:
    """(frames,) [m or rad]."""
    e = a.axes[:, equation.axis_a]
    if equation.kind == DOT:
        return np.asarray(np.einsum("fi,fi->f", e, b.axes[:, equation.axis_b]))
    gap = np.asarray(np.einsum("fi,fi->f", e, b.point - a.point))
    if equation.kind == GAP or joint.lead == 0.0:
        return gap
    assert equation.kind == HELIX
    side, up = (a.axes[:, (equation.axis_a + k) % 3] for k in (1, 2))
    followed = b.axes[:, (equation.axis_a + 1) % 3]
    angle = np.arctan2(np.einsum("fi,fi->f", up, followed), np.einsum("fi,fi->f", side, followed))
    turn = 2.0 * np.pi * joint.lead
    left = gap - joint.lead * angle
    return np.asarray(left - turn * np.round(left / turn))
