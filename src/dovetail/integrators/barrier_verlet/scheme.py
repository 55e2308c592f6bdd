"""Lie group Stoermer-Verlet for bodies kept apart by a potential: second order, no decay."""

from typing import ClassVar

from dovetail.contact.ipc.law import IpcPotential
from dovetail.contact.law import ContactMethod, LawKind
from dovetail.errors import InputError
from dovetail.integrators.barrier_verlet.stepper import BarrierVerletStepper
from dovetail.integrators.pairing import prepared_law
from dovetail.model.frozen import Model
from dovetail.runtime.options import named_parameters


@named_parameters
class BarrierVerlet:
    """Kick, drift, keep apart, kick: free flight as under LieVerlet, contact without intersection.

    v += (h/2) (f + r)/m and likewise L; x^, R^ = free motion for h (Huang et al. 2022, eqs. 15-18);
    poses minimise m/2 |x - x^|^2 + 1/2 tr((R - R^) J (R - R^)^T) + barriers under the joints; then
    v += (h/2) f/m and impulses with J v = 0 for joints and 0 <= impulse _|_ J v >= 0 for contacts
    (friction and restitution included), whose mean is the reaction r expected of the next step.
    The displacement by the barrier is no velocity, so it adds no energy. Loads that change in the
    step, f(x, u), act as (f_0 + f_1)/2 (Newmark 1959, beta = 1/4, gamma = 1/2): stable for springs
    and dampers of any strength. Second order where
    contacts and joints last; impacts are found once a step.
    """

    name: ClassVar[str] = "BarrierVerlet"
    order: ClassVar[int] = 2
    takes: ClassVar[frozenset[LawKind]] = frozenset({"potential"})
    takes_joints: ClassVar[bool] = True
    takes_couplings: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True
    leaves_waypoints: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "BarrierVerlet()"

    def start(self, model: Model, contact: ContactMethod | None) -> BarrierVerletStepper:
        law = prepared_law(self, model, contact)
        if law is not None and not isinstance(law, IpcPotential):
            raise InputError(
                f"integrator {self.name} steps the barriers of IPC only; use ImplicitEuler for a "
                "potential from outside the package"
            )
        return BarrierVerletStepper(model, law)
