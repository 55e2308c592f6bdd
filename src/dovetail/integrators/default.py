"""The scheme of a run that names none."""

from dovetail.contact.law import ContactMethod
from dovetail.errors import InputError
from dovetail.integrators.interface import Integrator
from dovetail.integrators.registry import SCHEMES
from dovetail.model.frozen import Model

DENSE = 60  # bodies; a chain of 200 coupled in pairs: 38 ms a step, 14 under RATTLie
DEFAULTS = {  # kind of contact law -> the scheme
    None: "LieVerlet",
    "force": "LieVerlet",
    "impulse": "StewartTrinkle",
    "potential": "ImplicitEuler",
}


def default_for(contact: ContactMethod | None, model: Model) -> Integrator:
    """One of the package's own schemes that takes the contact method and the joints.

    Contact by distance fields is solved for by CompliantEuler, unless it is to be resolved in time.
    Mechanisms without contact, or under contact forces, run under RATTLie, of order 4 where the
    motion is smooth and undamped: only a step that goes forward takes stiff dampers with the forces
    that they balance. Those with limits, springs and motors that only joint coordinates can have
    run in these, and without contact those with limits that give and loops, or with couplings that
    the initial pose does not fulfil, which joint coordinates close at once: up to DENSE bodies,
    since their cost is cubic.
    """
    is_compliant = getattr(contact, "is_compliant", None)
    if is_compliant is not None and is_compliant(model) and not _only_in_coordinates(model):
        return _made("CompliantEuler")
    kind = None if contact is None else contact.kind
    if contact is not None and kind not in DEFAULTS:
        raise InputError(
            f"no integrator of this version takes contact method {contact.name!r} ({kind} law) "
            f"(known: {', '.join(SCHEMES)})"
        )
    if not model.joints or kind not in (None, "force"):
        return _made(DEFAULTS[kind])
    from dovetail.integrators.rattlie import is_damped, what_is_not_smooth  # with its kernels
    from dovetail.multibody.constraints.coupling_rows import are_fulfilled

    rigid = not follows_limits_that_give(_made("RATTLie"), contact, model)
    closes = model.n_bodies <= DENSE and not are_fulfilled(model)
    if _only_in_coordinates(model) or (contact is None and (closes or rigid)):
        return _made("JointCoordinates")
    smooth = not what_is_not_smooth(model, contact) and not is_damped(model)
    return _made("RATTLie", order=4 if smooth else 2)


def _only_in_coordinates(model: Model) -> bool:
    """Whether a joint has what only joint coordinates can have."""
    from dovetail.multibody.constraints.actuation_rows import needs_joint_coordinates
    from dovetail.multibody.constraints.coupling_rows import can_be_rows

    return bool(model.joints) and (needs_joint_coordinates(model) or not can_be_rows(model))


def limits_that_give(model: Model) -> list[str]:
    """Joints whose limits have a stiffness of their own.

    JointCoordinates follows it, and RATTLie where joints form a tree.
    """
    return [
        placed.name
        for placed in model.joints
        if any(entry.limit_stiffness for entry in placed.joint.actuation)
    ]


def follows_limits_that_give(
    integrator: Integrator, contact: ContactMethod | None, model: Model
) -> bool:
    """Whether limits give under `integrator` where they have a stiffness; True without any."""
    from dovetail.integrators.variational.tree.suited import suits

    if not limits_that_give(model) or integrator.name == "JointCoordinates":
        return True
    return integrator.name == "RATTLie" and contact is None and suits(model)


def _made(name: str, **options: int) -> Integrator:
    integrator: Integrator = SCHEMES.get(name)(**options)
    return integrator
