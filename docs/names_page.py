"""For each API page the names it describes, with the first sentence of their docstrings."""

import importlib
import inspect
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import dovetail

API = Path(__file__).parent / "reference" / "api"
ENTRY = re.compile(
    r"^::: (\S+)(?:\n(?:    .*\n)*?    .*members: \[(?P<members>[^\]]*)\])?", re.MULTILINE
)


def _found(path: str) -> Any:
    """The module or object at a dotted path."""
    parts = path.split(".")
    for split in range(len(parts), 0, -1):
        try:
            one: Any = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for name in parts[split:]:
            one = getattr(one, name)
        return one
    raise LookupError(path)


def _summary(one: Any) -> str:
    text = inspect.getdoc(one) or ""
    first = " ".join(text.partition("\n\n")[0].split())
    return first.replace("|", "\\|")


def names_table(page: Path) -> str:
    """| name | what it is |, in the order of the page."""
    rows = []
    for entry in ENTRY.finditer(page.read_text(encoding="utf-8")):
        members = [m.strip() for m in (entry["members"] or "").split(",") if m.strip()]
        for path in [f"{entry[1]}.{member}" for member in members] or [entry[1]]:
            name = path.rpartition(".")[2]
            shown = f"dt.{name}" if name in dovetail.__all__ else path
            rows.append(f"| `{shown}` | {_summary(_found(path))} |")
    return "\n".join(["| name | what it is |\n|---|---|", *rows])


def names_parts() -> dict[str, Callable[[], str]]:
    """By mark: 'names of scene' is the table of reference/api/scene.md."""
    return {f"names of {page.stem}": partial(names_table, page) for page in API.glob("*.md")}
