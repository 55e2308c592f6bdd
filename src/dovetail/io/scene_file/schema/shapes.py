"""Shapes as a scene document writes them: one key that names the shape, then its sizes.

Meshes and compounds have entries of their own; all others follow from the `scene_form` of the
shape's class, those that other packages add as well.
"""

import re
from difflib import get_close_matches
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    ConfigDict,
    Discriminator,
    FailFast,
    Field,
    TypeAdapter,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

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
from dovetail.io.scene_file.units import ANGLE, LENGTH
from dovetail.model.shapes.registry import SHAPES
from dovetail.model.shapes.scene_form import Parameter, ParameterKind, defaults_of, form_of
from dovetail.model.shapes.shape import MAX_SEGMENTS
from dovetail.runtime.registry import did_you_mean


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


def _true_or_thickness(value: Any) -> str | None:
    if value is True:
        return BRANCH + "shell"
    return BRANCH + "thickness" if is_number(value) else None


Shell = Annotated[
    Annotated[Literal[True], branch("shell")] | Annotated[Positive, branch("thickness")],
    Discriminator(
        _true_or_thickness,
        custom_error_type="shell",
        custom_error_message="must be true (density per area) or the thickness of the sheet",
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
    shell: Annotated[
        Shell | None,
        Field(description="mass on the surface: true (density per area), or a sheet's thickness"),
    ] = None
    fill: Annotated[
        Literal["holes", "winding", "hull"] | None,
        Field(description="what an open surface encloses, for its mass"),
    ] = None


# what each kind of parameter may be
TYPES: dict[ParameterKind, Any] = {
    "number": Number,
    "positive": Positive,
    "not negative": NotNegative,
    "vector": Vector,
    "positive vector": Annotated[list[Positive], Field(min_length=3, max_length=3)],
    "whole": int,
    "segments": Annotated[int, Field(ge=3, le=MAX_SEGMENTS)],
    "any": Any,
}
DIMENSIONS = {"length": LENGTH, "angle": ANGLE}


def entry_of(name: str, shape: Any) -> type[Entry]:
    """The mapping {name: ..., ...} of a shape's class, from its scene form."""
    form, defaults = form_of(shape), defaults_of(shape)
    title = "".join(word.capitalize() for word in re.split(r"[^A-Za-z0-9]+", name))

    def field(parameter: Parameter) -> Any:
        marks: list[Any] = [Field(description=parameter.about)] if parameter.about else []
        if parameter.unit:
            marks.append(DIMENSIONS[parameter.unit])
        kind = TYPES[parameter.kind]
        if parameter.name in defaults:
            return Annotated[(kind | None, *marks)] if marks else kind | None, None
        return Annotated[(kind, *marks)] if marks else kind, ...

    if form.bare:
        under: Any = field(form.under[0])[0]
    else:
        fields = {parameter.name: field(parameter) for parameter in form.under}
        under = create_model(f"{title}Size", __base__=Entry, **fields)
    beside = {parameter.name: field(parameter) for parameter in form.beside}
    about = form.about or None
    fields = {name: (under, ...), **beside}
    return create_model(f"{title}Shape", __base__=Entry, __doc__=about, **fields)


class RegisteredShape(Entry):
    """A shape that another package adds: its name, with the values that its class takes."""

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _has_a_known_name(cls, value: Any) -> Any:
        if not any(key in SHAPES for key in value):
            known = ", ".join(SHAPES)
            hint = "".join(did_you_mean(key, SHAPES) for key in value)
            raise PydanticCustomError("shape", f"must name a shape (known: {known}){hint}")
        return value

    @property
    def shape_name(self) -> str:
        return next(key for key in self.model_extra or {} if key in SHAPES)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> dict[str, Any]:
        added = [name for name in SHAPES if name not in SHAPE_ENTRIES]
        about = {name: registered_json_schema(name) for name in added}
        return {
            "title": cls.__name__,
            "description": cls.__doc__,
            "type": "object",
            "properties": {key: value for one in about.values() for key, value in one.items()},
            "minProperties": 1,
            "additionalProperties": False,
        }


def registered_json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema of each key of a shape that another package adds."""
    shape = SHAPES.get(name)
    form, defaults = form_of(shape), defaults_of(shape)

    def value(parameter: Parameter) -> dict[str, Any]:
        return TypeAdapter(TYPES[parameter.kind]).json_schema() | (
            {"description": parameter.about} if parameter.about else {}
        )

    under: dict[str, Any] = {
        "type": "object",
        "properties": {parameter.name: value(parameter) for parameter in form.under},
        "required": [one.name for one in form.under if one.name not in defaults],
        "additionalProperties": False,
    }
    if form.bare:
        under = value(form.under[0])
    return {name: under} | {parameter.name: value(parameter) for parameter in form.beside}


class Part(Entry):
    """One shape of a compound, placed in the compound's frame."""

    shape: "Shape"
    position: Annotated[Vector | None, LENGTH] = None
    rotation: Rotation | None = None
    weight: Annotated[NotNegative | None, Field(description="times the body's density")] = None


class CompoundShape(Entry):
    compound: Annotated[list[Part], Field(min_length=1, max_length=10_000)]


def how_to_write_shapes() -> str:
    """One example of each of the package's own shapes, for messages."""
    examples = ["{mesh: ...}"]
    for name in FORMED:
        form = form_of(SHAPES.get(name))
        names = ", ".join(parameter.name for parameter in form.under)
        inside = form.example or (names if form.bare else f"{{{names}}}")
        examples.append(f"{{{name}: {inside}}}")
    return ", ".join([*examples, "{compound: [...]}"])


FORMED = [name for name in SHAPES.own_names() if name not in ("mesh", "compound")]
SHAPE_ENTRIES: dict[str, type[Entry]] = {
    "mesh": MeshShape,
    **{name: entry_of(name, SHAPES.get(name)) for name in FORMED},
    "compound": CompoundShape,
}


def _kind(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    own = next((name for name in SHAPE_ENTRIES if name in value), None)
    if own is not None:
        return BRANCH + own
    added = [name for name in SHAPES if name not in SHAPE_ENTRIES]
    return (
        BRANCH + "registered" if any(get_close_matches(str(key), added) for key in value) else None
    )


if TYPE_CHECKING:
    Shape = Entry
else:
    _branches = {**SHAPE_ENTRIES, "registered": RegisteredShape}
    Shape = Annotated[
        reduce(or_, [Annotated[entry, branch(name)] for name, entry in _branches.items()]),
        Discriminator(
            _kind,
            custom_error_type="shape",
            custom_error_message=f"must be one of {how_to_write_shapes()}",
        ),
    ]
Part.model_rebuild()
CompoundShape.model_rebuild()
BRANCHES |= {BRANCH + kind: entry for kind, entry in SHAPE_ENTRIES.items()}
BRANCHES[BRANCH + "inline"] = InlineMesh
