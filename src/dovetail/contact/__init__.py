"""Contact methods and the three kinds of law: force, potential, impulse."""

from typing import Any

from dovetail.contact.impulse.method import LCP
from dovetail.contact.ipc.method import IPC
from dovetail.contact.law import ContactMethod
from dovetail.contact.penalty.law import PenetrationWarning
from dovetail.contact.penalty.method import SDF
from dovetail.contact.penalty.stiffness import hertz_stiffness
from dovetail.errors import InputError

__all__ = [
    "IPC", "LCP", "METHODS", "SDF", "ContactMethod", "PenetrationWarning", "hertz_stiffness",
    "named",
]  # fmt: skip

# by the name scene files use
METHODS: dict[str, type[ContactMethod]] = {"ipc": IPC, "sdf": SDF, "lcp": LCP}


def named(name: str, options: dict[str, Any]) -> ContactMethod | None:
    """The contact method a scene file or the command line asks for; None for 'none'."""
    if name == "none":
        return None
    if name not in METHODS:
        known = ", ".join(["none", *METHODS])
        raise InputError(
            f"contact method {name!r} is not part of this version (known: {known}); "
            "`--contact none` runs the scene without contact"
        )
    try:
        return METHODS[name](**options)
    except TypeError as error:
        raise InputError(f"contact method {name!r}: {error}") from None
