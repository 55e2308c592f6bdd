"""The `prove` section of a scene document: what is to be proven of the assembly."""

from typing import Annotated, Literal

from pydantic import Field

from dovetail.io.scene_file.schema.joints import BodyPair
from dovetail.io.scene_file.schema.values import Entry, Name, NotNegative, Number, Positive
from dovetail.io.scene_file.units import LENGTH, TIME

Range = Annotated[list[Number], Field(min_length=2, max_length=2)]
Ranges = Annotated[
    dict[Name, Range | list[Range]],
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
        Field(description="part: up, or the places it comes through, from its place"),
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
