"""DH: the general discrete Hamilton form with velocity constraints."""

from typing import ClassVar

from dovetail.contact.laws import ContactMethod, LawKind
from dovetail.integrators.pairing import refuse_mismatch
from dovetail.integrators.variational import VariationalStepper
from dovetail.kernels.discrete_momentum import DIFFERENCE
from dovetail.model.frozen import Model


class DH:
    """Symplectic, second order; positions and velocities satisfy the joints to round-off.

    The kinetic energy of a turn is tr((I - F) J_d) / h with F = exp(f) (Huang et al. 2022, eqs.
    6-14). A free body keeps its energy to round-off; with joints RATTLie does better.
    """

    name: ClassVar[str] = "DH"
    order: ClassVar[int] = 2
    takes: ClassVar[frozenset[LawKind]] = frozenset({"force"})
    takes_joints: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "DH()"

    def start(self, model: Model, contact: ContactMethod | None) -> VariationalStepper:
        refuse_mismatch(self, model, contact)
        law = None if contact is None else contact.prepare(model)
        return VariationalStepper(model, law, DIFFERENCE, projects=True)
