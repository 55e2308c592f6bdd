"""The `prove` section of a scene document: what is to be proven of the assembly."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field

from dovetail.io.scene_file.schema.joints import BodyPair
from dovetail.io.scene_file.schema.values import (
    BRANCH,
    Entry,
    Name,
    NotNegative,
    Number,
    Positive,
    branch,
)
from dovetail.io.scene_file.units import LENGTH, TIME

Range = Annotated[list[Number], Field(min_length=2, max_length=2)]


def _one_or_several(value: Any) -> str | None:
    if not isinstance(value, list):
        return None
    return BRANCH + ("several" if any(isinstance(one, list) for one in value) else "one")


RangeOrRanges = Annotated[
    Annotated[Range, branch("one")] | Annotated[list[Range], branch("several")],
    Discriminator(
        _one_or_several,
        custom_error_type="range",
        custom_error_message="must be [from, to], or a list of such pairs, one per coordinate",
    ),
]
Ranges = Annotated[
    dict[Name, RangeOrRanges],
    Field(description="joint: [from, to] in the file's angle or length unit, from its start"),
]


Place = Annotated[list[Number], Field(min_length=3, max_length=3)]


class ProveEntry(Entry):
    """One question, `sweep`, `path`, `assemble` or `drive`, and the clearance to keep."""

    clearance: Annotated[
        NotNegative | None, LENGTH, Field(description="to be kept; 0: must not touch")
    ] = None
    sweep: Ranges | None = None
    path: Annotated[
        dict[Name, list[Number]] | None,
        Field(description="joint: values in order, the same number for each joint"),
    ] = None
    assemble: Annotated[
        dict[Name, Literal["up"] | list[Place]] | None,
        Field(
            description="part: up, or the places it passes, in order, relative to its final place"
        ),
    ] = None
    drive: Ranges | None = None
    by: Annotated[
        Literal["motor", "weight"] | None, Field(description="what drives; default: motor")
    ] = None
    force: Annotated[
        dict[Name, Positive] | None,
        Field(description="joint: largest force [N] or torque [N m] of its motor"),
    ] = None
    duration: Annotated[
        Positive | None, TIME, Field(description="of a driven motion; default: derived, slow")
    ] = None
    ignore: Annotated[
        list[BodyPair] | None, Field(description="pairs of bodies that may touch")
    ] = None
