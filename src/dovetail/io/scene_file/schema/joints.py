"""Joints as a scene document writes them."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field

from dovetail.io.scene_file.schema.values import (
    BRANCH,
    BRANCHES,
    Entry,
    Name,
    NotNegative,
    Number,
    Vector,
    branch,
    is_number,
)
from dovetail.io.scene_file.units import LENGTH

BodyPair = Annotated[list[Name], Field(min_length=2, max_length=2)]


class MotorEntry(Entry):
    """What a motor holds: an effort, or a coordinate's position or velocity. Just one."""

    effort: Number | None = None
    position: Number | None = None
    velocity: Number | None = None


def _number_or_mapping(value: Any) -> str | None:
    if isinstance(value, dict):
        return BRANCH + "motor"
    return BRANCH + "effort" if is_number(value) else None


class ActuationEntry(Entry):
    """What acts along one coordinate of a joint: units of a turn or of a slide."""

    lower: Number | None = None
    upper: Number | None = None
    stiffness: NotNegative | None = None
    damping: NotNegative | None = None
    rest: Number | None = None
    friction: NotNegative | None = None
    motor: (
        Annotated[
            Annotated[Number, branch("effort")] | Annotated[MotorEntry, branch("motor")],
            Discriminator(
                _number_or_mapping,
                custom_error_type="motor",
                custom_error_message="must be a constant effort, {velocity: ...} or "
                "{position: ...}",
            ),
        ]
        | None
    ) = None
    effort_limit: NotNegative | None = None
    velocity_limit: NotNegative | None = None


def _one_or_list(value: Any) -> str | None:
    if isinstance(value, dict):
        return BRANCH + "one"
    return BRANCH + "list" if isinstance(value, list) else None


class JointEntry(Entry):
    """Any joint without a parameter of its own; `ground` is the world.

    `point_b` and `axis_b` say where point and axis sit on the second body, for parts that are
    placed only roughly and are to be assembled.
    """

    name: Name
    type: Literal["fixed", "revolute", "prismatic", "cylindrical", "spherical", "planar", "free"]
    bodies: BodyPair
    point: Annotated[Vector | None, LENGTH] = None
    axis: Vector | None = None
    point_b: Annotated[Vector | None, LENGTH] = None
    axis_b: Vector | None = None
    actuation: (
        Annotated[
            Annotated[ActuationEntry, branch("one")]
            | Annotated[list[ActuationEntry], Field(max_length=6), branch("list")],
            Discriminator(
                _one_or_list,
                custom_error_type="actuation",
                custom_error_message="must be a mapping, or a list of one for each coordinate",
            ),
        ]
        | None
    ) = None


class UniversalEntry(JointEntry):
    type: Literal["universal"]  # type: ignore[assignment]
    axis2: Vector | None = None


class ScrewEntry(JointEntry):
    """`pitch` is the advance along the axis per turn."""

    type: Literal["screw"]  # type: ignore[assignment]
    pitch: Annotated[Number | None, LENGTH] = None


def _kind(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else None
    return BRANCH + (kind if kind in ("universal", "screw") else "joint")


Joint = Annotated[
    Annotated[JointEntry, branch("joint")]
    | Annotated[UniversalEntry, branch("universal")]
    | Annotated[ScrewEntry, branch("screw")],
    Discriminator(_kind),
]
BRANCHES |= {
    BRANCH + "joint": JointEntry,
    BRANCH + "universal": UniversalEntry,
    BRANCH + "screw": ScrewEntry,
    BRANCH + "motor": MotorEntry,
    BRANCH + "one": ActuationEntry,
}
