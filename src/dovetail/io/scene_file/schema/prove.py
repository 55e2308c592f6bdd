"""The `prove` section of a scene document: what is to be proven of the assembly."""

from typing import Annotated

from pydantic import Field

from dovetail.io.scene_file.schema.joints import BodyPair
from dovetail.io.scene_file.schema.values import Entry, Name, NotNegative, Number
from dovetail.io.scene_file.units import LENGTH

Range = Annotated[list[Number], Field(min_length=2, max_length=2)]
Ranges = Annotated[
    dict[Name, Range | list[Range]],
    Field(description="joint: [from, to] in the file's angle or length unit, from its start"),
]


class ProveEntry(Entry):
    """A sweep of joints, or a driven motion under contact, and the clearance to keep."""

    clearance: Annotated[
        NotNegative | None, LENGTH, Field(description="to be kept; 0: must not touch")
    ] = None
    sweep: Ranges | None = None
    drive: Ranges | None = None
    ignore: Annotated[
        list[BodyPair] | None, Field(description="pairs of bodies that may touch")
    ] = None
