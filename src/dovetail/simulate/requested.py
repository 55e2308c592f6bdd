"""The methods a scene file requests, unless another is named."""

from dovetail import contact, integrators
from dovetail.contact.law import ContactMethod
from dovetail.io.run_settings import RunSettings


def requested_contact(run: RunSettings, name: str | None = None) -> ContactMethod | None:
    """The contact method `name`, or the file's own; the file's options go with its own method."""
    in_file = run.contact
    if name is None:
        return contact.named(in_file.name, in_file.options) if in_file else None
    options = in_file.options if in_file is not None and in_file.name == name else {}
    return contact.named(name, options)


def requested_integrator(
    run: RunSettings, name: str | None = None
) -> integrators.Integrator | None:
    """The integrator `name`, or the file's own; None for the default."""
    in_file = run.integrator
    if name is None:
        return integrators.named(in_file.name, in_file.options) if in_file else None
    return integrators.named(name, {})
