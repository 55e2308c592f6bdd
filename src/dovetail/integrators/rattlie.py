"""RATTLie: variational step with the logarithm as velocity, both constraint levels exact."""

import warnings
from dataclasses import dataclass
from typing import ClassVar

from dovetail.contact.law import ContactMethod, LawKind
from dovetail.errors import InputError
from dovetail.integrators.pairing import prepared_law
from dovetail.integrators.variational.composition import GAMMAS, substeps
from dovetail.integrators.variational.discrete_momentum import LOGARITHM
from dovetail.integrators.variational.stepper import VariationalStepper
from dovetail.integrators.variational.tree.stepper import TreeStepper
from dovetail.integrators.variational.tree.suited import suits
from dovetail.model.frozen import Model
from dovetail.model.joints.actuation import Steered, is_limited_servo, takes_state
from dovetail.model.values import quote
from dovetail.multibody.loads.forces import LoadForces
from dovetail.multibody.mechanism import Mechanism
from dovetail.runtime.options import named_parameters


@named_parameters
@dataclass(frozen=True)
class RATTLie:
    """Symplectic and symmetric; positions and velocities satisfy the joints to round-off.

    W = log(R_k^T R_{k+1}) / h, multipliers of their own for the start and the end of each step
    (Huang et al. 2022, eqs. 15-23; Hante and Arnold, J. Comput. Appl. Math. 387 (2021) 112492).
    A step costs in proportion to the bodies. `order` is 2, or that of a symmetric composition: 4
    (five substeps) or 6 (nine). A composition goes back in time between its substeps, so dampers
    act before and after it, at order 2, and motions with impacts, dry friction or contact
    forces are stepped at order 2 altogether. `RATTLie(order=4)` is the default for joints.
    """

    order: int = 2

    name: ClassVar[str] = "RATTLie"
    takes: ClassVar[frozenset[LawKind]] = frozenset({"force"})
    takes_joints: ClassVar[bool] = True
    takes_couplings: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.order, bool) or self.order not in GAMMAS:
            known = ", ".join(map(str, GAMMAS))
            raise InputError(f"`order` must be one of {known}, got {quote(self.order)}")

    def start(
        self, model: Model, contact: ContactMethod | None
    ) -> VariationalStepper | TreeStepper:
        law = prepared_law(self, model, contact)
        gammas = substeps(self.order)
        rough = what_is_not_smooth(model, contact)
        if rough and self.order > 2:
            warnings.warn(
                f"RATTLie takes steps of order 2 here, not {self.order}: {rough} cannot go back "
                "in time, as substeps of a composition do",
                stacklevel=2,
            )
            gammas = substeps(2)
        if law is None and suits(model):
            mechanism = Mechanism(model)
            if not mechanism.n_equations:
                return TreeStepper(model, mechanism, gammas)
        return VariationalStepper(model, law, LOGARITHM, projects=True, gammas=gammas)


def what_is_not_smooth(model: Model, contact: ContactMethod | None) -> str:
    """What keeps a composition from having its order, in words; empty where nothing does."""
    found = [] if contact is None else ["contact forces"]
    entries = [entry for placed in model.joints for entry in placed.joint.actuation]
    if any(entry.friction for entry in entries):
        found.append("dry friction in joints")
    if any((e.lower, e.upper) != (None, None) and e.lower != e.upper for e in entries):
        found.append("limits of joints")
    if LoadForces(model).functions:
        found.append("loads given by functions")
    if any(callable(entry.motor) and takes_state(entry.motor) for entry in entries):
        found.append("motors that follow the state")
    if any(is_limited_servo(entry) for entry in entries):
        found.append("controllers with an `effort_limit`")
    return " and ".join(found)


def is_damped(model: Model) -> bool:
    """Whether joints or springs have dampers."""
    entries = [entry for placed in model.joints for entry in placed.joint.actuation]
    springs = LoadForces(model).compiled.spring_values
    damped = any(entry.damping or isinstance(entry.motor, Steered) for entry in entries)
    return damped or bool(springs[:, 1].any())
