"""Loads as a scene document writes them."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator

from dovetail.io.scene_file.schema.joints import BodyPair
from dovetail.io.scene_file.schema.values import (
    BRANCH,
    BRANCHES,
    Entry,
    Name,
    NotNegative,
    Vector,
    branch,
)
from dovetail.io.scene_file.units import DAMPING, FORCE, LENGTH, STIFFNESS, TORQUE


class ForceEntry(Entry):
    """A constant force and torque on one body."""

    name: Name
    type: Literal["force"]
    body: Name
    force: Annotated[Vector | None, FORCE] = None
    torque: Annotated[Vector | None, TORQUE] = None
    point: Annotated[Vector | None, LENGTH] = None
    frame: Literal["world", "body"] | None = None


class SpringEntry(Entry):
    """A spring-damper between a point of one body and a point of another."""

    name: Name
    type: Literal["spring"]
    bodies: BodyPair
    point_a: Annotated[Vector, LENGTH]
    point_b: Annotated[Vector, LENGTH]
    stiffness: Annotated[NotNegative | None, STIFFNESS] = None
    damping: Annotated[NotNegative | None, DAMPING] = None
    rest_length: Annotated[NotNegative | None, LENGTH] = None


LOAD_KINDS = ("force", "spring")


def _load_kind(value: Any) -> str | None:
    kind = value.get("type") if isinstance(value, dict) else None
    return BRANCH + kind if isinstance(kind, str) and kind in LOAD_KINDS else None


Load = Annotated[
    Annotated[ForceEntry, branch("force")] | Annotated[SpringEntry, branch("spring")],
    Discriminator(
        _load_kind,
        custom_error_type="load",
        custom_error_message="must be a mapping with `type: force` or `type: spring`",
    ),
]
BRANCHES |= {BRANCH + "force": ForceEntry, BRANCH + "spring": SpringEntry}
