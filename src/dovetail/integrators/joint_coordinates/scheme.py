"""Mechanisms in joint coordinates: a variational step with closed loops."""

from typing import ClassVar

from dovetail.contact.law import ContactMethod, LawKind
from dovetail.integrators.joint_coordinates.stepper import JointStepper
from dovetail.integrators.pairing import prepared_law
from dovetail.model.frozen import Model
from dovetail.runtime.options import named_parameters


@named_parameters
class JointCoordinates:
    """Symplectic, symmetric second-order step in the coordinates of the joints.

    Loops are closed to round-off at the end of every step, in position and in velocity; redundant
    equations are found again in each step. Energy of a mechanism without friction stays in a
    band of width O(h^2). Forces that depend on velocity are taken halfway, so dampers always
    dissipate; contact forces act at both ends of a step. Equations and sources:
    `dovetail.integrators.joint_coordinates.step`.
    """

    name: ClassVar[str] = "JointCoordinates"
    order: ClassVar[int] = 2
    takes: ClassVar[frozenset[LawKind]] = frozenset({"force"})
    takes_joints: ClassVar[bool] = True
    takes_couplings: ClassVar[bool] = True
    keeps_momentum: ClassVar[bool] = True

    def __repr__(self) -> str:
        return "JointCoordinates()"

    def start(self, model: Model, contact: ContactMethod | None) -> JointStepper:
        return JointStepper(model, prepared_law(self, model, contact))
