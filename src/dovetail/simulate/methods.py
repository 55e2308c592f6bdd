"""The contact method and the integrator of a run, as objects that fit the model."""

from typing import Any

from dovetail import contact as methods
from dovetail import integrators
from dovetail.contact.law import ContactMethod
from dovetail.integrators.interface import Integrator
from dovetail.integrators.pairing import refuse_mismatch, refuse_strangers
from dovetail.model.frozen import Model


def chosen_methods(
    model: Model, contact: ContactMethod | str | None, integrator: Any
) -> tuple[ContactMethod | None, Integrator]:
    """Names become objects, None the default integrator; InputError where they do not fit."""
    if isinstance(contact, str):
        contact = methods.named(contact, {})
    if isinstance(integrator, str):
        integrator = integrators.named(integrator, {})
    refuse_strangers(contact, integrator)
    if integrator is None:
        integrator = integrators.default_for(contact, model)
    refuse_mismatch(integrator, model, contact)
    return contact, integrator
