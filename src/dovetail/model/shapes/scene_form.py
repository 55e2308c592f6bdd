"""How a shape is written in a scene file: which values, under which names, in which units.

A shape class says so once, in `scene_form`; the schema, the reader and the writer follow from it.
"""

from dataclasses import dataclass
from inspect import Parameter as Argument
from inspect import signature
from typing import Any, Literal

ParameterKind = Literal[
    "number", "positive", "not negative", "vector", "positive vector", "whole", "segments", "any"
]


@dataclass(frozen=True)
class Parameter:
    """One argument of a shape's constructor."""

    name: str
    kind: ParameterKind = "any"
    unit: Literal["", "length", "angle"] = ""  # in which the file's own unit applies
    about: str = ""


SEGMENTS = Parameter("segments", "segments", about="straight pieces that stand for a circle")


@dataclass(frozen=True)
class SceneForm:
    """The values of a shape in a scene file.

    {cylinder: {radius: 1, height: 2}, segments: 48} has radius and height `under` the name and
    segments `beside` it. A `bare` form has one value under the name: {sphere: 0.5}. Those that
    have a default in the constructor may be left out.
    """

    under: tuple[Parameter, ...]
    beside: tuple[Parameter, ...] = ()
    bare: bool = False
    about: str = ""
    example: str = ""  # of what stands under the name, for messages
    in_si: bool = False  # units are not known: only files in SI units can use the shape

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (*self.under, *self.beside)


def form_of(shape: Any) -> SceneForm:
    """The form of a shape's class: its own, or every argument of its constructor as it is."""
    given = getattr(shape, "scene_form", None)
    if isinstance(given, SceneForm):
        return given
    names = [
        argument.name
        for argument in signature(shape).parameters.values()
        if argument.kind in (Argument.POSITIONAL_OR_KEYWORD, Argument.KEYWORD_ONLY)
    ]
    return SceneForm(tuple(Parameter(name) for name in names), in_si=True)


def defaults_of(shape: Any) -> dict[str, Any]:
    """The constructor's arguments that may be left out, with their values."""
    arguments = signature(shape).parameters.values()
    return {one.name: one.default for one in arguments if one.default is not Argument.empty}
