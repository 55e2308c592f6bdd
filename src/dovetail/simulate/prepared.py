"""A checked scene with the methods that will move it: what every simulation is made of."""

from dataclasses import dataclass, replace
from typing import Any

from dovetail.contact.law import ContactMethod
from dovetail.errors import InputError
from dovetail.integrators.interface import Integrator
from dovetail.model.scene import Scene
from dovetail.simulate.methods import chosen_methods
from dovetail.simulate.plan import Plan
from dovetail.simulate.start_checks import say, warnings_at_start
from dovetail.simulate.step_control import LargeAndSmallSteps


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is to be moved, and how; what there was to say about it has been said."""

    scene: Scene
    plan: Plan  # with the model, its loops closed
    contact: ContactMethod | None
    integrator: Integrator
    given_integrator: Integrator | str | None  # None: chosen by the package
    warnings: tuple[str, ...]


def prepared(
    scene: Scene, plan: Plan, contact: Any, integrator: Any, check: bool | None
) -> Prepared:
    """Choose the methods, say what is suspicious, close the loops of rough joints."""
    silent_about_contact, given = isinstance(contact, str), integrator
    contact, integrator = chosen_methods(plan.model, contact, integrator)
    if isinstance(plan.control, LargeAndSmallSteps):
        if contact is None or contact.kind != "force":
            raise InputError(
                "large and small steps need contact by distance fields, which reports when "
                "bodies are near each other; use dt.contact.SDF(...), or a single step"
            )
        plan.control.first(plan.step)  # raises if the two do not fit
    warnings = warnings_at_start(scene, plan, contact, integrator, silent_about_contact, check)
    say(warnings)
    if any(placed.joint.is_rough for placed in plan.model.joints):
        from dovetail.multibody.mechanism import assemble

        plan = replace(plan, model=assemble(plan.model))
    return Prepared(scene, plan, contact, integrator, given, warnings)
