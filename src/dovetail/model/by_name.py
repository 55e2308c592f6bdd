"""Entries by name: an unknown name is answered with the one that was probably meant."""

from collections.abc import Iterable
from typing import Any, TypeVar

from dovetail.errors import InputError
from dovetail.model.values import quote
from dovetail.runtime.registry import did_you_mean

V = TypeVar("V")
SHOWN = 12


class UnknownNameError(InputError, KeyError):
    """A name that nothing has."""

    def __str__(self) -> str:
        return "\n".join(self.mistakes)


class UnknownAttributeError(InputError, AttributeError):
    """Something is set that does not exist or cannot be set."""


class ByName(dict[str, V]):
    """A dictionary whose missing keys are an InputError, and a KeyError as of any dictionary."""

    def __init__(self, kind: str, entries: Any = ()) -> None:
        super().__init__(entries)
        self.kind = kind

    def __reduce__(self) -> Any:
        return ByName, (self.kind, dict(self))

    def __missing__(self, name: Any) -> V:
        known = list(self)
        listed = ", ".join(known[:SHOWN]) + (", ..." if len(known) > SHOWN else "")
        raise UnknownNameError(
            f"there is no {self.kind} {quote(name)}{did_you_mean(name, known)}; there is: "
            f"{listed or 'none'}"
        )


def refuse_unknown_attribute(owner: Any, name: str, settable: Iterable[str], how: str) -> None:
    """Raise for an attribute that nothing reads; `how` says how a read-only one is given."""
    settable = list(settable)
    if name.startswith("_") or name in settable:
        return
    kind = type(owner).__name__
    if hasattr(type(owner), name):
        raise UnknownAttributeError(f"`{name}` of a {kind} cannot be set; {how}")
    known = [one for one in dir(type(owner)) if not one.startswith("_")]
    raise UnknownAttributeError(
        f"a {kind} has no {quote(name)} to set{did_you_mean(name, [*settable, *known])}; {how}"
    )
