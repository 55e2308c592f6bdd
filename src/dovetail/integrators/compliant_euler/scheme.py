"""Time stepping with compliant contacts: stiff springs, friction, impacts, joints."""

from typing import Any, ClassVar

from dovetail.contact.law import ContactMethod, LawKind
from dovetail.errors import InputError
from dovetail.integrators.compliant_euler.stepper import CompliantEulerStepper
from dovetail.integrators.pairing import refuse_mismatch
from dovetail.model.frozen import Model
from dovetail.runtime.options import named_parameters


@named_parameters
class CompliantEuler:
    """Semi-implicit Euler: velocities with the contact forces at the end of the step, then poses.

        u' = u + M^-1 (h f + J^T lambda(u')),   x' = x + h u',   R' = R exp(f),
    lambda that of springs, dampers and friction at the gap g + h v' (`contact.penalty.compliant`).
    Stable at any step and stiffness; a spring whose contact lasts a few steps only gives nothing
    back, so impacts with restitution are reflected before. First order; bodies that touch nothing
    and have no joints fly as under LieVerlet.
    """

    name: ClassVar[str] = "CompliantEuler"
    order: ClassVar[int] = 1
    order_alone: ClassVar[int] = 2  # of bodies that touch nothing
    takes: ClassVar[frozenset[LawKind]] = frozenset({"force"})
    takes_joints: ClassVar[bool] = True
    takes_couplings: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "CompliantEuler()"

    def start(self, model: Model, contact: ContactMethod | None) -> CompliantEulerStepper:
        refuse_mismatch(self, model, contact)
        if contact is None:
            return CompliantEulerStepper(model, None)
        make: Any = getattr(contact, "prepare_compliant", None)
        if make is None:
            raise InputError(
                f"integrator CompliantEuler steps dt.contact.SDF only, got contact method "
                f"{contact.name!r}; leave `integrator` out to get one that fits it"
            )
        given: Any = contact
        if not given.is_compliant(model):
            raise InputError(
                "integrator CompliantEuler solves for contact forces, so it takes no `damping` and "
                "no `normal_force`; leave them out, or leave `integrator` out to get one that fits"
            )
        return CompliantEulerStepper(model, make(model))
