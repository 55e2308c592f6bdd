"""The scheme of a run that names none."""

from dovetail.contact.law import ContactMethod
from dovetail.errors import InputError
from dovetail.integrators.compliant_euler.scheme import CompliantEuler
from dovetail.integrators.interface import Integrator
from dovetail.integrators.joint_coordinates.scheme import JointCoordinates
from dovetail.integrators.registry import SCHEMES
from dovetail.model.frozen import Model

MAX_BODIES_DENSE = 60  # joint coordinates cost n^3 a step, RATTLie n


def default_for(contact: ContactMethod | None, model: Model) -> Integrator:
    """The first of the package's own schemes that takes the contact method and the joints.

    Mechanisms run in joint coordinates, large ones (more than 60 bodies) under RATTLie.
    """
    if CompliantEuler.suits(contact, model):
        return CompliantEuler()
    schemes = [SCHEMES.get(name) for name in SCHEMES.own_names()]
    if model.n_bodies > MAX_BODIES_DENSE:
        schemes.remove(JointCoordinates)
    for scheme in schemes:
        takes_contact = contact is None or contact.kind in scheme.takes
        if takes_contact and (scheme.takes_joints or not model.joints):
            integrator: Integrator = scheme()
            return integrator
    parts = [f"contact method {contact.name!r} ({contact.kind} law)"] if contact else []
    parts += ["joints"] if model.joints else []
    raise InputError(
        f"no integrator of this version takes {' and '.join(parts)} (known: {', '.join(SCHEMES)})"
    )
