"""Plain data as YAML that people like to read: short entries on one line, floats exact."""

import json
import re
from typing import Any

PLAIN = re.compile(r"[A-Za-z_](?:[\w./ -]*[\w./-])?", re.ASCII)
# Words that some YAML reader takes for a truth value or nothing.
RESERVED = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
WIDTH = 100


def yaml_text(document: dict[str, Any]) -> str:
    """A mapping of sections; a list of mappings has one line (or block) per entry."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines.append(f"{scalar(key)}:")
            for entry in value:
                lines.extend(_entry(entry))
        else:
            lines.append(f"{scalar(key)}: {flow(value)}")
    return "\n".join(lines) + "\n"


def _entry(entry: dict[str, Any]) -> list[str]:
    line = f"  - {flow(entry)}"
    if len(line) <= WIDTH:
        return [line]
    rows = [f"{scalar(key)}: {flow(value)}" for key, value in entry.items()]
    return [f"{'  - ' if i == 0 else '    '}{row}" for i, row in enumerate(rows)]


def flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(entry) for entry in value) + "]"
    return scalar(value)


def scalar(value: Any) -> str:
    """Text, number or truth value such that YAML 1.1 and 1.2 both read back the same."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if not isinstance(value, str):
        raise TypeError(f"cannot write {type(value).__name__} as YAML")
    if PLAIN.fullmatch(value) and value.lower() not in RESERVED:
        return value
    return json.dumps(value, ensure_ascii=False)


def _float(value: float) -> str:
    """The shortest text that reads back to the same double; 1e-07 as 1.0e-07 for YAML 1.1."""
    digits, mark, exponent = repr(value).partition("e")
    if not mark:
        return digits
    digits = digits if "." in digits else f"{digits}.0"
    sign = "" if exponent[0] in "+-" else "+"
    return f"{digits}e{sign}{exponent}"
