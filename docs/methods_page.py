"""What this version can run: its integrators and contact methods, from their registries."""

from dataclasses import fields, is_dataclass
from typing import Any

from dovetail import contact, integrators
from dovetail.integrators.variational.composition import GAMMAS


def integrators_table() -> str:
    """Each scheme with its order and what it takes."""
    rows = [
        f"| `{name}` | {_orders(scheme)} | {'yes' if scheme.takes_joints else 'no'} "
        f"| {', '.join(sorted(scheme.takes)) or 'none'} |"
        for name, scheme in integrators.SCHEMES.items()
    ]
    head = "| integrator | order | joints | contact laws it takes |\n|---|---|---|---|"
    return "\n".join([head, *rows])


def _orders(scheme: Any) -> str:
    """The order, or the orders that an option of the scheme chooses from."""
    if is_dataclass(scheme) and "order" in {field.name for field in fields(scheme)}:
        return ", ".join(map(str, GAMMAS))
    return str(scheme.order)


def contact_table() -> str:
    """Each contact method with the kind of its law."""
    rows = [f"| `{name}` | {method.kind} |" for name, method in contact.METHODS.items()]
    return "\n".join(["| contact method | kind of law |\n|---|---|", *rows])


def methods_markdown() -> str:
    """Both tables."""
    return f"{integrators_table()}\n\n{contact_table()}\n"


def methods_api() -> str:
    """mkdocstrings' mark for every registered class."""
    classes = [*integrators.SCHEMES.values(), *contact.METHODS.values()]
    return (
        "\n\n".join(
            f"::: {one.__module__}.{one.__qualname__}\n    options: {{heading_level: 3}}"
            for one in classes
        )
        + "\n"
    )
