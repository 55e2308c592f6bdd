"""One JSON object of a rigid-ipc scene, read key by key, and the values its keys may have."""

from collections.abc import Callable
from typing import Any, TypeVar

from dovetail.errors import InputError
from dovetail.model.values import Mistakes, number, quote

T = TypeVar("T")


class Section:
    """One JSON object whose keys are read one by one; the rest is reported afterwards."""

    def __init__(self, values: Any, where: str, found: Mistakes) -> None:
        self.where, self.found = where, found
        self.unread: list[str] = []
        self.below: list[Section] = []
        if not isinstance(values, dict):
            found.append(f"{where or 'the scene'} must be an object, got {quote(values)}")
            values = {}
        self.values: dict[str, Any] = dict(values)

    def value(self, key: str, default: Any) -> Any:
        return self.values.pop(key, default)

    def has(self, key: str) -> bool:
        return key in self.values

    def take(self, key: str, default: Any, clean: Callable[..., T], *arguments: Any) -> T | None:
        """The cleaned value, or None after noting what is wrong with it."""
        return self.found.take(clean, self.value(key, default), self.name(key), *arguments)

    def name(self, key: str) -> str:
        return f"`{key}` of {self.where}" if self.where else f"`{key}`"

    def section(self, key: str) -> "Section":
        inner = Section(self.value(key, {}), f"`{key}`", self.found)
        self.below.append(inner)
        return inner

    def leave_unread(self) -> None:
        """Remember the keys nobody asked for."""
        self.unread.extend(str(key)[:60] for key in self.values)
        for inner in self.below:
            self.unread.extend(f"{inner.where.strip('`')}.{key}"[:80] for key in inner.values)


def flag(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{what} must be true or false, got {quote(value)}")
    return value


def whole_number(value: Any, what: str) -> int:
    result = number(value, what)
    if result != int(result):
        raise InputError(f"{what} must be a whole number, got {quote(value)}")
    return int(result)
