"""Messages for names that a scene does not have, and for values not given by name."""

from collections.abc import Iterable, Mapping
from typing import Any

from dovetail.errors import InputError
from dovetail.model.body import Body
from dovetail.model.values import GROUND_NAME, quote
from dovetail.runtime.registry import did_you_mean

WORLD_NAMES = ("world", "earth", "origin", "fixed", "base", "none", "map", "universe")
"""What others call the ground."""


def unknown_body(who: str, name: Any, bodies: Iterable[str], ground_allowed: bool) -> str:
    """The sentence for a body that is not in the scene."""
    known = sorted(bodies)
    hint = ""
    if isinstance(name, Body):
        hint = f"; give its name, {quote(name.name)}"
    elif ground_allowed and (
        name is None or (isinstance(name, str) and name.lower() in WORLD_NAMES)
    ):
        hint = f"; the world is {quote(GROUND_NAME)}"
    elif isinstance(name, str):
        hint = did_you_mean(name, known)
    has = ", ".join(known[:8]) or "none yet"
    return f"{who} names body {quote(name)}, which is not in the scene (it has: {has}){hint}"


def by_joint(values: Any, what: str) -> dict[str, Any]:
    """{joint: value} as given; raises InputError for a list and the like."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise InputError(
            f"`{what}` must be a mapping of joints and their values, such as {{'elbow': 0.5}}, got "
            f"{quote(values)}"
        )
    return dict(values)
