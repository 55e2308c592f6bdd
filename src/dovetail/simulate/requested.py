"""The methods a scene file asks for, unless another is named."""

from dovetail import contact, integrators
from dovetail.contact.law import ContactMethod
from dovetail.io.run_settings import RunSettings


def requested_contact(run: RunSettings, name: str | None = None) -> ContactMethod | None:
    """The contact method `name`, or the file's own; the file's options go with its own method."""
    asked = run.contact
    if name is None:
        return contact.named(asked.name, asked.options) if asked else None
    options = asked.options if asked is not None and asked.name == name else {}
    return contact.named(name, options)


def requested_integrator(
    run: RunSettings, name: str | None = None
) -> integrators.Integrator | None:
    """The integrator `name`, or the file's own; None for the default."""
    asked = run.integrator
    if name is None:
        return integrators.named(asked.name, asked.options) if asked else None
    return integrators.named(name, {})
