"""Names of bodies and joints, with the one that was probably meant."""

from collections.abc import Sequence
from typing import Any

from dovetail.errors import InputError
from dovetail.model.values import quote
from dovetail.runtime.registry import did_you_mean

SHOWN = 12


def number_of(name: Any, known: Sequence[str], kind: str) -> int:
    """The place of a name; raises InputError that lists the others."""
    if isinstance(name, str) and name in known:
        return known.index(name)
    listed = ", ".join(known[:SHOWN]) + (", ..." if len(known) > SHOWN else "")
    raise InputError(
        f"there is no {kind} {quote(name)} in the scene{did_you_mean(name, known)}; it has: "
        f"{listed or 'none'}"
    )
