"""JSON as plain data, refused with line and column when it is wrong, doubled or too deep."""

import json
import re
from typing import Any

from dovetail.errors import InputError
from dovetail.io.limits import DEEPEST_NESTING, MAX_KEYS, MAX_VALUES
from dovetail.model.values import quote

# Possessive, and an unclosed string runs to the end: linear time whatever the text.
TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)(?P<key>\s*+:)?|[\[{]|[\]}]|,', re.DOTALL)


class _RefusedKeysError(Exception):
    """A key stands twice in one object, or there are too many."""


def parse_json(text: str, file: str) -> Any:
    """The value of `text`; NaN and Infinity are kept, so that their field can be named later."""
    _check_nesting(text, file)
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{file}: line {error.lineno}, column {error.colno}: is not valid JSON: {error.msg}"
        ) from None
    except _RefusedKeysError:
        raise InputError(f"{file}: {_first_repeated_key(text)}") from None
    except ValueError:  # Python refuses integers of more than 4300 digits
        raise InputError(f"{file}: a number has too many digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs) or len(pairs) > MAX_KEYS:
        raise _RefusedKeysError
    return result


def _check_nesting(text: str, file: str) -> None:
    depth = values = 0
    for token in TOKEN.finditer(text):
        first = token.group()[0]
        if first in "[{":
            depth += 1
            values += 1
        elif first in "]}":
            depth -= 1
        elif first == ",":
            values += 1
        if values > MAX_VALUES:
            raise InputError(
                f"{file}: {_line(text, token.start())}: the scene holds more than {MAX_VALUES} "
                "values; put large meshes into files of their own"
            )
        if depth > DEEPEST_NESTING:
            raise InputError(
                f"{file}: {_line(text, token.start())}: lists and objects are nested deeper "
                f"than {DEEPEST_NESTING}"
            )


def _first_repeated_key(text: str) -> str:
    """Say where a key stands twice in one object; only called when there is such a place."""
    keys_of: list[dict[str, int]] = [{}]
    for token in TOKEN.finditer(text):
        first = token.group()[0]
        if first in "[{":
            keys_of.append({})
        elif first in "]}":
            keys_of.pop()
        elif token.group("key") is not None:
            key = json.loads(token.group()[: -len(token.group("key"))])
            if key in keys_of[-1]:
                before = _line(text, keys_of[-1][key])
                return (
                    f"{_line(text, token.start())}: the key {quote(key)} was given before in "
                    f"{before}"
                )
            keys_of[-1][key] = token.start()
            if len(keys_of[-1]) > MAX_KEYS:
                return f"{_line(text, token.start())}: one object has more than {MAX_KEYS} keys"
    return "a key stands twice in one object"


def _line(text: str, position: int) -> str:
    return f"line {text.count(chr(10), 0, position) + 1}"
