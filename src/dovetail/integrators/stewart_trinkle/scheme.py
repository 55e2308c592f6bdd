"""Time stepping with impulses: rigid contact, friction, impacts, joints."""

from typing import ClassVar

from dovetail.contact.law import ContactMethod, LawKind, RowImpulseLaw
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.stewart_trinkle.impulse_stepper import ImpulseStepper
from dovetail.integrators.stewart_trinkle.stepper import StewartTrinkleStepper
from dovetail.model.frozen import Model
from dovetail.runtime.options import named_parameters


@named_parameters
class StewartTrinkle:
    """Semi-implicit Euler with impulses (Stewart and Trinkle 1996, Anitescu and Potra 1997).

    Contacts, limits, joints, motors and dampers are solved for together:
        u' = u + M^-1 (h f + J^T lambda),   0 <= lambda_N _|_ J_N u' + gap / h >= 0,
    friction in a pyramid or cone, then x' = x + h u', and R' = R exp(f) with the rotation f of a
    free body of that momentum. A positive gap may be closed but not crossed, so bodies do not sink;
    overlaps left by rounding or by the rotation are corrected by a second solve that moves poses
    only and so adds no energy. Impacts with restitution (`contact.impact`) divide a step: a piece
    ends where the first contact closes fast, and the impact law gives the velocities of the next.
    First order; bodies that nothing touches and that have no joints fly as under LieVerlet.
    """

    name: ClassVar[str] = "StewartTrinkle"
    order: ClassVar[int] = 1
    order_alone: ClassVar[int] = 2  # of bodies that touch nothing
    takes: ClassVar[frozenset[LawKind]] = frozenset({"impulse"})
    takes_joints: ClassVar[bool] = True
    takes_couplings: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "StewartTrinkle()"

    def start(
        self, model: Model, contact: ContactMethod | None
    ) -> "StewartTrinkleStepper | ImpulseStepper":
        law = prepared_law(self, model, contact)
        if law is None or isinstance(law, RowImpulseLaw):
            return StewartTrinkleStepper(model, law)
        return ImpulseStepper(model, law)
