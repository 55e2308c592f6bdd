"""Joints as a scene document writes them."""

from functools import cache
from typing import Annotated, Any, Literal, Union

from pydantic import Discriminator, Field, create_model

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
from dovetail.model.joints import JOINTS, Joint

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
    """What acts along one coordinate of a joint, in the units of the file.

    An effort is a force for a coordinate that is a length, and a torque for one that is an angle; a
    stiffness is effort per length or angle. With degrees that is per degree.
    """

    lower: Annotated[Number | None, Field(description="limit of the coordinate")] = None
    upper: Annotated[Number | None, Field(description="limit of the coordinate")] = None
    stiffness: Annotated[
        NotNegative | None, Field(description="of a spring: effort per length or angle")
    ] = None
    damping: Annotated[NotNegative | None, Field(description="effort per rate")] = None
    rest: Annotated[
        Number | None, Field(description="coordinate at which the spring has no effort")
    ] = None
    friction: Annotated[NotNegative | None, Field(description="effort of dry friction")] = None
    armature: Annotated[
        NotNegative | None,
        Field(description="inertia, or mass, of a rotor that moves with the coordinate"),
    ] = None
    motor: Annotated[
        Annotated[
            Annotated[Number, branch("effort")] | Annotated[MotorEntry, branch("motor")],
            Discriminator(
                _number_or_mapping,
                custom_error_type="motor",
                custom_error_message="must be a constant effort, {velocity: ...} or "
                "{position: ...}",
            ),
        ]
        | None,
        Field(description="a constant effort, or what is held"),
    ] = None
    effort_limit: Annotated[
        NotNegative | None, Field(description="largest effort of the motor")
    ] = None
    velocity_limit: Annotated[
        NotNegative | None, Field(description="largest rate that a velocity motor requests")
    ] = None
    limit_stiffness: Annotated[
        NotNegative | None, Field(description="of limits that give; 0: limits are rigid")
    ] = None
    limit_damping: Annotated[NotNegative | None, Field(description="of limits that give")] = None
    limit_restitution: Annotated[
        NotNegative | None,
        Field(description="share of its rate, up to 1, with which it leaves a rigid limit"),
    ] = None
    limit_inertia: Annotated[NotNegative | None, Field(description="of limits that give")] = None
    servo_stiffness: Annotated[
        NotNegative | None, Field(description="part of `stiffness` that a controller has")
    ] = None
    servo_damping: Annotated[
        NotNegative | None, Field(description="part of `damping` that a controller has")
    ] = None
    servo_target: Annotated[Number | None, Field(description="initial target of it")] = None


def _one_or_list(value: Any) -> str | None:
    if isinstance(value, dict):
        return BRANCH + "one"
    return BRANCH + "list" if isinstance(value, list) else None


class JointEntry(Entry):
    """Any joint without a field of its own; `ground` is the world.

    `point_b` and `axis_b` say where point and axis sit on the second body, for parts that are
    placed only roughly and are to be assembled.
    """

    name: Name
    type: Name
    bodies: BodyPair
    point: Annotated[
        Vector | None, LENGTH, Field(description="on the axis, in the world at the start")
    ] = None
    axis: Annotated[Vector | None, Field(description="in the world at the start")] = None
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


FIELDS: dict[str, Any] = {
    "direction": Vector | None,
    "length": Annotated[Number | None, LENGTH],
    "number": Number | None,
}
"""How a file writes a joint type's own fields."""


@cache
def joint_schema(names: tuple[str, ...]) -> Any:
    """The union of the entries of these joint types: those without own fields share one."""
    types: dict[str, type[Joint]] = {name: JOINTS.get(name) for name in names}
    plain = tuple(name for name, kind in types.items() if not kind.parameters())
    entries = {"joint": _entry("JointEntry", JointEntry.__doc__, plain, {})} | {
        name: _entry(f"{kind.__name__}Entry", kind.__doc__, (name,), kind.parameters())
        for name, kind in types.items()
        if kind.parameters()
    }
    BRANCHES.update({BRANCH + name: entry for name, entry in entries.items()})

    def chosen(value: Any) -> str:
        kind = value.get("type") if isinstance(value, dict) else None
        return BRANCH + (kind if isinstance(kind, str) and kind in entries else "joint")

    members = tuple(Annotated[entry, branch(name)] for name, entry in entries.items())
    return Annotated[Union[members], Discriminator(chosen)]  # noqa: UP007


def _entry(
    name: str, text: str | None, types: tuple[str, ...], fields: dict[str, str]
) -> type[JointEntry]:
    """The entry of the joint types of these names."""
    own: dict[str, Any] = {"type": (Literal[types], ...)}
    own |= {field: (FIELDS[quantity], None) for field, quantity in fields.items()}
    return create_model(name, __base__=JointEntry, __doc__=text, **own)


def registered_joints() -> Any:
    """The union of the entries of all joint types that are registered now."""
    return joint_schema(tuple(JOINTS.names()))


BRANCHES |= {BRANCH + "motor": MotorEntry, BRANCH + "one": ActuationEntry}
