"""Shapes as a scene document writes them: one key that names the shape, then its sizes."""

from typing import Annotated, Any

from pydantic import Discriminator, FailFast, Field

from dovetail.io.scene_file.schema.values import (
    BRANCH,
    BRANCHES,
    Entry,
    NotNegative,
    Number,
    Points,
    Positive,
    Rotation,
    Segment,
    Triangle,
    Vector,
    branch,
    is_number,
)
from dovetail.io.scene_file.units import LENGTH
from dovetail.model.shapes.shape import MOST_SEGMENTS


class InlineMesh(Entry):
    """A mesh written into the document: triangles, free edges (wires), or only points."""

    vertices: Annotated[Points, LENGTH, Field(min_length=1)]
    faces: Annotated[list[Triangle] | None, FailFast()] = None
    edges: Annotated[list[Segment] | None, FailFast()] = None


def _file_or_inline(value: Any) -> str | None:
    if isinstance(value, str):
        return BRANCH + "file"
    return BRANCH + "inline" if isinstance(value, dict) else None


def _one_or_three(value: Any) -> str | None:
    if isinstance(value, list):
        return BRANCH + "three"
    return BRANCH + "factor" if is_number(value) else None


Scale = Annotated[
    Annotated[Number, branch("factor")] | Annotated[Vector, branch("three")],
    Discriminator(
        _one_or_three,
        custom_error_type="scale",
        custom_error_message="must be a number, or three for x, y and z",
    ),
]


class MeshShape(Entry):
    """A mesh file (path relative to the scene file) or an inline mesh.

    Coordinates times `scale` are in the document's length unit.
    """

    mesh: Annotated[
        Annotated[str, Field(min_length=1, max_length=4096), branch("file")]
        | Annotated[InlineMesh, branch("inline")],
        Discriminator(
            _file_or_inline,
            custom_error_type="mesh",
            custom_error_message="must be the path of a mesh file or {vertices, faces, edges}",
        ),
    ]
    scale: Scale = 1.0


Segments = Annotated[
    int, Field(ge=3, le=MOST_SEGMENTS, description="straight pieces that stand for a circle")
]


class BoxShape(Entry):
    """A box with its centre at the origin."""

    box: Annotated[list[Positive], LENGTH, Field(min_length=3, max_length=3)]


class SphereShape(Entry):
    """A sphere by its radius."""

    sphere: Annotated[Positive, LENGTH]
    segments: Segments | None = None


class Round(Entry):
    """Radius, and height along z."""

    radius: Annotated[Positive, LENGTH]
    height: Annotated[Positive, LENGTH]


class CylinderShape(Entry):
    cylinder: Round
    segments: Segments | None = None


class CapsuleShape(Entry):
    """`height` is that of the cylinder between the two half spheres."""

    capsule: Round
    segments: Segments | None = None


class ConeShape(Entry):
    cone: Round
    segments: Segments | None = None


class Ring(Entry):
    """Radius of the circle the tube runs along, and of the tube."""

    major: Annotated[Positive, LENGTH]
    minor: Annotated[Positive, LENGTH]


class TorusShape(Entry):
    torus: Ring
    segments: Segments | None = None


class HalfSpaceShape(Entry):
    """All that lies below the plane through the origin with this outward normal."""

    half_space: Vector
    extent: Annotated[Positive | None, LENGTH] = None


class Part(Entry):
    """One shape of a compound, placed in the compound's frame."""

    shape: "Shape"
    position: Annotated[Vector | None, LENGTH] = None
    rotation: Rotation | None = None
    weight: Annotated[NotNegative | None, Field(description="times the body's density")] = None


class CompoundShape(Entry):
    compound: Annotated[list[Part], Field(min_length=1, max_length=10_000)]


SHAPE_ENTRIES: dict[str, type[Entry]] = {
    "mesh": MeshShape,
    "box": BoxShape,
    "sphere": SphereShape,
    "cylinder": CylinderShape,
    "capsule": CapsuleShape,
    "cone": ConeShape,
    "torus": TorusShape,
    "half_space": HalfSpaceShape,
    "compound": CompoundShape,
}


def _kind(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    return next((BRANCH + kind for kind in SHAPE_ENTRIES if kind in value), None)


Shape = Annotated[
    Annotated[MeshShape, branch("mesh")]
    | Annotated[BoxShape, branch("box")]
    | Annotated[SphereShape, branch("sphere")]
    | Annotated[CylinderShape, branch("cylinder")]
    | Annotated[CapsuleShape, branch("capsule")]
    | Annotated[ConeShape, branch("cone")]
    | Annotated[TorusShape, branch("torus")]
    | Annotated[HalfSpaceShape, branch("half_space")]
    | Annotated[CompoundShape, branch("compound")],
    Discriminator(
        _kind,
        custom_error_type="shape",
        custom_error_message="must be one of {mesh: ...}, {box: [x, y, z]}, {sphere: radius}, "
        "{cylinder: {radius, height}}, {capsule: ...}, {cone: ...}, {torus: {major, minor}}, "
        "{half_space: normal}, {compound: [...]}",
    ),
]
Part.model_rebuild()
CompoundShape.model_rebuild()
BRANCHES |= {BRANCH + kind: entry for kind, entry in SHAPE_ENTRIES.items()}
BRANCHES[BRANCH + "inline"] = InlineMesh
