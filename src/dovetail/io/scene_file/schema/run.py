"""The `run` section of a scene document."""

from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Discriminator, Field
from pydantic_core import PydanticCustomError

from dovetail.contact.registries import METHODS
from dovetail.io.scene_file.schema.values import (
    BRANCH,
    BRANCHES,
    Entry,
    Fraction01,
    Friction,
    Name,
    NotNegative,
    Number,
    Positive,
    branch,
)
from dovetail.io.scene_file.units import LENGTH, TIME

Plain = bool | int | Number | str | list[Number] | list[str]
Option = Annotated[Plain | dict[str, dict[str, Plain]], Field(union_mode="left_to_right")]


def _known_method(name: str) -> str:
    if name != "none" and name not in METHODS:
        raise PydanticCustomError("literal_error", "unknown", {"expected": _one_of(_methods())})
    return name


def _methods() -> list[str]:
    return [*METHODS, "none"]


def _one_of(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


class _MethodNames:
    """Says in the JSON Schema which names there are when it is made."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {"type": "string", "enum": _methods()}


ContactName = Annotated[str, AfterValidator(_known_method), _MethodNames()]


class ContactEntry(Entry):
    """A contact method; further keys are options of that method."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Option]

    method: ContactName
    friction: Friction | None = None
    restitution: Fraction01 | None = None
    dhat: Annotated[Positive | None, LENGTH] = None
    min_separation: Annotated[NotNegative | None, LENGTH] = None
    stiffness: Positive | None = None
    damping: NotNegative | None = None
    exponent: Positive | None = None


class IntegratorEntry(Entry):
    name: Name
    options: dict[str, Option] = Field(default_factory=dict)


def _name_or_mapping(value: Any) -> str | None:
    if isinstance(value, str):
        return BRANCH + "name"
    return BRANCH + "mapping" if isinstance(value, dict) else None


def _method_or_mapping(value: Any) -> str | None:
    if isinstance(value, str):
        return BRANCH + "method"
    if isinstance(value, dict) and ("method" in value or not set(value) & set(_methods())):
        return BRANCH + "contact"
    return None


class RunEntry(Entry):
    """How to run the scene when nothing else is asked for."""

    duration: Annotated[Positive | None, TIME] = None
    step: Annotated[Positive | None, TIME] = None
    large_step: Annotated[
        Positive | None, TIME, Field(description="step while no two bodies are near each other")
    ] = None
    every: Annotated[
        int | None, Field(ge=1, le=10**9, description="steps between recorded frames")
    ] = None
    integrator: (
        Annotated[
            Annotated[Name, branch("name")] | Annotated[IntegratorEntry, branch("mapping")],
            Discriminator(
                _name_or_mapping,
                custom_error_type="integrator",
                custom_error_message="must be a name or {name, options}",
            ),
        ]
        | None
    ) = None
    contact: (
        Annotated[
            Annotated[ContactName, branch("method")] | Annotated[ContactEntry, branch("contact")],
            Discriminator(
                _method_or_mapping,
                custom_error_type="contact",
                custom_error_message="must be the name of a method such as ipc, or {method: ipc, "
                "friction: 0.3} with its options",
            ),
        ]
        | None
    ) = None
    monitor: Annotated[
        bool | None,
        Field(description="report contacts that are inconsistent, not unique or unstable"),
    ] = None


BRANCHES |= {BRANCH + "mapping": IntegratorEntry, BRANCH + "contact": ContactEntry}
