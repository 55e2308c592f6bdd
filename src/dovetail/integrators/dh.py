"""DH: the general discrete Hamilton form with velocity constraints."""

from dataclasses import dataclass
from typing import ClassVar

from dovetail.contact.law import ContactMethod, LawKind
from dovetail.errors import InputError
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.variational.discrete_momentum import CENTRAL, DIFFERENCE
from dovetail.integrators.variational.stepper import VariationalStepper
from dovetail.model.frozen import Model
from dovetail.model.values import quote
from dovetail.runtime.options import named_parameters

RULES = {"forward": DIFFERENCE, "central": CENTRAL}


@named_parameters
@dataclass(frozen=True)
class DH:
    """Symplectic, second order; positions and velocities satisfy the joints to round-off.

    `difference` says where the quotient (R_1 - R_0) / h is seen from (Huang et al. 2022, eq. 7).
    'forward', as printed: from R_0, with the kinetic energy tr((I - F) J_d) / h of a rotation F
    (eqs. 6-14); a free body keeps its energy to round-off. 'central': from (R_0 + R_1) / 2, which
    is Cayley's map; a third of the error on the paper's pendulum.
    """

    difference: str = "forward"

    name: ClassVar[str] = "DH"
    order: ClassVar[int] = 2
    takes: ClassVar[frozenset[LawKind]] = frozenset({"force"})
    takes_joints: ClassVar[bool] = True
    takes_couplings: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.difference, str) or self.difference not in RULES:
            raise InputError(
                f"`difference` must be one of {', '.join(RULES)}, got {quote(self.difference)}"
            )

    def start(self, model: Model, contact: ContactMethod | None) -> VariationalStepper:
        law = prepared_law(self, model, contact)
        return VariationalStepper(model, law, RULES[self.difference], projects=True)
