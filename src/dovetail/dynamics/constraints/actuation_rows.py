"""Springs, dampers, limits and motors along the coordinates of a joint, as rows."""

from dataclasses import replace
from typing import Any

from dovetail.dynamics.constraints.row import Row
from dovetail.errors import InputError
from dovetail.kernels.joined_bodies import DAMPER, EFFORT, LIMIT, MOTOR
from dovetail.model.joints import Actuation, Joint
from dovetail.model.values import Mistakes, shown


def actuation_rows(joint: Joint, coordinates: list[Row], name: str) -> list[Row]:
    """Rows of everything that acts on the joint's coordinates.

    Raises InputError for what has no meaning here.
    """
    rows: list[Row] = []
    found = Mistakes()
    for number, entry in enumerate(joint.actuation):
        who = f"coordinate {number + 1} of joint {shown(name)}"
        if number >= len(coordinates):
            if entry != Actuation():
                found.append(
                    f"{who} ({joint.kind}) must have no limit, spring, damper, friction or motor: "
                    "turns of a ball are not numbers that add up; use a universal joint, "
                    "`add_spring` or `add_load`"
                )
            continue
        found.take(
            lambda row, e, w: rows.extend(_of_one(row, e, w)), coordinates[number], entry, who
        )
    if found:
        raise InputError(found)
    return rows


def _of_one(coordinate: Row, entry: Actuation, who: str) -> list[Row]:
    rows = []
    mode, follows = motor_mode(entry.motor)
    if entry.friction:
        raise InputError(
            f"`friction` of {who} must be 0 with this integrator, got {entry.friction:g}; use "
            "`damping`"
        )
    if entry.stiffness or mode == "effort":
        effort = 0.0 if callable(follows) or follows is None else float(follows)
        rows.append(
            replace(
                coordinate, role=EFFORT, stiffness=float(entry.stiffness), rest=float(entry.rest),
                effort=_limited(effort, entry.effort_limit),
                motor=(mode, follows, entry.effort_limit) if mode == "effort" else None,
            )
        )  # fmt: skip
    if entry.damping:
        rows.append(replace(coordinate, role=DAMPER, damping=float(entry.damping)))
    if mode in ("position", "velocity"):
        if entry.effort_limit is not None:
            raise InputError(
                f"`effort_limit` of {who} must be left out where the motor prescribes its "
                f"{mode}: such a motor is as strong as it must be"
            )
        rows.append(replace(coordinate, role=MOTOR, motor=(mode, follows, None)))
    elif entry.lower is not None and entry.lower == entry.upper:
        rows.append(replace(coordinate, role=MOTOR, motor=("position", float(entry.lower), None)))
    else:
        for bound, side in ((entry.lower, -1.0), (entry.upper, 1.0)):
            if bound is not None:
                at = coordinate.offset + float(bound)
                rows.append(replace(coordinate, role=LIMIT, side=side, offset=at))
    return rows


def motor_mode(motor: Any) -> tuple[str, Any]:
    """("effort" | "position" | "velocity" | "none", number or function of time)."""
    if motor is None:
        return "none", None
    if isinstance(motor, tuple | list):
        return str(motor[0]), motor[1]
    return "effort", motor


def _limited(effort: float, limit: float | None) -> float:
    return effort if limit is None else max(-float(limit), min(float(limit), effort))
