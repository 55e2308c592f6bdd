"""Springs, dampers, limits and motors along the coordinates of a joint, as rows."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dovetail.errors import InputError
from dovetail.model.frozen import Model
from dovetail.model.joints import Actuation, Joint
from dovetail.model.joints.actuation import Steered, takes_state
from dovetail.model.joints.equations import SPIN
from dovetail.model.joints.motions import FreeMotion
from dovetail.model.values import Mistakes, quote
from dovetail.multibody.constraints.bodies import ARMATURE, DAMPER, EFFORT, FRICTION, LIMIT, MOTOR
from dovetail.multibody.constraints.joint_rows import coordinate_rows
from dovetail.multibody.constraints.row import Pair, Row
from dovetail.multibody.state import initial_state


def _follows_state(entry: Actuation) -> bool:
    return callable(entry.motor) and takes_state(entry.motor)


FRICTION_IN_JOINTS = "dry friction in joints"
ROTORS, LIMITS = "`armature` of joints", "joint limits"
STATE_MOTORS = "motors that follow the state"
TAKE = {  # what acts along coordinates -> the integrators that can have it
    FRICTION_IN_JOINTS: (
        "RATTLie", "DH", "DL", "LieGeneralizedAlpha", "EulerParameterDAE", "JointCoordinates",
    ),
    ROTORS: (
        "RATTLie", "DH", "DL", "LieGeneralizedAlpha", "EulerParameterDAE", "JointCoordinates",
    ),
    LIMITS: ("RATTLie", "DH"),
    STATE_MOTORS: (
        "RATTLie", "DH", "DL", "LieGeneralizedAlpha", "EulerParameterDAE", "JointCoordinates",
    ),
}  # fmt: skip
_HAS: dict[str, Callable[[Actuation], bool]] = {
    FRICTION_IN_JOINTS: lambda entry: bool(entry.friction),
    ROTORS: lambda entry: bool(entry.armature),
    LIMITS: lambda entry: (
        (entry.lower is not None or entry.upper is not None) and entry.lower != entry.upper
    ),
}


def _those_with(kind: str) -> str:
    *others, last = TAKE[kind]
    return f"{', '.join(others)} or {last}"


def actuation_rows(
    joint: Joint, coordinates: list[Row | None], name: str, state_motors: bool = False
) -> list[Row]:
    """Rows of everything that acts on the joint's coordinates.

    `state_motors`: motors that follow the state are left out; else they are refused.
    Raises InputError for what has no meaning here.
    """
    rows: list[Row] = []
    found = Mistakes()
    for number, entry in enumerate(joint.actuation):
        who = f"coordinate {number + 1} of joint {quote(name)}"
        coordinate = coordinates[number]
        if coordinate is not None:
            coordinate.coordinate = number
            measured = state_motors and coordinate.kind != SPIN
            own = replace(entry, motor=None) if measured and _follows_state(entry) else entry
            found.take(lambda row, e, w: rows.extend(rows_along(row, e, w)), coordinate, own, who)
        elif entry != Actuation():
            found.append(
                f"{who} ({joint.kind}) must have no limit, spring, damper, friction or motor "
                f"with this integrator: {_why_unmeasured(joint, number)}; "
                "use `add_load` or `add_spring`, or integrator JointCoordinates"
            )
    if found:
        raise InputError(found)
    return rows


def _why_unmeasured(joint: Joint, number: int) -> str:
    if isinstance(joint.coordinates[number].motion, FreeMotion):
        return "a free joint's motions are no coordinates of its own"
    return "no single angle or distance between its two bodies measures it"


def rows_along(coordinate: Row, entry: Actuation, who: str) -> list[Row]:
    """Rows of all that acts on what the row `coordinate` measures."""
    rows = []
    mode, follows = motor_mode(entry.motor)
    if coordinate.kind == SPIN:
        _refuse_on_a_ball(entry, mode, who)
    if _follows_state(entry):
        raise InputError(
            f"the motor of {who} follows the state, f(t, q, v), which this integrator does not "
            f"take; use {_those_with(STATE_MOTORS)}, or f(t)"
        )
    steered = isinstance(entry.motor, Steered)
    if entry.friction:
        rows.append(replace(coordinate, role=FRICTION, friction=float(entry.friction)))
    if entry.stiffness or mode == "effort":
        effort = 0.0 if callable(follows) or follows is None else float(follows)
        rows.append(
            replace(
                coordinate, role=EFFORT, stiffness=float(entry.stiffness), rest=float(entry.rest),
                effort=_limited(effort, entry.effort_limit),
                motor=None if mode != "effort" or follows is None
                else (mode, follows, entry.effort_limit),
            )
        )  # fmt: skip
    if entry.armature:
        rows.append(replace(coordinate, role=ARMATURE, armature=float(entry.armature)))
    if entry.damping or steered:
        rows.append(replace(coordinate, role=DAMPER, damping=float(entry.damping)))
    if mode in ("position", "velocity"):
        if entry.effort_limit is not None:
            raise InputError(
                f"`effort_limit` of {who} must be left out where the motor prescribes its "
                f"{mode}: such a motor is as strong as it must be; integrator JointCoordinates "
                "lets it give in at its limit"
            )
        fastest = entry.velocity_limit if mode == "velocity" else None
        rows.append(replace(coordinate, role=MOTOR, motor=(mode, follows, fastest)))
    elif entry.lower is not None and entry.lower == entry.upper:
        still = float(entry.lower)
        rows.append(
            replace(coordinate, role=MOTOR, motor=("position", still, None), bound=still)
        )  # fmt: skip
    else:
        for bound, side in ((entry.lower, -1.0), (entry.upper, 1.0)):
            if bound is not None:
                at = coordinate.offset + float(bound)
                rows.append(
                    replace(coordinate, role=LIMIT, side=side, offset=at, bound=float(bound))
                )
    return rows


def _refuse_on_a_ball(entry: Actuation, mode: str, who: str) -> None:
    """A ball joint takes torques, dampers and friction about three axes of its second body."""
    not_numbers = "turns of a ball are not numbers that add up"
    if entry.lower is not None or entry.upper is not None or (mode != "none" and mode != "effort"):
        raise InputError(
            f"{who} (spherical) must have no limit and no motor that prescribes a motion: "
            f"{not_numbers}; give a torque, use a universal joint, or a kinematic body"
        )
    if _follows_state(entry):
        raise InputError(
            f"the motor of {who} (spherical) must not follow the state with this integrator: "
            f"{not_numbers}; use f(t), integrator JointCoordinates, or `add_load` with a function"
        )
    if entry.armature:
        raise InputError(
            f"`armature` of {who} (spherical) must be 0 with this integrator: {not_numbers}; use "
            "integrator JointCoordinates, or hinges one after the other"
        )
    if entry.stiffness:
        raise InputError(
            f"`stiffness` of {who} (spherical) must be 0 with this integrator, got "
            f"{entry.stiffness:g}: {not_numbers}; use integrator JointCoordinates, a universal "
            "joint or `add_spring`"
        )


def refuse(model: Model, name: str, *kinds: str) -> None:
    """Raise InputError where joints have what integrator `name` cannot have, kinds of `TAKE`."""
    mistakes = []
    for kind in kinds:
        joints = [
            quote(placed.name)
            for placed in model.joints
            if any(_HAS[kind](entry) for entry in placed.joint.actuation)
        ]
        if joints:
            mistakes.append(
                f"integrator {name} cannot have {kind}, but these have some: {', '.join(joints)}; "
                f"use {_those_with(kind)}"
            )
    if mistakes:
        raise InputError(mistakes)


def needs_joint_coordinates(model: Model) -> bool:
    """Whether joints have what rows between bodies cannot express."""
    state = initial_state(model)
    for placed in model.joints:
        joint = placed.joint
        if any(entry != Actuation() for entry in joint.actuation):
            pair = Pair(state, placed.body_a, placed.body_b)
            try:
                actuation_rows(joint, coordinate_rows(joint, pair), placed.name)
            except InputError:
                return True
    return False


def motor_mode(motor: Any) -> tuple[str, Any]:
    """("effort" | "position" | "velocity" | "none", number or function of time)."""
    if motor is None:
        return "none", None
    if isinstance(motor, tuple | list):
        return str(motor[0]), motor[1]
    if isinstance(motor, Steered):
        return "effort", motor.given
    return "effort", motor


def _limited(effort: float, limit: float | None) -> float:
    return effort if limit is None else max(-float(limit), min(float(limit), effort))
