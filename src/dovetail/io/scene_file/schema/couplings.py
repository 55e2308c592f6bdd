"""Couplings of joint coordinates as a scene document writes them."""

from typing import Annotated

from pydantic import Field

from dovetail.io.scene_file.schema.joints import ActuationEntry
from dovetail.io.scene_file.schema.values import Entry, Name, Number
from dovetail.model.couplings import MAX_DEGREE


class CouplingTermEntry(Entry):
    """A joint coordinate times `factor`, or `polynomial`: c1 q + c2 q^2 + ..."""

    joint: Name
    coordinate: Annotated[int | None, Field(ge=1, le=6, description="of several, from 1")] = None
    factor: Number | None = None
    polynomial: Annotated[list[Number] | None, Field(min_length=1, max_length=MAX_DEGREE)] = None


class CouplingEntry(Entry):
    """A sum over joint coordinates that equals `offset`, or that `actuation` acts on."""

    name: Name
    terms: Annotated[list[CouplingTermEntry], Field(min_length=1)]
    offset: Number | None = None
    actuation: ActuationEntry | None = None
