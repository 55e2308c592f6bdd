"""The methods a scene file asks for, unless another is named."""

from dovetail import contact, integrators
from dovetail.contact.law import ContactMethod
from dovetail.io.run_settings import RunSettings


def requested_contact(run: RunSettings, name: str | None = None) -> ContactMethod | None:
    """The contact method `name`, or the file's own; the file's options go with its own method."""
    given = run.contact
    if name is None:
        return contact.named(given.name, given.options) if given else None
    options = given.options if given is not None and given.name == name else {}
    return contact.named(name, options)


def requested_integrator(
    run: RunSettings, name: str | None = None
) -> integrators.Integrator | None:
    """The integrator `name`, or the file's own; None for the default."""
    given = run.integrator
    if name is None:
        return integrators.named(given.name, given.options) if given else None
    return integrators.named(name, {})
