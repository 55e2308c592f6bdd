"""Pydantic's findings as sentences: which field, what must hold in which unit, what came."""

import difflib
from collections.abc import Iterable
from typing import Any, get_args

from pydantic import ValidationError

from dovetail.io.limits import LARGEST_NUMBER
from dovetail.io.scene_file.reading.elsewhere import OTHER_WORDS, where_instead
from dovetail.io.scene_file.schema.joints import JointEntry
from dovetail.io.scene_file.schema.run import RunEntry
from dovetail.io.scene_file.schema.scene import UnitsEntry
from dovetail.io.scene_file.schema.values import BRANCH, BRANCHES, Entry, dimension_of
from dovetail.io.scene_file.units import Dimension, Units
from dovetail.model.joints import JOINTS
from dovetail.model.shapes.registry import SHAPES
from dovetail.model.values import quote

LONGEST_KEY = 60
MAPPING = {"model_type", "model_attributes_type", "dict_type"}


def sentences(error: ValidationError, entry: type[Entry] | None, units: Units) -> list[str]:
    """One sentence for each finding, without the place of the entry itself."""
    found = error.errors(include_url=False, include_context=True, include_input=True)
    return list(dict.fromkeys(_sentence(one, entry, units) for one in found))


def _sentence(one: Any, entry: type[Entry] | None, units: Units) -> str:
    steps, kind = one["loc"], one["type"]
    owner, dimension = _follow(steps, entry)
    path = field_path(step for step in steps if not _is_branch(step))
    if kind == "missing":
        return "needs `version: 1`" if path == "version" else f"needs `{path}`"
    if kind == "extra_forbidden" and "run" in _keys(owner) and steps[-1] in RunEntry.model_fields:
        return f"`{path}` is not a key here; it belongs under `run`: `run: {{{path}: ...}}`"
    if kind == "extra_forbidden" and steps[-1] in SHAPES and set(_keys(owner)) & set(SHAPES):
        return f"`{path}` is a second shape; give one, or both as `compound: [...]`"
    if kind == "extra_forbidden":
        word = str(steps[-1])
        hint = where_instead(word, owner) or nearest(word, _keys(owner))
        return f"`{path}` is not a key here; {hint}"
    if kind == "literal_error" and owner and issubclass(owner, JointEntry) and path == "type":
        one = one | {"ctx": {"expected": ", ".join(JOINTS.names())}}
    unit = units.name(dimension) if dimension is not None else ""
    must = _must(kind, one, unit)
    got = "" if kind == "empty" else f", got {quote(one['input'])}"
    return f"`{path}` {must}{got}" if path else f"{must}{got}"


def _must(kind: str, one: Any, unit: str) -> str:
    """What must hold, by pydantic's name of the finding."""
    context = one.get("ctx", {})
    in_unit, bare = (f" in {unit}", f" {unit}") if unit else ("", "")
    if kind in ("float_type", "finite_number"):
        return f"must be a finite number{in_unit}"
    if kind in ("int_type", "int_from_float"):
        return "must be a whole number"
    if kind in ("greater_than", "greater_than_equal", "less_than", "less_than_equal"):
        sign, key = {
            "greater_than": (">", "gt"),
            "greater_than_equal": (">=", "ge"),
            "less_than": ("<", "lt"),
            "less_than_equal": ("<=", "le"),
        }[kind]
        limit = context[key]
        if abs(limit) == LARGEST_NUMBER:
            return f"must be a number of size at most {LARGEST_NUMBER:g}{bare}"
        return f"must be {sign} {limit:g}{bare}"
    if kind in ("too_short", "too_long"):
        return _count(context, in_unit)
    if kind == "string_type":
        hint = " (put it in quotes)" if isinstance(one["input"], int | float) else ""
        return f"must be text{hint}"
    if kind in ("string_too_short", "string_too_long"):
        longest = context.get("max_length")
        return f"must have at most {longest} characters" if longest else "must not be empty"
    if kind == "literal_error":
        return f"must be {context['expected']}{_meant(one['input'], context['expected'])}"
    if kind == "string_pattern_mismatch":
        return "must be three of the letters xyz, or three of XYZ"
    if kind == "bool_type":
        return "must be true or false"
    if kind == "list_type":
        return "must be a list"
    if kind in MAPPING and one["loc"][-1:] == ("units",):
        keys = ", ".join(UnitsEntry.model_fields)
        return f"must be a mapping such as {{length: mm}} (keys: {keys})"
    if kind in MAPPING:
        return "must be a mapping of keys and values"
    if kind == "shape" and isinstance(one["input"], dict):
        near = [closest(str(key), SHAPES.names()) for key in one["input"]]
        hint = next((f" (did you mean {name}?)" for name in near if name), "")
        return f"{one['msg']}{hint}"
    return str(one["msg"])


def _count(context: Any, in_unit: str) -> str:
    """How many entries: those of vectors and pairs are exact, longer lists have bounds."""
    least, most = context.get("min_length"), context.get("max_length")
    if least == 1:
        return "must have at least 1 entry"
    if most is not None and most > 4:
        return f"must have at most {most} entries"
    return f"must have {least or most} entries{in_unit}"


def nearest(key: str, known: Iterable[str]) -> str:
    """A hint for an unknown key: the one it resembles, or all there are."""
    known = list(known)
    close = closest(key, known)
    return f"did you mean `{close}`?" if close else f"known keys: {', '.join(known)}"


def closest(word: str, options: Iterable[str], alike: float = 0.6) -> str | None:
    """The option that `word` resembles most, if by at least `alike` (0 to 1)."""
    close = difflib.get_close_matches(word.lower()[:100], list(options), n=1, cutoff=alike)
    return close[0] if close else None


def _meant(value: Any, expected: str) -> str:
    if not isinstance(value, str):
        return ""
    options = [word.strip(" '") for word in expected.replace(" or ", ", ").split(",")]
    same = OTHER_WORDS.get(value.lower(), "")
    close = same if same in options else closest(value, options)
    return f" (did you mean {close}?)" if close and close != value else ""


def field_path(steps: Iterable[Any]) -> str:
    """Such as `shape.compound[2].box`."""
    path = ""
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else f".{_key(step)}" if path else _key(step)
    return path


def _key(key: str) -> str:
    """A key as the file has it, or escaped and cut where that would spoil the message."""
    if key and key.isprintable() and len(key) <= LONGEST_KEY:
        return key
    return quote(key[:LONGEST_KEY])


def _is_branch(step: Any) -> bool:
    return isinstance(step, str) and step.startswith(BRANCH)


def _follow(
    steps: tuple[Any, ...], entry: type[Entry] | None
) -> tuple[type[Entry] | None, Dimension | None]:
    """The entry that holds the field at the end of `steps`, and that field's dimension."""
    dimension = None
    for number, step in enumerate(steps):
        if _is_branch(step):
            entry = BRANCHES.get(step, entry)
        elif isinstance(step, str) and entry is not None and step in entry.model_fields:
            field = entry.model_fields[step]
            dimension = dimension_of(field)
            inner = _entry_in(field.annotation)
            if inner is not None and number < len(steps) - 1:
                entry = inner
    return entry, dimension


def _entry_in(annotation: Any) -> type[Entry] | None:
    """The one entry an annotation such as `list[Part] | None` is about."""
    if isinstance(annotation, type) and issubclass(annotation, Entry):
        return annotation
    inside = {_entry_in(part) for part in get_args(annotation)} - {None}
    return inside.pop() if len(inside) == 1 else None


def _keys(entry: type[Entry] | None) -> list[str]:
    return list(entry.model_fields) if entry is not None else []
