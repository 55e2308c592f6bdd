"""The scheme of a run that names none."""

from dovetail.contact.law import ContactMethod
from dovetail.errors import InputError
from dovetail.integrators.interface import Integrator
from dovetail.integrators.joint_coordinates.scheme import JointCoordinates
from dovetail.integrators.rattlie import RATTLie, is_damped, what_is_not_smooth
from dovetail.integrators.registry import SCHEMES
from dovetail.model.frozen import Model
from dovetail.multibody.constraints.actuation_rows import needs_joint_coordinates


def default_for(contact: ContactMethod | None, model: Model) -> Integrator:
    """The scheme that fits the contact method and the joints.

    Mechanisms run under RATTLie, of order 4 where the motion is smooth and undamped: only a step
    that goes forward takes stiff dampers with the forces that they balance. Those with limits,
    springs and motors that only joint coordinates can have run in these. All else gets the first
    of the package's own schemes that takes it.
    """
    if model.joints and (contact is None or contact.kind in RATTLie.takes):
        if needs_joint_coordinates(model):
            return JointCoordinates()
        smooth = not what_is_not_smooth(model, contact) and not is_damped(model)
        return RATTLie(order=4 if smooth else 2)
    for name in SCHEMES.own_names():
        scheme = SCHEMES.get(name)
        takes_contact = contact is None or contact.kind in scheme.takes
        if takes_contact and (scheme.takes_joints or not model.joints):
            integrator: Integrator = scheme()
            return integrator
    parts = [f"contact method {contact.name!r} ({contact.kind} law)"] if contact else []
    parts += ["joints"] if model.joints else []
    raise InputError(
        f"no integrator of this version takes {' and '.join(parts)} (known: {', '.join(SCHEMES)})"
    )
