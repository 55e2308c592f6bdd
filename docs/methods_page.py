"""What this version can run: its integrators and contact methods, from their registries."""

from dovetail import contact, integrators


def integrators_table() -> str:
    """Each scheme with its order and what it takes."""
    rows = [
        f"| `{name}` | {scheme.order} | {'yes' if scheme.takes_joints else 'no'} "
        f"| {', '.join(sorted(scheme.takes)) or 'none'} |"
        for name, scheme in integrators.SCHEMES.items()
    ]
    head = "| integrator | order | joints | contact laws it takes |\n|---|---|---|---|"
    return "\n".join([head, *rows])


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
