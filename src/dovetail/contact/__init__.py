"""Contact methods and the three kinds of law: force, potential, impulse."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dovetail.contact.registries import METHODS
from dovetail.errors import InputError
from dovetail.runtime.other_names import no_such_name
from dovetail.runtime.registry import did_you_mean

if TYPE_CHECKING:
    from dovetail.contact.impulse.method import LCP
    from dovetail.contact.ipc.method import IPC
    from dovetail.contact.law import ContactMethod
    from dovetail.contact.penalty.method import SDF
    from dovetail.contact.penalty.penetration import PenetrationWarning
    from dovetail.contact.penalty.stiffness import hertz_stiffness

__all__ = [
    "IPC", "LCP", "METHODS", "SDF", "ContactMethod", "PenetrationWarning", "hertz_stiffness",
    "named",
]  # fmt: skip

_HOMES = {
    "IPC": "ipc.method",
    "LCP": "impulse.method",
    "SDF": "penalty.method",
    "ContactMethod": "law",
    "PenetrationWarning": "penalty.penetration",
    "hertz_stiffness": "penalty.stiffness",
}


def named(name: str, options: dict[str, Any]) -> "ContactMethod | None":
    """The contact method a scene file or the command line asks for; None for 'none'."""
    if name == "none":
        return None
    if name not in METHODS:
        known = ["none", *METHODS]
        near = did_you_mean(name.lower() if isinstance(name, str) else name, known)
        raise InputError(
            f"contact method {name!r} is not part of this version (known: {', '.join(known)})"
            f"{near or '; none runs the scene without contact'}"
        )
    method: ContactMethod = METHODS.make(name, options)
    return method


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise no_such_name(__name__, name, __all__)
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
