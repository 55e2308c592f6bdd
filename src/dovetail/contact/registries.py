"""Contact methods by name: the package's own and those that others add."""

from typing import Any

from dovetail.runtime.registry import Registry, missing_parts

KINDS = ("force", "potential", "impulse")


def method_mistakes(method: Any) -> list[str]:
    """What keeps an object or class from being a contact method."""
    found = missing_parts(method, ("name", "kind", "prepare"))
    kind = getattr(method, "kind", None)
    if not found and kind not in KINDS:
        found.append(f"`kind` must be one of {', '.join(KINDS)}, got {kind!r}")
    return found


METHODS = Registry(
    "contact method",
    "dovetail.contact_methods",
    {
        "ipc": "dovetail.contact.ipc.method:IPC",
        "sdf": "dovetail.contact.penalty.method:SDF",
        "lcp": "dovetail.contact.impulse.method:LCP",
    },
    method_mistakes,
)
