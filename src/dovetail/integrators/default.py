"""The scheme of a run that names none."""

from dovetail.contact.law import ContactMethod
from dovetail.errors import InputError
from dovetail.integrators.interface import Integrator
from dovetail.integrators.registry import SCHEMES
from dovetail.model.frozen import Model

MAX_BODIES_DENSE = 60  # joint coordinates cost n^3 a step, RATTLie n

FREE, JOINTED, LARGE = 0, 1, 2  # no joints; joints; joints and more bodies than MAX_BODIES_DENSE
DEFAULTS = {  # kind of contact law -> the scheme for free bodies, mechanisms, large mechanisms
    None: ("LieVerlet", "JointCoordinates", "RATTLie"),
    "force": ("LieVerlet", "JointCoordinates", "RATTLie"),
    "impulse": ("StewartTrinkle", "StewartTrinkle", "StewartTrinkle"),
    "potential": ("ImplicitEuler", "ImplicitEuler", "ImplicitEuler"),
}


def default_for(contact: ContactMethod | None, model: Model) -> Integrator:
    """One of the package's own schemes that takes the contact method and the joints.

    Mechanisms run in joint coordinates, large ones (more than 60 bodies) under RATTLie.
    """
    kind = None if contact is None else contact.kind
    size = LARGE if model.n_bodies > MAX_BODIES_DENSE else JOINTED
    if contact is not None and kind not in DEFAULTS:
        raise InputError(
            f"no integrator of this version takes contact method {contact.name!r} ({kind} law) "
            f"(known: {', '.join(SCHEMES)})"
        )
    integrator: Integrator = SCHEMES.get(DEFAULTS[kind][size if model.joints else FREE])()
    return integrator
