"""Joints that leave their two bodies no motion together, though each leaves some.

The relative twist (v, omega) of body b against body a, at an origin, changes the equations of a
joint (`model.joints.equations`) whose point is p from there by

    GAP    e_i . (v + omega x p)   = (e_i, p x e_i) . (v, omega)
    DOT    e_i . (omega x e_j)     = (0, e_j x e_i) . (v, omega)

Two bodies can move against each other along what all their joints allow, the null space of all
rows together.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dovetail.model.joints import Joint
from dovetail.model.joints.equations import DOT, GAP
from dovetail.model.values import Array, quote, vector3
from dovetail.scene_check.finding import Finding

SMALL = 1e-6  # singular values below this part of the largest are zeros


def find_locked(joints: Mapping[str, tuple[Any, str, str]]) -> list[Finding]:
    """Pairs of bodies that several joints hold still; one joint of type Fixed says so itself."""
    pairs: dict[frozenset[str], list[str]] = {}
    for name, (_, a, b) in joints.items():
        pairs.setdefault(frozenset((a, b)), []).append(name)
    found = []
    for ends, names in pairs.items():
        entries = [joints[name][0] for name in names]
        if len(names) < 2 or not all(_is_known(joint) for joint in entries):
            continue
        if _freedoms(entries) == 0:
            a, b = sorted(ends)
            found.append(
                Finding(
                    "warning",
                    "locked",
                    tuple(names),
                    f"joints {', '.join(map(quote, names[:4]))} together leave {quote(a)} and "
                    f"{quote(b)} no motion against each other: their axes differ; let them have "
                    "one axis, or give dt.Fixed if this is meant",
                )
            )
    return found


def _is_known(joint: Any) -> bool:
    """A joint with freedoms whose equations are gaps and right angles."""
    if not isinstance(joint, Joint) or joint.mistakes("joint"):
        return False
    if not joint.freedoms or joint.is_rough:
        return False
    return all(equation.kind in (GAP, DOT) for equation in joint.equations)


def _freedoms(joints: list[Joint]) -> int:
    """Independent relative motions that all of them allow."""
    points = [vector3(joint.point, "point") for joint in joints]
    middle = np.mean(points, axis=0)
    size = max(float(np.linalg.norm(point - middle)) for point in points) or 1.0
    rows = np.array(
        [row for joint, p in zip(joints, points) for row in _rows(joint, (p - middle) / size)]
    )
    return 6 - int(np.linalg.matrix_rank(rows, tol=SMALL * float(np.linalg.norm(rows, 2))))


def _rows(joint: Joint, point: Array) -> list[Array]:
    """(6,) per equation, see above; `point` from the common origin."""
    from dovetail.multibody.constraints.joint_rows import joint_frame

    frame, rows = joint_frame(joint), []
    for equation in joint.equations:
        e, other = frame[equation.axis_a], frame[equation.axis_b]
        if equation.kind == GAP:
            rows.append(np.concatenate((e, np.cross(point, e))))
        else:
            rows.append(np.concatenate((np.zeros(3), np.cross(other, e))))
    return rows
