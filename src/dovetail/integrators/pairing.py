"""Which integrator takes which contact law and model."""

from typing import Any

from dovetail.contact.checked_law import prepared
from dovetail.contact.law import ContactMethod
from dovetail.contact.registries import method_mistakes
from dovetail.errors import DovetailError, InputError, error_text
from dovetail.integrators.interface import Integrator, Stepper
from dovetail.model.frozen import Model
from dovetail.model.massless import for_contact
from dovetail.model.values import quote
from dovetail.runtime.collection import uncollected
from dovetail.runtime.registry import missing_parts

OF_INTEGRATOR = ("name", "takes", "takes_joints", "start")
OF_STEPPER = ("bodies", "step", "observe", "snapshot", "restore")


def integrator_mistakes(integrator: Any) -> list[str]:
    """What keeps an object or class from being an integrator."""
    return missing_parts(integrator, OF_INTEGRATOR)


def refuse_strangers(contact: Any, integrator: Any) -> None:
    """Raise InputError for what is no contact method or no integrator, such as its class."""
    mistakes = []
    for what, value, parts, such_as in (
        ("contact", contact, ("name", "kind", "prepare"), "dt.contact.IPC()"),
        ("integrator", integrator, ("name", "takes", "start"), "dt.integrators.LieVerlet()"),
    ):
        made = not isinstance(value, type) and all(hasattr(value, part) for part in parts)
        if value is not None and not made:
            called = ""
            if isinstance(value, type):
                called = f"; {value.__name__} is a class; call it: {value.__name__}()"
            mistakes.append(
                f"`{what}` must be None or an object such as {such_as}, got {quote(value)}{called}"
            )
    if mistakes:
        raise InputError(mistakes)
    if contact is not None:
        mistakes += [f"contact method {contact.name!r}: {m}" for m in method_mistakes(contact)]
    if integrator is not None:
        mistakes += [f"integrator {integrator.name}: {m}" for m in integrator_mistakes(integrator)]
    if mistakes:
        raise InputError(mistakes)


def _law(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} law"


def prepared_law(integrator: Integrator, model: Model, contact: ContactMethod | None) -> Any:
    """The contact law of a run, None without contact; refuses what does not fit together."""
    refuse_mismatch(integrator, model, contact)
    return None if contact is None else prepared(contact, model)


def started(integrator: Integrator, model: Model, contact: ContactMethod | None) -> Stepper:
    """The stepper of a run; raises InputError where an integrator from outside gives none."""
    try:
        with uncollected():
            stepper = integrator.start(model if contact is None else for_contact(model), contact)
    except DovetailError:
        raise
    except Exception as error:
        if type(integrator).__module__.startswith("dovetail."):
            raise
        raise InputError(f"integrator {integrator.name} failed: {error_text(error)}") from error
    mistakes = missing_parts(stepper, OF_STEPPER)
    if mistakes:
        raise InputError(
            f"what `start` of integrator {integrator.name} returns {mistakes[0]}, "
            f"got {quote(stepper)}"
        )
    if limits_with_restitution(model) or (
        contact is None and _divides_at_limits(integrator, model)
    ):
        from dovetail.integrators.shared.bouncing_limits import BouncingLimits  # with kernels

        return BouncingLimits(stepper, model)
    return stepper


def _divides_at_limits(integrator: Integrator, model: Model) -> bool:
    """Whether rigid limits take the speed of arrival by an impact that divides the step.

    In joint coordinates they are springs, which leave a seventh of it; other schemes hold a limit
    only where it is at rest (`shared.held_limits`).
    """
    rigid = integrator.name in ("LieGeneralizedAlpha", "EulerParameterDAE")
    return (rigid or integrator.name == "JointCoordinates") and any(
        (entry.lower, entry.upper) != (None, None)
        and (entry.lower != entry.upper if rigid else not entry.limit_stiffness)
        for placed in model.joints
        for entry in placed.joint.actuation
    )


def limits_with_restitution(model: Model) -> list[str]:
    """Joints whose limits have it."""
    return [
        placed.name
        for placed in model.joints
        if any(entry.limit_restitution for entry in placed.joint.actuation)
    ]


def refuse_joints(model: Model, law: str, instead: str) -> None:
    """Raise InputError where a law from outside the package meets a scene with joints."""
    if model.joints:
        names = ", ".join(quote(placed.name) for placed in model.joints[:8])
        raise InputError(
            f"{law} from outside the package moves bodies without joints only, but the "
            f"scene has joints ({names}); use {instead}"
        )


def refuse_mismatch(integrator: Integrator, model: Model, contact: ContactMethod | None) -> None:
    """Raise InputError if `integrator` cannot step this contact method or these joints."""
    mistakes = []
    if contact is not None and contact.kind not in integrator.takes:
        kinds = " or ".join(map(_law, sorted(integrator.takes))) or "no contact"
        mistakes.append(
            f"integrator {integrator.name} takes {kinds}, but contact method {contact.name!r} is "
            f"{_law(contact.kind)}; leave `integrator` out to get one that fits it"
        )
    if model.joints and not integrator.takes_joints:
        joints = ", ".join(quote(placed.name) for placed in model.joints[:8])
        mistakes.append(
            f"integrator {integrator.name} moves free bodies only, but the scene has joints "
            f"({joints}); use one that takes joints"
        )
    if model.couplings and not getattr(integrator, "takes_couplings", False):
        names = ", ".join(quote(coupling.name) for coupling in model.couplings[:8])
        mistakes.append(
            f"integrator {integrator.name} cannot keep couplings of joints, but the scene has some "
            f"({names}); use one of the package's own"
        )
    bouncing = limits_with_restitution(model)
    if bouncing and contact is not None:
        names = ", ".join(map(quote, bouncing[:8]))
        mistakes.append(
            f"limits of joints with restitution (`limit_restitution` of {names}) are followed "
            "without contact only; leave `contact` or `limit_restitution` out"
        )
    if mistakes:
        raise InputError(mistakes)
