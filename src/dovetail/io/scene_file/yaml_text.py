"""YAML as plain data: text, numbers, true/false, lists and mappings, and nothing else.

The data is built from the parser's events with a stack of our own, so neither deep nesting nor
aliases of aliases can exhaust memory, and every mistake knows its line. Plain words follow
YAML 1.2: only true and false are truth values, so a body may be named `on`, and `1e-3` is a number.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from dovetail.errors import InputError
from dovetail.io.limits import DEEPEST_NESTING, MAX_KEYS, MAX_VALUES
from dovetail.model.values import quote

NUMBER = re.compile(
    r"(?P<decimal>[-+]?[0-9]+)"
    r"|(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<other>0o[0-7]+|0x[0-9a-fA-F]+)"
)
MAX_DIGITS = 400
WORDS: dict[str, Any] = {
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_NO_KEY = object()


@dataclass(eq=False)
class _Open:
    """A list or mapping whose end has not come yet."""

    data: Any
    is_list: bool
    anchor: str | None
    line: int
    started_at: int  # values counted before it
    key: Any = _NO_KEY
    key_lines: dict[str, int] = field(default_factory=dict)


def parse_yaml(text: str, file: str) -> Any:
    """The single document of `text`; raises InputError with line and column."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Builder(file).build(yaml.parse(text, Loader=loader), yaml)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "somewhere"
        why = ", ".join(part for part in (error.context, error.problem) if part)
        raise InputError(f"{file}: {where}: is not valid YAML: {why}") from None
    except yaml.YAMLError as error:  # characters YAML does not allow
        raise InputError(f"{file}: is not valid YAML: {' '.join(str(error).split())}") from None


class _Builder:
    def __init__(self, file: str) -> None:
        self.file = file
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.values = 0
        self.documents = 0
        self.root: Any = None

    def build(self, events: Any, yaml: Any) -> Any:
        scalar, sequence, mapping = (
            yaml.ScalarEvent,
            yaml.SequenceStartEvent,
            yaml.MappingStartEvent,
        )
        for event in events:
            kind = type(event)
            if kind is scalar:
                self._scalar(event)
            elif kind is sequence:
                self._open([], event)
            elif kind is mapping:
                self._open({}, event)
            elif kind is yaml.SequenceEndEvent or kind is yaml.MappingEndEvent:
                self._close()
            elif kind is yaml.AliasEvent:
                self._alias(event)
            elif kind is yaml.DocumentStartEvent:
                self.documents += 1
                if self.documents > 1:
                    self._fail(
                        _line(event), "a second document (---) starts; a scene is one document"
                    )
        return self.root

    def _scalar(self, event: Any) -> None:
        text, plain = event.value, event.implicit[0]
        self._refuse_tag(event)
        self._count(1, event)
        value = self._word(text, event) if plain else text
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1)
        if self.stack and self.stack[-1].is_list:  # by far the most frequent
            self.stack[-1].data.append(value)
        else:
            self._put(value, _line(event), merge=plain and text == "<<")

    def _fail(self, line: int, reason: str) -> None:
        raise InputError(f"{self.file}: line {line}: {reason}")

    def _count(self, n: int, event: Any) -> None:
        self.values += n
        if self.values > MAX_VALUES:
            self._fail(
                _line(event),
                f"the scene holds more than {MAX_VALUES} values (aliases count each time); "
                "put large meshes into files of their own",
            )

    def _refuse_tag(self, event: Any) -> None:
        if event.tag is not None:
            self._fail(
                _line(event), f"the tag {quote(event.tag)} is not allowed; scenes are plain data"
            )

    def _open(self, data: Any, event: Any) -> None:
        line = _line(event)
        self._refuse_tag(event)
        if len(self.stack) >= DEEPEST_NESTING:
            self._fail(line, f"lists and mappings are nested deeper than {DEEPEST_NESTING}")
        if self.stack and not self.stack[-1].is_list and self.stack[-1].key is _NO_KEY:
            self._fail(line, "a key must be text, got a list or a mapping")
        self._count(1, event)
        self.anchors.pop(event.anchor, None)
        self.stack.append(_Open(data, isinstance(data, list), event.anchor, line, self.values - 1))

    def _close(self) -> None:
        done = self.stack.pop()
        if done.anchor is not None:
            self.anchors[done.anchor] = (done.data, self.values - done.started_at)
        self._put(done.data, done.line)

    def _alias(self, event: Any) -> None:
        anchor, line = event.anchor, _line(event)
        if any(entry.anchor == anchor for entry in self.stack):
            self._fail(line, f"the alias *{anchor} stands inside what it names")
        if anchor not in self.anchors:
            self._fail(line, f"the alias *{anchor} names nothing above it")
        value, weight = self.anchors[anchor]
        self._count(weight, event)
        self._put(value, line)

    def _put(self, value: Any, line: int, merge: bool = False) -> None:
        if not self.stack:
            self.root = value
            return
        parent = self.stack[-1]
        if parent.is_list:
            parent.data.append(value)
        elif parent.key is _NO_KEY:
            self._key(parent, value, line, merge)
        else:
            parent.data[parent.key] = value
            parent.key = _NO_KEY

    def _key(self, parent: _Open, key: Any, line: int, merge: bool) -> None:
        if merge:
            self._fail(line, "merge keys (<<) are not allowed; write the keys out")
        if not isinstance(key, str):
            self._fail(line, f"a key must be text, got {quote(key)}; put it in quotes if meant so")
        if key in parent.key_lines:
            self._fail(
                line, f"the key {quote(key)} was given before in line {parent.key_lines[key]}"
            )
        if len(parent.key_lines) >= MAX_KEYS:
            self._fail(line, f"one mapping has more than {MAX_KEYS} keys")
        parent.key_lines[key] = line
        parent.key = key

    def _word(self, text: str, event: Any) -> Any:
        """What a plain word means: null, truth value, number or text (YAML 1.2 core schema)."""
        if text in WORDS:
            return WORDS[text]
        if text[0] not in "+-.0123456789":
            return text
        if len(text) > MAX_DIGITS:
            self._fail(_line(event), f"the number {quote(text)} has too many digits")
        number = NUMBER.fullmatch(text)
        if number is None:
            return text
        if number.lastgroup == "float":
            return float(text)
        return int(text, 10 if number.lastgroup == "decimal" else 0)


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1
