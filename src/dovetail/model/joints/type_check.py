"""Whether a joint type says about itself what all parts of the package need, and nothing false."""

from typing import Any

import numpy as np

from dovetail.model.joints.equations import DOT, GAP, HELIX, Equation
from dovetail.model.joints.joint import Joint
from dovetail.model.joints.motions import FreeMotion, Helix, Motion
from dovetail.model.joints.relative_motion import (
    LEAD,
    SAMPLES,
    gradient,
    random_coordinates,
    relative_pose,
    residual,
    subspace,
)
from dovetail.model.values import Array, quote

KEPT = 1e-9  # [m or 1] what an equation may be off along the motions
INDEPENDENT = 1e-6
QUANTITIES = ("direction", "length", "number")


def joint_type_mistakes(kind: Any) -> list[str]:
    """Sentences on what is wrong with a class that shall be a joint type; [] if nothing."""
    if not isinstance(kind, type) or not issubclass(kind, Joint) or kind is Joint:
        return [f"it must be a class derived from dt.Joint, got {quote(kind)}"]
    found = [*_declaration_mistakes(kind)]
    if found:
        return found
    return [*_field_mistakes(kind), *_motion_mistakes(kind), *_equation_mistakes(kind)]


def _declaration_mistakes(kind: type[Joint]) -> list[str]:
    found = []
    for name, wanted in (("motions", Motion), ("equations", Equation)):
        listed = getattr(kind, name)
        if not isinstance(listed, tuple) or not all(isinstance(one, wanted) for one in listed):
            found.append(f"`{name}` must be a tuple of {wanted.__name__}s, got {quote(listed)}")
    if kind.axes not in (0, 1, 2):
        found.append(f"`axes` must be 0, 1 or 2, got {quote(kind.axes)}")
    if found:
        return found
    axes = [getattr(motion, "axis", 0) for motion in kind.motions]
    axes += [axis for equation in kind.equations for axis in equation[1:]]
    if any(axis not in (0, 1, 2) for axis in axes):
        found.append("axes of motions and equations must be X, Y or Z (0, 1 or 2)")
    if any(equation.kind not in (GAP, DOT, HELIX) for equation in kind.equations):
        found.append("`equations` must be made by gap, right_angle or helix")
    if not kind.motions and not kind.equations:
        found.append("it must declare `motions`, `equations`, or both")
    if len(kind.motions) > 1 and any(isinstance(one, FreeMotion) for one in kind.motions):
        found.append("FreeMotion leaves everything, so it must be the only one of `motions`")
    return found


def _field_mistakes(kind: type[Joint]) -> list[str]:
    found, given = [], kind.parameters()
    if kind.axes == 2 and given.get("axis2") != "direction":
        found.append(
            "with `axes` = 2 it needs a field `axis2: Any = field(default=..., metadata=DIRECTION)`"
        )
    advances = any(isinstance(one, Helix) for one in kind.motions)
    advances = advances or any(one.kind == HELIX for one in kind.equations)
    if advances and given.get("pitch") != "length":
        found.append(
            "with a Helix it needs a field `pitch: Any = field(default=..., metadata=LENGTH)`"
        )
    found += [
        f"field `{name}` must be a {', '.join(QUANTITIES)}, got {quote(quantity)}"
        for name, quantity in given.items()
        if quantity not in QUANTITIES
    ]
    return found


def _motion_mistakes(kind: type[Joint]) -> list[str]:
    found = []
    rng = np.random.default_rng(1)
    q = random_coordinates(kind.motions, rng)
    columns = _stacked(subspace(kind.motions, q, LEAD))
    if _rank(columns) < kind.freedoms:
        found.append(f"its {kind.freedoms} motions must be independent of each other")
    if kind.axes < 2:
        start = _stacked(subspace(kind.motions, _neutral(kind), LEAD))
        for angles in ((0.0, 0.0, 0.7), (0.4, 0.9, 0.0))[: 1 if kind.axes else 2]:
            if _rank(np.vstack((start, _rotated(start, angles)))) > _rank(start):
                need = "`axes` = 2" if kind.axes else "`axes` = 1 or 2"
                found.append(f"its motions have directions that need {need} to be placed")
                break
    return found


def _equation_mistakes(kind: type[Joint]) -> list[str]:
    left = 6 - kind.freedoms
    if len(kind.equations) != left:
        return [
            f"with {kind.freedoms} freedoms it must keep {left} equations, "
            f"got {len(kind.equations)}"
        ]
    found = []
    rng = np.random.default_rng(2)
    for _ in range(SAMPLES):
        q = random_coordinates(kind.motions, rng)
        R, p = relative_pose(kind.motions, q, LEAD)
        for equation in kind.equations:
            off = residual(equation, R, p, LEAD)
            if abs(off) > KEPT:
                found.append(
                    f"its motions break its equation '{equation}': it is off by {off:.3g} at "
                    f"q = {quote(np.round(q, 3))}"
                )
        rows = [gradient(equation, R, LEAD) for equation in kind.equations]
        if not found and left and _rank(np.array(rows)) < left:
            found.append("its equations must be independent of each other")
        if found:
            break
    return found


def _neutral(kind: type[Joint]) -> Array:
    q = [0.0] * sum(motion.n_q for motion in kind.motions)
    at = 0
    for motion in kind.motions:
        at += motion.n_q
        if not motion.has_values:
            q[at - 4] = 1.0
    return np.array(q)


def _stacked(columns: list[Array]) -> Array:
    return np.vstack([np.zeros((0, 6)), *columns])


def _rank(rows: Array) -> int:
    return int(np.linalg.matrix_rank(rows, tol=INDEPENDENT)) if rows.size else 0


def _rotated(columns: Array, angles: tuple[float, float, float]) -> Array:
    """Velocities (n, 6) in axes rotated about x, then y, then z."""
    R = np.eye(3)
    for axis, angle in enumerate(angles):
        y, z = (axis + 1) % 3, (axis + 2) % 3
        about = np.eye(3)
        about[y, y] = about[z, z] = np.cos(angle)
        about[z, y], about[y, z] = np.sin(angle), -np.sin(angle)
        R = about @ R
    return np.hstack((columns[:, :3] @ R.T, columns[:, 3:] @ R.T))
