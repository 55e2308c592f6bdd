"""RATTLie: variational step with the logarithm as velocity, both constraint levels exact."""

from typing import ClassVar

from dovetail.contact.law import ContactMethod, LawKind
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.variational.discrete_momentum import LOGARITHM
from dovetail.integrators.variational.stepper import VariationalStepper
from dovetail.model.frozen import Model


class RATTLie:
    """Symplectic, second order; positions and velocities satisfy the joints to round-off.

    W = log(R_k^T R_{k+1}) / h, multipliers of their own for the start and the end of each step
    (Huang et al. 2022, eqs. 15-23; Hante and Arnold, J. Comput. Appl. Math. 387 (2021) 112492).
    A step costs in proportion to the bodies, so it is the default for mechanisms of more than 60;
    smaller ones run in joint coordinates, whose step costs their number cubed.
    """

    name: ClassVar[str] = "RATTLie"
    order: ClassVar[int] = 2
    takes: ClassVar[frozenset[LawKind]] = frozenset({"force"})
    takes_joints: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "RATTLie()"

    def start(self, model: Model, contact: ContactMethod | None) -> VariationalStepper:
        law = prepared_law(self, model, contact)
        return VariationalStepper(model, law, LOGARITHM, projects=True)
