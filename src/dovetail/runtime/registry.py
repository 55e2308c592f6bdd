"""Things found by name: those of the package, and those that other packages add.

A package outside dovetail adds a joint type, a shape, a law, ... through an entry point of the
group that the registry names. In its pyproject.toml:

    [project.entry-points."dovetail.joints"]
    pin-in-slot = "my_joints:PinInSlot"

or, in a script, `dt.extend.register("joints", "pin-in-slot", PinInSlot)`. Entry points are loaded
when their name is requested, never before.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from dovetail.errors import InputError


class Registry:
    """Named extensions of one kind.

    Args:
        kind: what one entry is, for messages: "joint type".
        group: the entry point group that adds entries: "dovetail.joints".
        built_in: name -> the object itself, or "module:attribute" to be imported at first use.
        mistakes: what is wrong with an object that shall be an entry, as sentences; [] if nothing.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        built_in: Mapping[str, Any],
        mistakes: Callable[[Any], list[str]] = lambda entry: [],
    ) -> None:
        self.kind, self.group = kind, group
        self._entries: dict[str, Any] = dict(built_in)
        self._built_in = frozenset(built_in)
        self._mistakes = mistakes

    def names(self) -> list[str]:
        """All names: those of the package first, then those added, each in its order."""
        return [*self._entries, *(name for name in self._offered() if name not in self._entries)]

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._offered()

    def register(self, name: str, entry: Any) -> None:
        """Add `entry` under `name`, which no entry of the package may have already."""
        if name in self._built_in:
            raise InputError(f"{self.kind} {name!r} is one of the package's own; choose a new name")
        self._entries[name] = self._checked(name, entry)

    def get(self, name: str) -> Any:
        """The entry of that name; an InputError names the known ones where there is none."""
        if name not in self._entries:
            offered = self._offered()
            if name not in offered:
                raise InputError(self._unknown(name))
            self._entries[name] = self._checked(name, _loaded(self.kind, offered[name]))
        entry = self._entries[name]
        if isinstance(entry, str):
            module, _, attribute = entry.partition(":")
            entry = self._entries[name] = getattr(import_module(module), attribute)
        return entry

    def _offered(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=self.group)}

    def _checked(self, name: str, entry: Any) -> Any:
        mistakes = self._mistakes(entry)
        if mistakes:
            raise InputError([f"{self.kind} {name!r}: {mistake}" for mistake in mistakes])
        return entry

    def _unknown(self, name: str) -> str:
        near = get_close_matches(str(name), self.names(), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return f"there is no {self.kind} {name!r} (known: {', '.join(self.names())}){hint}"


def _loaded(kind: str, point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:
        raise InputError(
            f"{kind} {point.name!r}: the entry point {point.value!r} cannot be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error
