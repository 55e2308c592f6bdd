"""Things found by name: those of the package, and those that other packages add.

A package outside dovetail adds a joint type, a shape, a law, ... through an entry point of the
group that the registry names. In its pyproject.toml:

    [project.entry-points."dovetail.joints"]
    pin-in-slot = "my_joints:PinInSlot"

or, in a script, `dt.extend.register("joints", "pin-in-slot", PinInSlot)`. Entry points are loaded
when their name is requested, never before.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from dovetail.errors import DovetailError, InputError

LONGEST = 80  # characters of a value in a message


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

    def own_names(self) -> list[str]:
        """Names of the package's own entries."""
        return [name for name in self._entries if name in self._built_in]

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._offered()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    def __getitem__(self, name: str) -> Any:
        return self.get(name)

    def keys(self) -> list[str]:
        return self.names()

    def values(self) -> list[Any]:
        return [self.get(name) for name in self.names()]

    def items(self) -> list[tuple[str, Any]]:
        return [(name, self.get(name)) for name in self.names()]

    def register(self, name: str, entry: Any) -> None:
        """Add `entry` under `name`, which no entry of the package may have already."""
        if name in self._built_in:
            raise InputError(
                f"{self.kind} {quoted(name)} is one of the package's own; choose a new name"
            )
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

    def make(self, name: str, options: Mapping[str, Any]) -> Any:
        """An object of the class of that name, made with `options`.

        Raises:
            InputError: no such name, an option that the class does not take, or one it refuses.
        """
        entry = self.get(name)
        mistakes = option_mistakes(f"{self.kind} {quoted(name)}", entry, options)
        mistakes += [
            f"{self.kind} {quoted(name)} needs its option {quoted(option)}"
            for option in needed_options(entry)
            if option not in options
        ]
        if mistakes:
            raise InputError(mistakes)
        try:
            return entry(**options)
        except DovetailError:
            raise
        except Exception as error:
            raise InputError(
                f"{self.kind} {quoted(name)} refuses its options: {type(error).__name__}: {error}"
            ) from error

    def resolve(self, value: Any) -> Any:
        """The object that `value` is, or that a name or {name: {options}} stands for."""
        if isinstance(value, str):
            return self.make(value, {})
        if isinstance(value, Mapping):
            if len(value) != 1:
                raise InputError(
                    f"a {self.kind} must be given as {{name: {{options}}}} with one name, got "
                    f"{len(value)}"
                )
            ((name, options),) = value.items()
            if options is not None and not isinstance(options, Mapping):
                raise InputError(
                    f"options of {self.kind} {quoted(name)} must be a mapping, got "
                    f"{quoted(options)}"
                )
            return self.make(name, options or {})
        mistakes = self._mistakes(value)
        if mistakes:
            raise InputError([f"{self.kind} {quoted(value)}: {mistake}" for mistake in mistakes])
        return value

    def name_of(self, entry: Any) -> str | None:
        """The name under which `entry` is known; None where it is not."""
        place = f"{getattr(entry, '__module__', '')}:{getattr(entry, '__qualname__', '')}"
        for name, known in self._entries.items():
            if known is entry or known == place:
                return name
        return next((p.name for p in self._offered().values() if p.value == place), None)

    def _offered(self) -> dict[str, EntryPoint]:
        return _offered(self.group, _search_path())

    def _checked(self, name: str, entry: Any) -> Any:
        mistakes = self._mistakes(entry)
        if mistakes:
            raise InputError([f"{self.kind} {quoted(name)}: {mistake}" for mistake in mistakes])
        return entry

    def _unknown(self, name: str) -> str:
        known = self.names()
        return (
            f"there is no {self.kind} {quoted(name)} (known: {', '.join(known) or 'none'})"
            f"{did_you_mean(name, known) or self._how_to_add()}"
        )

    def _how_to_add(self) -> str:
        return (
            f"; one of your own is registered by a Python file (`--extension FILE.py`) or is an "
            f"entry point {self.group!r} of an installed package"
        )


@lru_cache(maxsize=64)
def _offered(group: str, path: tuple[tuple[str, int], ...]) -> dict[str, EntryPoint]:
    """Entry points of `group` in the packages of `path`; finding them reads a file of each."""
    return {point.name: point for point in entry_points(group=group)}


def _search_path() -> tuple[tuple[str, int], ...]:
    """Where packages are, with the time [ns] at which one was last added or removed there."""
    return tuple((place, _changed(place)) for place in sys.path)


def _changed(place: str) -> int:
    try:
        return Path(place).stat().st_mtime_ns
    except OSError:
        return 0


def quoted(value: object) -> str:
    """A value in a message, shortened where it is long."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The end of a sentence that names the known word nearest to `name`, "" if none is near."""
    near = get_close_matches(str(name), list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def option_mistakes(
    who: str, function: Callable[..., Any], options: Iterable[str], leading: int = 0
) -> list[str]:
    """A sentence for each of `options` that `function` has no parameter for.

    The first `leading` parameters are no options.
    """
    try:
        parameters = list(signature(function).parameters.values())[leading:]
    except (TypeError, ValueError):  # one written in C may not say
        return []
    if any(parameter.kind == Parameter.VAR_KEYWORD for parameter in parameters):
        return []
    known = [p.name for p in parameters if p.kind != Parameter.POSITIONAL_ONLY]
    return [
        f"{who} has no option {quoted(option)} (options: {', '.join(known) or 'none'})"
        f"{did_you_mean(option, known)}"
        for option in options
        if option not in known
    ]


def needed_options(function: Callable[..., Any]) -> list[str]:
    """The parameters of `function` that have no default."""
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    several = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    return [p.name for p in parameters if p.default is Parameter.empty and p.kind not in several]


def missing_parts(entry: Any, parts: Iterable[str]) -> list[str]:
    """A sentence where `entry` lacks one of the attributes or methods `parts`."""
    missing = [part for part in parts if not hasattr(entry, part)]
    return [f"must have {', '.join(f'`{part}`' for part in missing)}"] if missing else []


def _loaded(kind: str, point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:
        raise InputError(
            f"{kind} {point.name!r}: the entry point {point.value!r} cannot be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error
