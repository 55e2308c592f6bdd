"""The kinds of value a scene document is made of: numbers, vectors, rotations."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    FailFast,
    Field,
    Tag,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from dovetail.io.limits import LARGEST_NUMBER
from dovetail.io.scene_file.units import ANGLE, Dimension

BRANCH = "|"  # starts the tag of a union's branch, so that it can be left out of a field's path


class Entry(BaseModel):
    """A mapping of the document: strict types, no unknown keys, no empty values.

    Its validator is built when first used, so a file pays for the kinds of entry it has.
    A field whose annotation carries a `Dimension` is written in the file's units.
    """

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True
    )

    @field_validator("*", mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        if value is None:
            raise PydanticCustomError("empty", "is empty; give a value or leave the key out")
        return value


def branch(name: str) -> Tag:
    return Tag(BRANCH + name)


def dimension_of(field: FieldInfo) -> Dimension | None:
    """The dimension a field's annotation carries."""
    return next((part for part in field.metadata if isinstance(part, Dimension)), None)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


Number = Annotated[float, Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
Positive = Annotated[float, Field(gt=0, le=LARGEST_NUMBER)]
NotNegative = Annotated[float, Field(ge=0, le=LARGEST_NUMBER)]
Fraction01 = Annotated[float, Field(ge=0, le=1)]
Vector = Annotated[list[Number], Field(min_length=3, max_length=3)]
Matrix = Annotated[list[Vector], Field(min_length=3, max_length=3)]
Quaternion = Annotated[list[Number], Field(min_length=4, max_length=4)]
Index = Annotated[int, Field(ge=0, lt=2**31)]
Points = Annotated[list[Vector], FailFast()]
Triangle = Annotated[list[Index], Field(min_length=3, max_length=3)]
Segment = Annotated[list[Index], Field(min_length=2, max_length=2)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


def _matrix_or(other: str) -> Callable[[Any], str | None]:
    def choose(value: Any) -> str | None:
        if not isinstance(value, list):
            return None
        return BRANCH + ("matrix" if value and isinstance(value[0], list) else other)

    return choose


Inertia = Annotated[
    Annotated[Vector, branch("vector")] | Annotated[Matrix, branch("matrix")],
    Discriminator(
        _matrix_or("vector"),
        custom_error_type="inertia",
        custom_error_message="must be three principal moments or a 3x3 matrix",
    ),
]


class AxisAngle(Entry):
    """A turn by `angle` about `axis`."""

    axis: Vector
    angle: Annotated[Number, ANGLE]


class Euler(Entry):
    """Three turns one after the other about the axes named in `order`.

    Small letters turn about the fixed world axes ("xyz" is roll, pitch, yaw as in URDF),
    capitals about the axes carried along.
    """

    euler: Annotated[Vector, ANGLE]
    order: Annotated[str, Field(pattern="^([xyz]{3}|[XYZ]{3})$")] = "xyz"


def _rotation(value: Any) -> str | None:
    if isinstance(value, dict):
        return BRANCH + ("euler" if "euler" in value or "order" in value else "axis_angle")
    if isinstance(value, list) and (len(value) == 4 or (value and isinstance(value[0], list))):
        return _matrix_or("quaternion")(value)
    return None


Rotation = Annotated[
    Annotated[Matrix, branch("matrix")]
    | Annotated[Quaternion, branch("quaternion")]
    | Annotated[AxisAngle, branch("axis_angle")]
    | Annotated[Euler, branch("euler")],
    Discriminator(
        _rotation,
        custom_error_type="rotation",
        custom_error_message="must be a 3x3 matrix, a unit quaternion [w, x, y, z], "
        "{axis, angle} or {euler, order}",
    ),
]


class Named(Entry):
    """Something that a package adds, by its name: {name: {options}}."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, dict[str, Any]]

    @model_validator(mode="after")
    def _one_name(self) -> "Named":
        if len(self.model_extra or {}) != 1:
            raise PydanticCustomError("named", "must be {name: {options}} with one name")
        return self


def _number_or_list(value: Any) -> str | None:
    if isinstance(value, list):
        return BRANCH + "four"
    if isinstance(value, dict):
        return BRANCH + "curve"
    return BRANCH + "coefficient" if is_number(value) else None


Friction = Annotated[
    Annotated[NotNegative, branch("coefficient")]
    | Annotated[
        list[NotNegative], Field(min_length=4, max_length=4), branch("four")
    ]  # mu_s, mu_d, v_s, v_d
    | Annotated[Named, branch("curve")],
    Discriminator(
        _number_or_list,
        custom_error_type="friction",
        custom_error_message="must be a coefficient >= 0, [mu_s, mu_d, v_s, v_d] or "
        "{curve: {options}}",
    ),
]
BRANCHES: dict[str, type[Entry]] = {BRANCH + "axis_angle": AxisAngle, BRANCH + "euler": Euler}
