"""Places in a scene document, written as a path: `bodies.crate.velocity[0]`, `run.step`.

Bodies, joints and loads are found by name (`bodies.crate`), entries of lists by number from 0
(`materials[0].friction`), all of them by `*` (`bodies.*.density`). A name with dots or brackets
goes in quotes: `bodies."upper arm v1.2".mass`.
"""

import re
from collections.abc import Callable
from typing import Any

from dovetail.errors import InputError
from dovetail.model.values import quote

PART = re.compile(r'\.?(?:"([^"]*)"|\[(\d+|\*)\]|([^.\[\]"]+))')
ZERO_UNLESS_GIVEN = ("position", "velocity", "angular_velocity", "gravity", "force", "torque")
Step = str | int


def change(document: Any, place: str, changed: Callable[[Any], Any]) -> Any:
    """A copy of `document` in which the value at `place` became `changed(it)`.

    A key that is not there yet is added with `changed(None)`; vectors that are zero unless given
    count as there. Only what lies on the path to it is copied.
    """
    return _change(document, steps_of(place), changed, place)


def steps_of(place: str) -> list[Step]:
    """The keys and numbers a path is made of."""
    steps: list[Step] = []
    at = 0
    while at < len(place):
        part = PART.match(place, at)
        if part is None or (at == 0 and place.startswith(".")):
            raise InputError(
                f"`{place}` must be a path such as bodies.crate.velocity[0], it cannot be read "
                f"from {quote(place[at:])} on"
            )
        quoted, number, word = part.groups()
        steps.append(quoted if quoted is not None else int(number) if _digits(number) else "*"
                     if number else word)  # fmt: skip
        at = part.end()
    if not steps:
        raise InputError("a place in the scene must not be empty")
    return steps


def _digits(number: str | None) -> bool:
    return number is not None and number != "*"


def _change(node: Any, steps: list[Step], changed: Callable[[Any], Any], place: str) -> Any:
    if not steps:
        return changed(node)
    step, rest = steps[0], steps[1:]
    if isinstance(node, list):
        rows = list(node)
        for index in _indices(rows, step, place):
            rows[index] = _change(rows[index], rest, changed, place)
        return rows
    if isinstance(node, dict) and isinstance(step, str):
        if step not in node and rest:
            if step not in ZERO_UNLESS_GIVEN:
                known = ", ".join(map(str, list(node)[:20]))
                raise InputError(
                    f"`{place}`: there is no {quote(step)} in the scene at that place; "
                    f"there are: {known}"
                )
            node = {**node, step: [0.0, 0.0, 0.0]}
        return {**node, step: _change(node.get(step), rest, changed, place)}
    raise InputError(f"`{place}`: {quote(step)} must be in a list or mapping, got {quote(node)}")


def _indices(rows: list[Any], step: Step, place: str) -> list[int]:
    if step == "*":
        return list(range(len(rows)))
    if isinstance(step, str) and step.isdigit() and not _named(rows, step):
        step = int(step)
    if isinstance(step, int):
        if step >= len(rows):
            raise InputError(
                f"`{place}`: entry {step} must be below {len(rows)}, as many there are"
            )
        return [step]
    found = _named(rows, step)
    if not found:
        names = [str(row["name"]) for row in rows if isinstance(row, dict) and "name" in row]
        raise InputError(
            f"`{place}`: there is no {quote(step)} in the scene; there are: "
            + (", ".join(names[:20]) or "entries without names, use a number such as [0]")
        )
    return found


def _named(rows: list[Any], name: str) -> list[int]:
    return [i for i, row in enumerate(rows) if isinstance(row, dict) and row.get("name") == name]
