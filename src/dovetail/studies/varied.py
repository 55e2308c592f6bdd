"""One thing that differs from run to run, and where in the scene it goes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dovetail.errors import InputError
from dovetail.io.scene_file.schema.values import is_number
from dovetail.model.values import quote
from dovetail.runtime.options import named_parameters
from dovetail.studies.distributions import Distribution, Values
from dovetail.studies.places import change

Change = Literal["set", "add", "multiply"]


@named_parameters
@dataclass(frozen=True)
class Varied:
    """A named value: how it is distributed, and the places of the scene document it changes.

    `to` are places such as "bodies.crate.velocity[0]" (default: the name is the place), and
    `change` says whether the value replaces what is there, is added to it or multiplies it.
    """

    over: Distribution
    to: str | tuple[str, ...] = ()
    change: Change = "set"

    def __post_init__(self) -> None:
        if self.change not in ("set", "add", "multiply"):
            raise InputError(
                f"`change` of a varied value must be set, add or multiply, got {quote(self.change)}"
            )

    @property
    def places(self) -> tuple[str, ...]:
        return (self.to,) if isinstance(self.to, str) else tuple(self.to)


def varied_by_name(vary: Any) -> dict[str, Varied]:
    """What the user varies, by name; a list means these values, a distribution means itself."""
    if not isinstance(vary, Mapping) or not vary:
        raise InputError(
            "`vary` must name at least one value and what it is drawn from, such as "
            f"{{'bodies.crate.mass': dt.studies.Uniform(1, 2)}}, got {quote(vary)}"
        )
    found = {}
    for name, over in vary.items():
        if not isinstance(name, str):
            raise InputError(f"a name in `vary` must be text, got {quote(name)}")
        if isinstance(over, list | np.ndarray):
            over = Values(over)
        if not isinstance(over, Varied):
            if not hasattr(over, "at"):
                raise InputError(
                    f"`vary` of {quote(name)} must be a list of values or a distribution such as "
                    f"dt.studies.Uniform(1, 2), got {quote(over)}"
                )
            over = Varied(over)
        found[name] = over
    return found


def with_values(document: Any, vary: Mapping[str, Varied], values: Mapping[str, Any]) -> Any:
    """A copy of a scene document with the values of one run in it."""
    for name, varied in vary.items():
        for place in varied.places or (name,):
            document = change(document, place, _changed(varied.change, values[name], place))
    return document


def _changed(how: Change, value: Any, place: str) -> Any:
    """A function of the value at `place` that gives its new value."""

    def changed(old: Any) -> Any:
        if how == "set":
            return value
        if not is_number(old) or not is_number(value):
            raise InputError(
                f"`{place}` must be a number for {how!r}, got {quote(old)} and {quote(value)}"
            )
        return old + value if how == "add" else old * value

    return changed
