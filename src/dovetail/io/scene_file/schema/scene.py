"""The scene document, version 1: every section and key of a scene file."""

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import FailFast, Field, TypeAdapter, create_model

from dovetail.io.limits import MAX_ENTRIES
from dovetail.io.scene_file.schema.couplings import CouplingEntry
from dovetail.io.scene_file.schema.joints import BodyPair, joint_schema, registered_joints
from dovetail.io.scene_file.schema.loads import Load
from dovetail.io.scene_file.schema.prove import ProveEntry
from dovetail.io.scene_file.schema.run import RunEntry
from dovetail.io.scene_file.schema.shapes import Shape
from dovetail.io.scene_file.schema.values import (
    Entry,
    Fraction01,
    Friction,
    Inertia,
    Name,
    NotNegative,
    Number,
    Points,
    Positive,
    Rotation,
    Vector,
)
from dovetail.io.scene_file.units import (
    ACCELERATION,
    ANGULAR_VELOCITY,
    DAMPING,
    INERTIA,
    LENGTH,
    MASS,
    TIME,
    VELOCITY,
)
from dovetail.model.joints.registry import BUILT_IN


class UnitsEntry(Entry):
    """Units of all numbers; derived ones (force, density, ...) follow from these four."""

    length: Literal["m", "km", "cm", "mm", "um", "in", "ft"] = "m"
    mass: Literal["kg", "g", "mg", "t", "lb"] = "kg"
    time: Literal["s", "ms", "us", "min"] = "s"
    angle: Literal["rad", "deg"] = "rad"


class TrajectoryEntry(Entry):
    """Poses of the centre of mass at given times; constant speed between two rows."""

    times: Annotated[list[Number], TIME, FailFast(), Field(min_length=1)]
    positions: Annotated[Points, LENGTH]
    rotations: Annotated[list[Rotation] | None, FailFast()] = None


class BodyEntry(Entry):
    name: Name
    shape: Shape | None = None
    density: Annotated[
        Positive | None,
        Field(description="per volume of a solid, per area of an open mesh, per length of a wire"),
    ] = None
    mass: Annotated[
        NotNegative | None, MASS, Field(description="instead of density; 0 for a link of joints")
    ] = None
    inertia: Annotated[
        Inertia | None,
        INERTIA,
        Field(description="about the centre of mass, body frame: three moments or 3x3"),
    ] = None
    center_of_mass: Annotated[
        Vector | None, LENGTH, Field(description="in the shape's frame; default from the shape")
    ] = None
    position: Annotated[
        Vector | None,
        LENGTH,
        Field(description="of the shape's origin, or of the centre of mass without a shape"),
    ] = None
    rotation: Rotation | None = None
    velocity: Annotated[Vector | None, VELOCITY, Field(description="of the centre of mass")] = None
    angular_velocity: Annotated[
        Vector | None, ANGULAR_VELOCITY, Field(description="in world axes")
    ] = None
    motion: Literal["static", "kinematic", "dynamic"] | None = None
    trajectory: TrajectoryEntry | None = None
    moves_until: Annotated[Positive | None, TIME] = None
    fixed: Annotated[
        list[bool] | None,
        Field(min_length=6, max_length=6, description="x, y, z, rx, ry, rz held, world axes"),
    ] = None
    group: Annotated[
        Name | None, Field(description="bodies of one group do not collide with each other")
    ] = None
    material: Name | None = None


class MaterialEntry(Entry):
    """How two materials (or two bodies, by name) meet."""

    pair: BodyPair
    friction: Friction | None = None
    restitution: Fraction01 | None = None
    stiffness: Positive | None = None
    damping: Annotated[NotNegative | None, DAMPING] = None


class DocumentHead(Entry):
    """All of a scene file but its lists."""

    version: Literal[1]
    name: str | None = None
    description: str | None = None
    units: UnitsEntry = UnitsEntry()
    gravity: Annotated[Vector | None, ACCELERATION] = None
    run: RunEntry | None = None
    prove: ProveEntry | None = None
    exclude_contact: list[BodyPair] = Field(
        default=[],
        max_length=MAX_ENTRIES,
        description="pairs of bodies that pass through each other",
    )


class SceneDocument(DocumentHead):
    """A whole scene file."""

    bodies: list[BodyEntry] = Field(default=[], max_length=MAX_ENTRIES)
    joints: list[joint_schema(tuple(BUILT_IN))] = Field(  # type: ignore[valid-type]
        default=[], max_length=MAX_ENTRIES
    )
    couplings: list[CouplingEntry] = Field(default=[], max_length=MAX_ENTRIES)
    loads: list[Load] = Field(default=[], max_length=MAX_ENTRIES)
    materials: list[MaterialEntry] = Field(default=[], max_length=MAX_ENTRIES)


def registered_document() -> type[SceneDocument]:
    """The scene document with all joint types that are registered now."""
    joints: Any = (list[registered_joints()], Field(default=[], max_length=MAX_ENTRIES))  # type: ignore[misc]
    return create_model(
        "SceneDocument", __base__=SceneDocument, __doc__=SceneDocument.__doc__, joints=joints
    )


@cache
def _adapter(entry: Any) -> TypeAdapter[Any]:
    return TypeAdapter(entry)


def section_adapter(section: str) -> TypeAdapter[Any]:
    """What reads the entries of one section, with all that is registered now."""
    if section == "joints":
        return _adapter(registered_joints())
    entries = {"bodies": BodyEntry, "loads": Load, "materials": MaterialEntry}
    return _adapter((entries | {"couplings": CouplingEntry})[section])


SECTION_ENTRIES: dict[str, type[Entry] | None] = {
    "bodies": BodyEntry,
    "joints": None,  # the branch says
    "couplings": CouplingEntry,
    "loads": None,
    "materials": MaterialEntry,
}
