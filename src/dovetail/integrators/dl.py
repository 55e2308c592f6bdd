"""DL: the discrete Euler-Lagrange form, two steps at a time, velocities not projected."""

from typing import ClassVar

from dovetail.contact.law import ContactMethod, LawKind
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.variational.discrete_momentum import DIFFERENCE
from dovetail.integrators.variational.stepper import VariationalStepper
from dovetail.model.frozen import Model
from dovetail.runtime.options import named_parameters


@named_parameters
class DL:
    """The positions of DH; its velocities miss the joints by O(h^2) (Huang et al. 2022, fig. 7).

    One multiplier per point in time acts in the step before and the step after. The velocity at a
    point, the discrete Legendre transform, holds half of it, which only the next step finds; it is
    recorded with the line through the two multipliers before. Where a limit is reached or joints
    have dry friction, which jump, velocities are those of DH.
    """

    name: ClassVar[str] = "DL"
    order: ClassVar[int] = 2
    takes: ClassVar[frozenset[LawKind]] = frozenset({"force"})
    takes_joints: ClassVar[bool] = True
    takes_couplings: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "DL()"

    def start(self, model: Model, contact: ContactMethod | None) -> VariationalStepper:
        law = prepared_law(self, model, contact)
        return VariationalStepper(model, law, DIFFERENCE, projects=False)
